// What the judge said about the open unit: its reasoning, its quotes, and what is odd about them.
import { block, button, glyph, h } from "./dom.js";
import { choose, evidenceName, pointing } from "./pointing.js";

const QUOTED = /[“„«"]([^“”„«»"]{6,})[”“»"]/gu;
const QUOTES_SHOWN = 4;

export function reasoning(desk, view, unit) {
  const { reasoning: text, failure, measure, evidence, remarks } = unit;
  return block("why", { text, failure, measure, evidence, remarks }, () =>
    h(
      "div.judge",
      {},
      h(
        "p",
        { dir: "auto" },
        h("b", { dir: "ltr" }, "Judge: "),
        text ? withQuotes(desk, view, unit) : failure || "gave no reasoning.",
      ),
      text && failure && h("p.unfound", {}, failure),
      measure && h("p.measure", {}, measure),
      desk.model.run.model && quoteList(desk, unit),
      evidence.filter((e) => !e.located).map(unfoundQuote),
      remarks.map((words) => h("p.remark", { dir: "auto" }, words)),
    ),
  );
}

function unfoundQuote({ quote, rank }) {
  const where = rank === null ? "" : ` ${rank}`;
  return h(
    "p.unfound",
    { dir: "auto" },
    glyph("?"),
    `Quoted, but not found in the passage${where}: `,
    h("q", {}, quote),
  );
}

/** Each quote on a line; pointing at it lights it up in its passage, choosing keeps it lit. */
function quoteList(desk, unit) {
  const placed = unit.evidence.map((e, i) => ({ ...e, i })).filter((e) => e.located);
  if (!placed.length) return null;
  return h(
    "div.quotes",
    { role: "group", "aria-label": `Quotes for ${unit.label}` },
    placed.slice(0, QUOTES_SHOWN).map((e) => quoteButton(desk, unit, e)),
    placed.length > QUOTES_SHOWN &&
      h("p.measure", {}, `${placed.length - QUOTES_SHOWN} more in the passages.`),
  );
}

function quoteButton(desk, unit, { i, rank, quote }) {
  const name = evidenceName(unit, i);
  return button(
    ".quote",
    {
      title: quote,
      "data-of": name,
      "aria-pressed": String(desk.chosen === name),
      ...pointing(desk, [name]),
      onclick: () => choose(desk, name),
    },
    h("span.unseen", {}, rank === null ? "answer" : "passage "),
    h("span.rank", { "aria-hidden": rank === null }, rank === null ? "A" : String(rank)),
    h("bdi.words", {}, quote),
  );
}

/** The reasoning, with the words in quotation marks that are evidence ready to be pointed at. */
function withQuotes(desk, view, unit) {
  const { reasoning: text } = unit;
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(QUOTED)) {
    const name = evidenceHolding(view.item, unit, found[1]);
    if (!name) continue;
    const quoted = h("span.quoted", pointing(desk, [name]), found[0]);
    parts.push(text.slice(from, found.index), quoted);
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

function evidenceHolding(item, unit, words) {
  const wanted = foldedText(words);
  const texts = new Map((item.retrieved ?? []).map((p) => [p.rank, p.text]));
  texts.set(null, item.answer ?? "");
  const i = unit.evidence.findIndex(
    (e) =>
      e.located &&
      (foldedText(e.quote).includes(wanted) ||
        foldedText((texts.get(e.rank) ?? "").slice(e.start, e.end)).includes(wanted)),
  );
  return i < 0 ? null : evidenceName(unit, i);
}

function foldedText(text) {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
