// The strip above: where one is in the list, whether everything is saved; and the bar below.
import { block, button, h, patch } from "./dom.js";
import { effectiveUnits, finalSaid } from "./decisions.js";
import { count } from "./words.js";

const TICKS = 40;

export function drawStrip(node, desk) {
  const { model } = desk;
  const total = model.order.length;
  patch(node, [
    block("list", model.run.list, (list) =>
      button(
        ".list",
        { onclick: () => desk.acts.leave("list") },
        h("span", { "aria-hidden": "true" }, "‹ "),
        list,
      ),
    ),
    {
      key: "ticks",
      sig: tickStates(desk).join(" "),
      make: () =>
        h(
          "div.ticks",
          { "aria-hidden": "true" },
          tickStates(desk).map((state) => h("i", { class: state })),
        ),
    },
    block("position", [model.at + 1, total], ([at, of]) =>
      h(
        "p.position",
        {},
        h("b", {}, at.toLocaleString("en-GB")),
        ` of ${of.toLocaleString("en-GB")}`,
      ),
    ),
    { key: "space", make: () => h("span.space") },
    {
      key: "saved",
      make: () => h("p.saved", { role: "status" }),
      into: (status) => drawSaved(status, desk),
    },
    {
      key: "keys",
      make: () =>
        button(
          "",
          { key: "?", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("keys") },
          "Keys",
        ),
    },
  ]);
}

/** The forty of the list that the current one stands among. */
function tickStates({ model }) {
  const first = Math.floor(model.at / TICKS) * TICKS;
  return model.order.slice(first, first + TICKS).map((id, i) => {
    const state = stateOf(model, model.items.get(id));
    return first + i === model.at ? `${state} here` : state;
  });
}

function stateOf(model, item) {
  if (!item) return "unknown";
  if (item.sentence && !item.units.length) return "failed";
  const units = unitsOf(model, item);
  if (units.some((u) => u.changed && u.decision)) return "changed";
  if (units.length && units.every((u) => u.decision)) return "done";
  return item.sentence ? "failed" : "todo";
}

function unitsOf(model, item) {
  return model.outbox.pendingOn(item.id).length
    ? model.view(item).units
    : effectiveUnits(item.units, item.decisions);
}

/** "Saved", "saving 2…", "3 not saved", "1 not written": fixed width, so that nothing moves. */
export function drawSaved(status, desk) {
  const { unsaved, unwritten } = desk.model.outbox;
  const lost = unsaved > 0 && Boolean(desk.trouble);
  const open = unsaved
    ? `saving ${unsaved}…`
    : unwritten.length
      ? `${unwritten.length} not written`
      : "Saved";
  const words = lost ? `${unsaved} not saved` : open;
  status.className = `saved ${words === "Saved" ? "kept" : unsaved && !lost ? "saving" : "lost"}`;
  if (status.textContent !== words) status.textContent = words;
}

export function drawBar(node, desk, view) {
  const { model } = desk;
  const reviewed = view ? view.units.length - view.left.length : 0;
  const total = view?.units.length ?? 0;
  patch(node, [
    block("previous", model.at > 0, (there) =>
      button(
        ".framed",
        {
          label: "Previous example",
          key: "ArrowLeft",
          cap: "←",
          capFirst: true,
          disabled: !there,
          onclick: () => desk.acts.move(-1),
        },
        "Previous",
      ),
    ),
    block("next", model.at < model.order.length - 1, (there) =>
      button(
        ".framed",
        {
          label: "Next example",
          key: "ArrowRight",
          cap: "→",
          disabled: !there,
          onclick: () => desk.acts.move(1),
        },
        "Next",
      ),
    ),
    block("history", view ? view.decisions.length : 0, (number) =>
      button(
        "",
        { key: "Y", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("history") },
        number ? `History ${number}` : "History",
      ),
    ),
    model.run.model &&
      block("calls", [], () =>
        button(
          "",
          { key: "S", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("calls") },
          "Show the call",
        ),
      ),
    view?.item.others > 0 &&
      block("judges", view.item.others + 1, (number) =>
        button(
          "",
          { key: "O", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("judges") },
          `Judges ${number}`,
        ),
      ),
    { key: "space", make: () => h("span.space") },
    total > 0 &&
      block("reviewed", [reviewed, total], () =>
        h("p.reviewed", {}, `${reviewed} of ${total} reviewed`),
      ),
    block("go", desk.acts.goLabel(view), (label) =>
      button(
        ".primary",
        {
          key: "Control+Enter",
          cap: "Ctrl ↵",
          disabled: label === null,
          onclick: () => desk.acts.confirmLeft(),
        },
        label ?? "Last example",
      ),
    ),
  ]);
}

/** From 1600 px on: the neighbours in the list, as far as they are loaded. */
export function drawQueue(node, desk) {
  const { model } = desk;
  const first = Math.max(0, Math.min(model.at - 4, model.order.length - 30));
  const rows = model.order.slice(first, first + 30);
  patch(node, [
    block("head", model.run.list, (list) =>
      h("h3", {}, list, h("small", {}, count(model.order.length, "example"))),
    ),
    ...rows.map((id, i) => queueRow(desk, id, first + i)),
  ]);
}

const GLYPHS = { done: "✓", changed: "◆", failed: "!", todo: "○", unknown: "○" };

function queueRow(desk, id, index) {
  const { model } = desk;
  const item = model.items.get(id);
  const state = stateOf(model, item);
  const final = item ? finalSaid(item) : "";
  const here = index === model.at;
  return block(`q${id}`, [state, final, here, Boolean(item)], () =>
    button(
      ".row",
      { "aria-current": here ? "true" : null, onclick: () => desk.acts.goTo(index) },
      h("span.glyph", { "aria-hidden": "true" }, GLYPHS[state]),
      h("bdi.words", { dir: "auto" }, item ? (item.question ?? item.example) : "…"),
      h("span.number", {}, final),
    ),
  );
}
