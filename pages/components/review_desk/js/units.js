// The left pane: every ground-truth unit with its state and scores; the open one with its keys.
import { block, button, h, patch, prose } from "./dom.js";
import { asNumber, fraction } from "./formula.js";
import { remarkBlocks } from "./remarks.js";
import {
  actSaid,
  clock,
  isYesNo,
  kindWords,
  scaleOf,
  scoreSaid,
  scoreStep,
  scoreWords,
  stateSaid,
  who,
} from "./words.js";

export function drawUnits(pane, desk, view) {
  const { item } = view;
  patch(pane, [
    ...item.warnings.map((text, i) =>
      block(`warning${i}`, text, (words) => h("p.notice", {}, glyph("!"), prose("span", words))),
    ),
    item.sentence &&
      block("sentence", item.sentence, (words) =>
        h("div.notice.loud", { role: "note" }, glyph("!"), prose("span", words)),
      ),
    !item.units.length &&
      block("none", item.sentence, (why) =>
        h("p.empty", {}, why ? "There is nothing to score here. What should have come back:" : "Nothing was expected of this example."),
      ),
    ...item.unscored.map(({ kind, text }, i) =>
      block(`unscored${i}`, { kind, text }, () =>
        h("article.unit", {}, h("header", {}, kindMark(kind), kindWords(kind).name), prose("p.text", text)),
      ),
    ),
    ...view.units.map((effective) => card(desk, view, effective)),
  ]);
}

function card(desk, view, effective) {
  const { label } = effective.unit;
  const open = label === view.open;
  return {
    key: label,
    make: () =>
      h("article.unit", {
        tabindex: "-1",
        onclick: () => desk.acts.openUnit(label),
      }),
    into: (node) => {
      node.classList.toggle("open", open);
      node.classList.toggle("out", effective.excluded);
      node.setAttribute("aria-label", cardLabel(desk, effective));
      patch(node, open ? openBlocks(desk, view, effective) : closedBlocks(desk, effective));
    },
  };
}

function cardLabel(desk, effective) {
  const { unit } = effective;
  const judge = `judge ${scoreSaid(unit.score, unit.kind)}`;
  const now = effective.changed ? `, now ${stateSaid(effective, unit.kind)}` : "";
  return `${unit.label}, ${kindWords(effective.kind).name}, ${stateWords(desk, effective).words}, ${judge}${now}`;
}

function closedBlocks(desk, effective) {
  const { unit } = effective;
  return [
    head(desk, effective, false),
    block("text", unit.text, (text) => prose("p.text.clamp2", text)),
    unit.reasoning && block("why", unit.reasoning, (text) => prose("p.reason.clamp1", text)),
  ];
}

function openBlocks(desk, view, effective) {
  const { unit } = effective;
  return [
    head(desk, effective, true),
    block("text", unit.text, (text) => {
      const long = text.length > 900; // scrolls by itself, so that the score keys stay in sight
      return h("p.text", { dir: "auto", tabindex: long ? "0" : null }, text);
    }),
    reasoning(unit),
    outcome(desk, effective),
    keysRow(desk, view, effective),
    desk.model.message?.label === unit.label &&
      block("message", desk.model.message.text, (text) => h("p.message", { role: "alert" }, glyph("!"), text)),
    ...remarkBlocks(desk, view, effective),
  ];
}

function head(desk, effective, open) {
  const { unit, kind } = effective;
  const state = stateWords(desk, effective);
  const facts = { open, unit: [unit.label, unit.kind, unit.score], now: [kind, effective.score, effective.excluded], changed: effective.changed, state };
  return block("head", facts, () =>
    h(
      "header",
      {},
      button(".label", { "aria-expanded": String(open), label: `${unit.label}: open`, onclick: () => desk.acts.openUnit(unit.label) }, unit.label),
      h("span.kind", { class: kind }, kindMark(kind), kindText(effective)),
      h("span.state", { class: state.tone }, glyph(state.glyph), state.words),
      h("span.scores", {}, h("span.by", {}, "judge"), chip(unit.score, unit.kind), effective.changed && [h("span.arrow", {}, "→"), nowChip(effective)]),
    ),
  );
}

function kindMark(kind) {
  return h("i.mark", { class: kindWords(kind).solid ? "solid" : "hollow" });
}

function kindText({ unit, kind }) {
  const name = kindWords(kind).name;
  return kind === unit.kind ? name : `${name}, was ${kindWords(unit.kind).name.toLowerCase()}`;
}

function nowChip(effective) {
  if (effective.excluded) return h("span.chip.none", {}, "out");
  return chip(effective.score, effective.kind);
}

export function chip(score, kind) {
  return h("span.chip", { class: scoreStep(score, kind) }, scoreWords(score, kind));
}

function glyph(sign) {
  return h("span.glyph", { "aria-hidden": "true" }, sign);
}

/** The state of a unit as glyph, words and tone; an answer still awaited does not change it. */
function stateWords(desk, effective) {
  const { decision, unit } = effective;
  const conflict = desk.model.outbox.conflictOn(desk.model.id, unit.label);
  if (conflict) return { glyph: "!", words: "Changed meanwhile", tone: "bad" };
  if (desk.model.draft(unit.label)?.held) return { glyph: "!", words: "Waits for a note", tone: "bad" };
  if (!decision && effective.score === null) return { glyph: "!", words: "No score from the judge", tone: "bad" };
  if (!decision) return { glyph: "○", words: "To review", tone: "quiet" };
  const by = who(decision.reviewer, desk.model.me);
  if (effective.score === null && !effective.excluded) return { glyph: "!", words: "Needs a score", tone: "bad" };
  if (effective.excluded) return { glyph: "◆", words: `Excluded by ${by}`, tone: "person" };
  if (effective.changed) return { glyph: "◆", words: `Changed by ${by}`, tone: "person" };
  return { glyph: "✓", words: by === "you" ? "Confirmed" : `Confirmed by ${by}`, tone: "person" };
}

