// The left pane: every ground-truth unit with its state and scores; the open one with its keys.
import { blindBox, blindLine, blindState, firstWords, hiddenChip, isBlind, twiceNotice } from "./blind.js";
import { block, button, glyph, h, patch, prose } from "./dom.js";
import { marksLine } from "./marks.js";
import { memoryBlock, memoryLine, memoryNotice, recalledState } from "./memory.js";
import { outcome, outcomeOnAll } from "./outcomes.js";
import { evidenceName, pointing } from "./pointing.js";
import { nextWords, queueDone } from "./queues.js";
import { rawReply } from "./rawreply.js";
import { reasoning } from "./reasoning.js";
import { remarkBlocks } from "./remarks.js";
import { keysRow } from "./scorekeys.js";
import { basisState, contest, isContested, namesHint } from "./resolve.js";
import { kindWords, scoreSaid, scoreStep, scoreWords, stateSaid, who } from "./words.js";

export function drawUnits(pane, desk, view) {
  const { item } = view;
  patch(pane, [
    doneNotice(desk, view),
    desk.model.news?.id === item.id &&
      block("news", desk.model.news.text, (text) =>
        h("p.notice.news", { role: "status" }, glyph("→"), text),
      ),
    outcomeOnAll(desk),
    twiceNotice(item),
    memoryNotice(desk, view),
    ...item.mismatches.map((text, i) =>
      block(`mismatch${i}`, text, (words) =>
        h(
          "p.notice.mismatch",
          {},
          glyph("±"),
          h("span", {}, h("b", {}, "Arithmetic differs. "), prose("bdi", words)),
        ),
      ),
    ),
    ...item.warnings.map((text, i) =>
      block(`warning${i}`, text, (words) => h("p.notice", {}, glyph("!"), prose("span", words))),
    ),
    item.sentence &&
      block("sentence", item.sentence, (words) =>
        h("div.notice.loud", { role: "note" }, glyph("!"), prose("span", words)),
      ),
    rawReply(desk, item),
    !item.units.length &&
      block("none", item.sentence, (why) =>
        h(
          "p.empty",
          {},
          why
            ? "There is nothing to score here. What should have come back:"
            : "Nothing was expected of this example.",
        ),
      ),
    ...item.unscored.map(({ kind, text }, i) =>
      block(`unscored${i}`, { kind, text }, () =>
        h(
          "article.unit",
          {},
          h("header", {}, kindMark(kind), kindWords(kind).name),
          prose("p.text", text),
        ),
      ),
    ),
    ...view.units.map((effective, i) => card(desk, view, effective, i)),
  ]);
}

/** At the end of a queue: what was done, and what follows. */
function doneNotice(desk, view) {
  const done = queueDone(desk, view);
  if (!done) return null;
  const next = done.next ? `Next: ${nextWords(done.next)}.` : "No other queue waits for you.";
  return block("done", [done.words, next], ([words, more]) =>
    h("p.notice.done", { role: "status" }, glyph("✓"), h("b", {}, words), ` ${more}`),
  );
}

function card(desk, view, effective, i) {
  const { label } = effective.unit;
  const { units: nearby } = desk.screen.nearby;
  const open = label === view.open;
  const sought = desk.find.place?.name.startsWith(`${label} `);
  if (!nearby.draws(label, i, view.units.length, open || sought)) return boxedUnit(nearby, label);
  return {
    key: label,
    sig: "near",
    make: () =>
      h("article.unit", {
        tabindex: "-1",
        onclick: () => desk.acts.openUnit(label),
        ...pointingAtAll(desk, effective.unit),
      }),
    into: (node) => {
      node.classList.toggle("open", open);
      node.classList.toggle("out", effective.excluded);
      node.classList.toggle("settled", !open && effective.basis === "agreed");
      node.setAttribute("aria-label", cardLabel(desk, effective));
      patch(node, open ? openBlocks(desk, view, effective) : closedBlocks(desk, effective));
    },
  };
}

/** A unit that is far out of sight. */
function boxedUnit(nearby, label) {
  const make = () => h("article.unit.far", { "aria-label": label, tabindex: "-1" }, label);
  return { key: label, sig: "far", make: () => nearby.box(make(), label) };
}

/** Pointing at a closed unit lights up its evidence; the open one's is lit anyway. */
function pointingAtAll(desk, unit) {
  const names = unit.evidence.map((_, i) => evidenceName(unit, i));
  const { onmouseenter, onmouseleave } = pointing(desk, names);
  const closed = () => desk.model.opened.get(desk.model.id) !== unit.label;
  return { onmouseenter: () => closed() && onmouseenter(), onmouseleave };
}

