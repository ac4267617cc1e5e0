// Below the panes: the formula with changed terms in the colour of people, and what each change did.
import { isBlind } from "./blind.js";
import { block, button, glyph, h, patch, prose } from "./dom.js";
import { compare, fraction, printed, signed } from "./formula.js";
import { awaited } from "./resolve.js";
import { causeSaid, clock, count, stateSaid, who } from "./words.js";

const CAPTIONS = {
  RECALL_Essential_Formula: "Essential",
  RECALL_Bonus_Formula: "Bonus",
  RECALL_Combined_Formula: "Combined",
  RECALL_Final_Score_Calculation: "Final",
};

export function drawSums(node, desk, view) {
  const { ledger, units, item } = view;
  const { now, judge } = ledger;
  const changed = units.filter((u) => u.changed).map((u) => u.unit.label);
  if (!item.units.length && now.state !== "vacuous") return node.replaceChildren();
  const lines = now.lines.filter((l) => l.label in CAPTIONS || l.label === "Recall");
  patch(node, [
    {
      key: "formulas",
      sig: JSON.stringify([
        now.state,
        now.missing,
        changed,
        lines,
        item.sentence,
        desk.model.run.pass_mark,
      ]),
      make: () => h("div.formulas", { tabindex: isLong(lines) ? "0" : null }, formulas(desk, view, lines, changed)),
    },
    block(
      "final",
      [
        [now.state, now.final && printed(now.final), judge.final && printed(judge.final)],
        [ledger.steps.length, view.left.length, isBlind(item), awaited(desk, view)],
      ],
      () => finalNumber(desk, view),
    ),
    block("ledger", [isBlind(item), ledgerFacts(ledger)], () => h("div.effects", {}, effects(desk, view))),
    block("rule", [item.formula, item.rounding], () => h("p.rule", {}, ruleWords(item))),
  ]);
}

/** Whether the formulas may need more lines than there is room for, and scroll. */
function isLong(lines) {
  return lines.some((line) => line.parts.length > 60);
}

function formulas(desk, view, lines, changed) {
  const { now } = view.ledger;
  if (now.state === "void") return [state("Void", voidWords(view.item))];
  if (now.state === "incomplete") return incomplete(view);
  const shown = lines.map((l) => formula(captionOf(l, view), l, changed));
  const mark = desk.model.run.pass_mark;
  return mark === null || mark === undefined ? shown : [...shown, passLine(now.final, mark)];
}

function captionOf(line, { item }) {
  if (line.label !== "Recall") return CAPTIONS[line.label];
  if (item.units[0]?.kind === "statement") return "Supported statements";
  return "Found contexts";
}

function formula(caption, line, changed) {
  const parts = line.parts.map((part, i) => {
    const person =
      changed.includes(part.unit) || (line.label === "Recall" && i === 0 && changed.length);
    return person ? h("b.person", {}, part.text) : part.text;
  });
  return h(
    "div.formula",
    {},
    h("span", {}, caption),
    h("code", {}, parts, " = ", h("b", {}, line.value)),
  );
}

function passLine(final, mark) {
  const passes = compare(final, fraction(mark)) >= 0;
  const words = passes
    ? `${printed(final)} >= ${printed(fraction(mark))}, passes`
    : `${printed(final)} < ${printed(fraction(mark))}, fails`;
  return h("div.formula", {}, h("span", {}, "Pass mark"), h("code", {}, words));
}

function state(caption, words) {
  return h("div.formula", {}, h("span", {}, caption), h("span.words", {}, words));
}

function voidWords(item) {
  const what = item.formula === "passage" ? "No essential passage" : "No unit";
  return `${what} is left to score: this example is out of the mean, and counted as void.`;
}

function incomplete({ item, units, ledger }) {
  const { missing } = ledger.now;
  if (item.formula === "share") return [state("Recall", needs(missing.length))];
  return ["essential", "bonus"].flatMap((kind) => {
    const lacking = units.filter((u) => u.kind === kind && missing.includes(u.unit.label)).length;
    return lacking ? [state(kind === "essential" ? "Essential" : "Bonus", needs(lacking))] : [];
  });
}

function needs(number) {
  return `needs ${count(number, "more score")}`;
}

function finalNumber(desk, view) {
  const { ledger, item, left } = view;
  const { judge, now, total } = ledger;
  const more = awaited(desk, view);
  const alone = desk.model.run.independent && item.sight.others_hidden;
  if (!now.final) {
    const words = { incomplete: "Final appears when all are scored", void: "No final: void" };
    const why = item.units.length ? words[now.state] : "No final score";
    return h("p.final", {}, h("span.by", {}, why), h("b", {}, "–"));
  }
  const changed = ledger.steps.length > 0;
  if (isBlind(item) || more) {
    const whose = isBlind(item)
      ? "Yours, the judge is hidden"
      : `Yours; counts once ${more} more ${more === 1 ? "is" : "are"} done`;
    return h("p.final", {}, h("span.by", {}, whose), h("b", {}, printed(now.final)));
  }
  if (!judge.final)
    return h(
      "p.final",
      {},
      h("span.by", {}, "Filled in by people"),
      h("b", {}, printed(now.final)),
    );
  if (!changed)
    return h(
      "p.final",
      {},
      h("span.by", {}, left.length ? "Judge, unchanged so far" : "Judge, confirmed"),
      h("b", {}, printed(now.final)),
    );
  return h(
    "p.final",
    {},
    h("span.by", {}, alone ? "Judge → yours" : "Judge → now"),
    h("span.was", {}, `${printed(judge.final)}`),
    h("span.arrow", {}, "→"),
    h("b", {}, printed(now.final)),
    h("span.delta", {}, total.n === 0n ? "±0" : signed(total)),
  );
}