function reasoning(unit) {
  const { reasoning: text, failure, measure, evidence } = unit;
  const lost = evidence.filter((e) => !e.located).map((e) => e.quote);
  return block("why", { text, failure, measure, lost }, () =>
    h(
      "div.judge",
      {},
      h("p", { dir: "auto" }, h("b", { dir: "ltr" }, "Judge: "), text || failure || "gave no reasoning."),
      text && failure && h("p.unfound", {}, failure),
      measure && h("p.measure", {}, measure),
      lost.map((quote) => h("p.unfound", { dir: "auto" }, glyph("!"), "Quoted, but not found in the passage: ", h("q", {}, quote))),
    ),
  );
}

/** What became of an act that was not written, and what to do about it. */
function outcome(desk, effective) {
  const { label, kind } = effective.unit;
  const { outbox, id } = desk.model;
  const conflict = outbox.conflictOn(id, label);
  const refusal = outbox.refusalOn(id, label);
  if (conflict) {
    const theirs = desk.model.item.decisions.filter((d) => d.unit === label).at(-1);
    const mine = stateSaid(conflict.mine.after, kind);
    const facts = { theirs: theirs?.id, mine };
    return block("outcome", facts, () => conflictNotice(desk, effective, theirs, mine, conflict));
  }
  if (!refusal) return null;
  return block("outcome", refusal.sentence, (sentence) =>
    h(
      "div.outcome",
      { role: "alert" },
      h("p", {}, glyph("!"), sentence),
      button(".small", { onclick: () => desk.acts.dismiss(label) }, "Understood"),
    ),
  );
}

function conflictNotice(desk, effective, theirs, mine, conflict) {
  const name = theirs ? who(theirs.reviewer, desk.model.me) : "somebody";
  const subject = name === "you" ? "You, in another tab," : name;
  const act = theirs ? `${subject} ${actSaid(theirs)} at ${clock(theirs.at)}` : "The unit changed meanwhile";
  const verb = conflict.mine.action === "undo" ? "your undo" : `yours, ${mine},`;
  return h(
    "div.outcome",
    { role: "alert" },
    h("p", {}, glyph("!"), `${act}; ${verb} was not written.`),
    h(
      "div.row",
      {},
      button(".small", { onclick: () => desk.acts.keepTheirs(effective.unit.label) }, name === "you" ? "Keep that" : "Keep theirs"),
      button(".small", { onclick: () => desk.acts.setMine(effective.unit.label) }, conflict.mine.action === "undo" ? "Undo it all the same" : `Set mine, ${mine}`),
    ),
  );
}

function keysRow(desk, view, effective) {
  const { unit, kind, score, excluded } = effective;
  const { halves } = desk.model.run;
  const held = desk.model.draft(unit.label)?.held?.after ?? null;
  const shown = held ? held.score : excluded ? null : score;
  const decided = Boolean(effective.decision);
  const next = desk.acts.enterLabel(view, effective);
  const undoable = Boolean(desk.model.undoable(effective) || desk.model.leftBehind);
  const noted = Boolean(desk.model.remark(effective).note);
  const facts = { kind, shown, judge: unit.score, same: unit.kind === kind, decided, next, undoable, halves, noted };
  return block("keys", facts, () =>
    h(
      "div.keys",
      {},
      h("div.scale", { role: "group", "aria-label": `Score of ${unit.label}` }, scoreKeys(desk, effective, shown)),
      h(
        "div.acts",
        {},
        button(".framed", { key: "Enter", cap: "↵", onclick: () => desk.acts.enter() }, next),
        button("", { key: "N", onclick: () => desk.acts.note() }, noted ? "Edit note" : "Note"),
        button("", { key: "U", disabled: !undoable, onclick: () => desk.acts.undo() }, "Undo"),
      ),
    ),
  );
}

function scoreKeys(desk, effective, shown) {
  const { unit, kind } = effective;
  const { lowest, highest } = scaleOf(kind);
  const judged = unit.kind === kind ? unit.score : null;
  const values = isYesNo(kind) ? ["1", "0"] : range(lowest, highest);
  const [at, judgeAt] = [keyOf(shown), keyOf(judged)];
  const keys = values.map((value) => {
    const under = [value === judgeAt && "judge", !isYesNo(kind) && ends(value, lowest, highest)].find(Boolean);
    const on = at === value;
    const words = isYesNo(kind) ? scoreWords(value, kind) : on && shown !== value ? scoreWords(shown, kind) : value;
    return h(
      "span.slot",
      {},
      button(
        ".score",
        {
          key: value,
          cap: isYesNo(kind) ? value : null,
          "aria-pressed": String(on),
          class: on ? scoreStep(shown, kind) : "",
          onclick: () => desk.acts.score(value),
        },
        words,
      ),
      h("small", {}, under ?? " "),
    );
  });
  if (desk.model.run.halves && !isYesNo(kind)) {
    keys.push(h("span.slot", {}, button(".score.half", { key: ".", cap: ".", onclick: () => desk.acts.half() }, "½"), h("small", {}, " ")));
  }
  return keys;
}

/** The key that a score stands on: its whole part, so that 3.5 shows on the key of 3. */
function keyOf(score) {
  return score === null ? null : String(Math.floor(asNumber(fraction(score))));
}

function ends(value, lowest, highest) {
  if (value === String(lowest)) return "absent";
  return value === String(highest) ? "full" : null;
}

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}