function cardLabel(desk, effective) {
  const { unit } = effective;
  const judge = isBlind(desk.model.item)
    ? "judge hidden"
    : `judge ${scoreSaid(unit.score, unit.kind)}`;
  const now = effective.changed ? `, now ${stateSaid(effective, unit.kind)}` : "";
  return `${unit.label}, ${kindWords(effective.kind).name}, ${stateWords(desk, effective).words}, ${judge}${now}`;
}

function closedBlocks(desk, effective) {
  const { unit } = effective;
  const agreed = effective.basis === "agreed";
  return [
    head(desk, effective, false),
    !agreed && marksLine(unit),
    memoryLine(effective),
    block("text", [unit.text, agreed], ([text]) =>
      prose(agreed ? "p.text.clamp1" : "p.text.clamp2", text),
    ),
    isBlind(desk.model.item)
      ? blindLine()
      : !agreed &&
        unit.reasoning &&
        block("why", unit.reasoning, (text) => prose("p.reason.clamp1", text)),
  ];
}

function openBlocks(desk, view, effective) {
  const { unit } = effective;
  return [
    head(desk, effective, true),
    marksLine(unit),
    block("text", unit.text, (text) => {
      const long = text.length > 900; // scrolls by itself, so that the score keys stay in sight
      return h("p.text", { dir: "auto", tabindex: long ? "0" : null }, text);
    }),
    isContested(effective)
      ? contest(desk, effective)
      : isBlind(view.item)
        ? blindBox()
        : reasoning(desk, view, unit),
    memoryBlock(desk, effective),
    outcome(desk, effective),
    keysRow(desk, view, effective),
    namesHint(effective),
    desk.model.message?.label === unit.label &&
      block("message", desk.model.message.text, (text) =>
        h("p.message", { role: "alert" }, glyph("!"), text),
      ),
    ...remarkBlocks(desk, view, effective),
  ];
}

function head(desk, effective, open) {
  const { unit, kind } = effective;
  const state = stateWords(desk, effective);
  const blind = isBlind(desk.model.item);
  const first = firstWords(desk, effective);
  const facts = {
    open,
    blind,
    first,
    unit: [unit.label, unit.kind, unit.score],
    now: [kind, effective.score, effective.excluded],
    changed: effective.changed,
    state,
  };
  return block("head", facts, () =>
    h(
      "header",
      {},
      button(
        ".label",
        {
          "aria-expanded": String(open),
          label: `${unit.label}: open`,
          onclick: () => desk.acts.openUnit(unit.label),
        },
        unit.label,
      ),
      h("span.kind", { class: kind }, kindMark(kind), kindText(effective)),
      h("span.state", { class: state.tone }, glyph(state.glyph), state.words),
      h(
        "span.scores",
        {},
        first && h("span.by.first", {}, `${first} ·`),
        h("span.by", {}, "judge"),
        blind ? hiddenChip() : chip(unit.score, unit.kind),
        effective.changed && [h("span.arrow", {}, "→"), nowChip(effective)],
      ),
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

function chip(score, kind) {
  return h("span.chip", { class: scoreStep(score, kind) }, scoreWords(score, kind));
}

/** Who took the unit out; of a duplicate, whose twin it is. */
function excludedWords({ cause, twin }, by) {
  return cause === "duplicate" && twin ? `Out: same as ${twin}, by ${by}` : `Excluded by ${by}`;
}

/** The state of a unit as glyph, words and tone; an answer still awaited does not change it. */
function stateWords(desk, effective) {
  const { decision, unit } = effective;
  const conflict = desk.model.outbox.conflictOn(desk.model.id, unit.label);
  if (conflict) return { glyph: "!", words: "Changed meanwhile", tone: "bad" };
  if (desk.model.draft(unit.label)?.held)
    return { glyph: "!", words: "Waits for a note", tone: "bad" };
  if (isBlind(desk.model.item)) return blindState(effective);
  const shared = basisState(effective, (name) => who(name, desk.model.me));
  if (shared) return shared;
  if (!decision && effective.score === null)
    return { glyph: "!", words: "No score from the judge", tone: "bad" };
  if (!decision) return { glyph: "○", words: "To review", tone: "quiet" };
  const by = who(effective.changed ? effective.made : decision.reviewer, desk.model.me);
  if (effective.score === null && !effective.excluded)
    return { glyph: "!", words: "Needs a score", tone: "bad" };
  const recalled = recalledState(effective, by);
  if (recalled) return recalled;
  if (effective.excluded)
    return { glyph: "◆", words: excludedWords(decision, by), tone: "person" };
  if (effective.changed) return { glyph: "◆", words: `Changed by ${by}`, tone: "person" };
  return { glyph: "✓", words: by === "you" ? "Confirmed" : `Confirmed by ${by}`, tone: "person" };
}
