// Several judges on one example: a row a unit, a column a judge, and words where they disagree.
import { h } from "./dom.js";
import { finalSaid } from "./decisions.js";
import { fraction, printed } from "./formula.js";
import { scoreStep, scoreWords } from "./words.js";

/** The content of the panel; `body` holds the other judgements and the sentences. */
export function judgesBody(desk, view, { others, sentences }) {
  const { item } = view;
  if (!others.length)
    return [
      h("p.empty", {}, "No other run has judged these units. Run another judge on the dataset."),
      sentenceList(sentences),
    ];
  const heads = [
    { judge: desk.model.run.judge, run: "this run" },
    ...others.map((other) => ({ judge: other.judge, run: other.run, href: otherAddress(other) })),
  ];
  return [
    sentenceList(sentences),
    h(
      "table.beside",
      {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Unit"), heads.map(besideHead))),
      h(
        "tbody",
        {},
        item.units.map((unit) => besideRow(unit, others, sentences)),
        h(
          "tr.finals",
          {},
          h("th", { scope: "row" }, "Final"),
          h("td", {}, finalSaid({ ...item, decisions: [] })),
          others.map((other) => h("td", {}, other.final ? printed(fraction(other.final)) : "–")),
        ),
      ),
    ),
    others.some((o) => Object.values(o.scores).some((s) => !s.same_texts)) &&
      h("p.hint", {}, "* looked in other texts, so it does not count as disagreement."),
  ];
}

function sentenceList(sentences) {
  return (
    sentences.length > 0 &&
    h(
      "ul.sentences",
      {},
      sentences.map(({ text }) => h("li", { dir: "auto" }, text)),
    )
  );
}

function besideHead({ judge, run, href }) {
  return h(
    "th",
    { scope: "col" },
    judge,
    h("small", { dir: "auto" }, href ? h("a", { href }, run) : run),
  );
}

function otherAddress({ run_id: run, judgement }) {
  return `?${new URLSearchParams({ run, judgement })}`;
}

function besideRow(unit, others, sentences) {
  const differs = sentences.some((s) => s.unit === unit.label);
  return h(
    "tr",
    { class: differs ? "differs" : "" },
    h("th", { scope: "row" }, unit.label, differs && h("span.sign.loud", {}, "⇄ differs")),
    besideCell(unit, unit.score, unit.reasoning),
    others.map((other) => {
      const score = other.scores[unit.label];
      return score
        ? besideCell(unit, score.score, score.reasoning, !score.same_texts)
        : h("td", {}, "–");
    }),
  );
}

function besideCell(unit, score, why, elsewhere = false) {
  return h(
    "td",
    {},
    h("span.chip", { class: scoreStep(score, unit.kind) }, scoreWords(score, unit.kind)),
    elsewhere && "*",
    why && h("p.reason", { dir: "auto" }, why),
  );
}