function ledgerFacts({ steps, cap, total }) {
  const lines = steps.map(({ decision: d, from, to, effect: size }) => [
    d.unit,
    causeSaid(d),
    d.reviewer,
    d.pending,
    d.at,
    stateSaid(from),
    stateSaid(to),
    size && signed(size),
  ]);
  return [lines, cap?.words, total && signed(total)];
}

function effects(desk, { ledger, item }) {
  const { steps, cap, total } = ledger;
  if (isBlind(item))
    return h("span", {}, "Nothing about the judge is sent to this page until you commit.");
  if (!steps.length) return h("span", {}, "No changes yet.");
  const shown = steps.map((s) => effect(desk, s));
  if (cap) shown.push(h("span.effect", {}, h("b", {}, signed(cap.effect)), ` cap: ${cap.words}`));
  if (total && total.n === 0n)
    shown.push(h("span.effect", {}, h("b", {}, "= 0.00"), " Changed, same final"));
  else if (total) shown.push(h("span.effect", {}, h("b", {}, `= ${signed(total)}`)));
  return shown;
}

function effect(desk, { decision, from, to, effect: size }) {
  const { unit, reviewer, at } = decision;
  const cause = causeSaid(decision);
  const kind = from.unit.kind;
  const by = `${who(reviewer, desk.model.me)} ${clock(at)}`;
  return h(
    "span.effect",
    {},
    size && h("b", {}, signed(size)),
    ` ${unit} `,
    h("b", {}, `${stateSaid(from, kind)} → ${stateSaid(to, kind)}`),
    cause ? ` ${cause}, ${by}` : ` ${by}`,
  );
}

function ruleWords(item) {
  if (item.formula === "share") return "exact share, printed with two decimals";
  return item.rounding === "up" ? "rounded up on each line" : "half up on each line";
}

export function drawQuestion(node, desk, view) {
  const { item } = view;
  const { run } = desk.model;
  const name = `${item.id}:question`;
  const expanded = desk.expanded.has(name);
  const long = (item.question ?? "").length > 150 || (item.answer ?? "").length > 150;
  const place = [run.name, item.example, run.dataset, item.row && `row ${item.row}`];
  place.push(run.judge, run.model, run.prompt);
  const flag = flagWords(desk, item);
  patch(node, [
    block("facts", [desk.trouble, elsewhere(desk), place, flag], ([trouble, unwritten]) => {
      if (trouble) return h("p.facts.bad", { role: "alert" }, trouble);
      if (unwritten) return unwrittenNotice(desk, unwritten);
      return h(
        "p.facts",
        { title: place.filter(Boolean).join(" · ") },
        flag && h("b.flagged", {}, glyph("⚑"), h("bdi", {}, flag)),
        place
          .filter(Boolean)
          .flatMap((p, i) => [i ? " · " : "", h(i === 1 ? "code" : "bdi", {}, p)]),
      );
    }),
    block("question", [item.question, expanded], ([text]) =>
      text
        ? prose(expanded ? "h2.whole" : "h2", text)
        : h("h2.empty", {}, "This example has no question."),
    ),
    item.answer &&
      block("answer", [item.answer, expanded], ([text]) =>
        h(
          expanded ? "p.answer.whole" : "p.answer.clamp1",
          { dir: "auto" },
          h("b", { dir: "ltr" }, "Answer"),
          " ",
          text,
        ),
      ),
    long &&
      block("fold", [name, expanded], () =>
        button(
          ".fold",
          { "aria-expanded": String(expanded), onclick: () => desk.acts.toggleText(name) },
          expanded ? "Fold" : "Show all of question and answer",
        ),
      ),
  ]);
}

/** Who asks for another look at the example, and why. */
function flagWords({ model }, item) {
  const flag = model.flagged(item);
  if (!flag) return null;
  const by = `Flagged by ${who(flag.by, model.me)}`;
  return flag.note ? `${by}: ${flag.note}` : by;
}

/** An act on another example that was not written: {label, index}, index null if not in this list. */
function elsewhere({ model }) {
  const other = model.outbox.unwritten.find((o) => o.judgement !== model.id);
  if (!other) return null;
  const index = model.order.indexOf(other.judgement);
  return { label: other.unit, index: index < 0 ? null : index };
}

function unwrittenNotice(desk, { label, index }) {
  const where = index === null ? "an example of another list" : `example ${index + 1}`;
  return h(
    "p.facts.bad",
    { role: "alert" },
    label === null
      ? `What you did on ${where} was not written. `
      : `What you decided on ${label} of ${where} was not written. `,
    index !== null && button(".small", { onclick: () => desk.acts.goTo(index, label) }, "Show it"),
  );
}
