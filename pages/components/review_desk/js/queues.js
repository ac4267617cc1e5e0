// What to review next: the queues and their counts, the stop rule, and the list one walks through.
import { finalSaid } from "./decisions.js";
import { block, button, glyph, h, patch } from "./dom.js";
import { stateOf } from "./ticks.js";
import { count } from "./words.js";

const ROWS = 30;
const GLYPHS = { done: "✓", changed: "◆", failed: "!", todo: "○", unknown: "○" };

/** The way back to the list, then a tab for each queue: its name and how much it holds. */
export function queueTabs(desk) {
  const { run } = desk.model;
  return {
    key: "queues",
    make: () => h("nav.queues", { "aria-label": "Queues" }),
    into: (nav) =>
      patch(nav, [
        block("list", [run.list, run.queue === "chosen"], ([list, here]) =>
          button(
            here ? ".list.here" : ".list",
            { "aria-current": here ? "true" : null, onclick: () => desk.acts.leave("list") },
            h("span", { "aria-hidden": "true" }, "‹"),
            here ? list : "List",
          ),
        ),
        ...shownQueues(desk).map((queue) => tab(desk, queue)),
      ]),
  };
}

function tab(desk, { name, label, help, count: number }) {
  const here = desk.model.run.queue === name;
  return block(name, [label, number, here], () =>
    button(
      here ? ".tab.here" : ".tab",
      {
        title: help,
        "aria-current": here ? "true" : null,
        onclick: () => !here && desk.acts.leave("queue", name),
      },
      label,
      h("small", {}, number.toLocaleString("en-GB")),
    ),
  );
}

/** A queue that was there once stays, so that the last one done does not move the others. */
function shownQueues({ model }) {
  const now = model.standing?.queues ?? [];
  for (const queue of now) model.seenQueues.set(queue.name, queue);
  const counts = new Map(now.map((queue) => [queue.name, queue.count]));
  return [...model.seenQueues.values()]
    .map((queue) => ({ ...queue, count: counts.get(queue.name) ?? 0 }))
    .sort((a, b) => a.place - b.place);
}

/** Where one is, and which queue brought the example if it was not the list's. */
export function position({ model }) {
  const from = model.brought.get(model.id);
  const label = from && from !== model.run.queue ? queueLabel(model, from) : null;
  return block("position", [model.at + 1, model.order.length, label], ([at, of, brought]) =>
    h(
      "p.position",
      {},
      h("b", {}, at.toLocaleString("en-GB")),
      ` of ${of.toLocaleString("en-GB")}`,
      brought && h("span.brought", {}, `from ${brought}`),
    ),
  );
}

function queueLabel(model, name) {
  return model.seenQueues.get(name)?.label ?? { chosen: "a link" }[name] ?? name;
}

/** The run's recall, and whether reviewing may stop; the place is kept while it is not known. */
export function stopLine({ model }) {
  const { recall = "", stop = { words: "", decided: null } } = model.standing ?? {};
  return block("stop", [recall, stop], ([, { words, decided }]) =>
    h(
      "p.stop",
      { class: decided ? "decided" : "" },
      recall && h("b", {}, `Recall ${recall}. `),
      decided && glyph("✓"),
      words,
    ),
  );
}

/**
 * At the end of a queue of which nothing is left: how much was done, and where to go on. Null before,
 * and in the list, which is nobody's task.
 */
export function queueDone(desk, view) {
  const { model } = desk;
  const { run, order, items } = model;
  if (run.queue === "chosen" || model.at < order.length - 1 || !view || view.left.length) return null;
  const done = order.every((id) => ["done", "changed"].includes(stateOf(model, items.get(id))));
  if (!done) return null;
  const next = shownQueues(desk).find((queue) => queue.name !== run.queue && queue.count > 0) ?? null;
  const number = order.length.toLocaleString("en-GB");
  const recall = run.queue === "audit" ? model.standing?.recall : "";
  const found = recall ? ` The recall is ${recall}.` : "";
  return { words: `${run.list} done: ${number} of ${number}.${found}`, next };
}

/** The queue that follows, as it is called on a button and in a sentence. */
export function nextWords({ label, count: number }) {
  return `${label}, ${number.toLocaleString("en-GB")}`;
}

/** From 1600 px on: the neighbours in the list, as far as they are loaded. */
export function drawQueue(node, desk) {
  const { model } = desk;
  const first = Math.max(0, Math.min(model.at - 4, model.order.length - ROWS));
  const rows = model.order.slice(first, first + ROWS);
  const { list, hint } = model.run;
  patch(node, [
    block("head", [list, hint, model.order.length], () =>
      h("h3", {}, list, h("small", {}, hint ?? count(model.order.length, "example"))),
    ),
    ...rows.map((id, i) => queueRow(desk, id, first + i)),
  ]);
}

function queueRow(desk, id, index) {
  const { model } = desk;
  const item = model.items.get(id);
  const state = stateOf(model, item);
  const final = item ? finalSaid(item) : "";
  const here = index === model.at;
  const flagged = Boolean(item && model.flagged(item));
  return block(`q${id}`, [state, final, here, Boolean(item), flagged, index], () =>
    button(
      ".row",
      { "aria-current": here ? "true" : null, onclick: () => desk.acts.goTo(index) },
      h("span.glyph", { "aria-hidden": "true" }, GLYPHS[state]),
      h("bdi.words", { dir: "auto" }, item ? (item.question ?? item.example) : "…"),
      flagged && h("span.flagged", { role: "img", "aria-label": "flagged" }, "⚑"),
      h("span.number", {}, final),
    ),
  );
}
