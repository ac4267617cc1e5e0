// What a person should look at twice in a verdict: a sign and words for each, never a colour alone.
import { fraction, printed } from "./formula.js";
import { block, glyph, h } from "./dom.js";

const MARKS = {
  contradiction: { sign: "!", words: "reasoning against score", loud: true },
  not_found: { sign: "?", words: "quote not found", loud: true },
  conflicting: { sign: "!", words: "conflicting scores", loud: true },
  suspicious: { sign: "!", words: "suspicious text", loud: true },
  disagreement: { sign: "⇄", words: "judges disagree", loud: true },
  spread: { sign: "↕", words: "samples far apart", loud: true },
  fraction: { sign: "½", words: "no whole number" },
  repaired: { sign: "~", words: "reply repaired" },
};

/** The marks of a unit on a line of their own; null where there is nothing to say. */
export function marksLine(unit) {
  const shown = unit.marks.map((mark) => markWords(mark, unit)).filter(Boolean);
  if (unit.spread && !unit.marks.includes("spread"))
    shown.push({ sign: "↕", words: apart(unit.spread) });
  return (
    shown.length > 0 &&
    block("marks", shown, (marks) =>
      h(
        "p.marks",
        {},
        marks.map(({ sign, words, loud }) =>
          h("span.sign", { class: loud ? "loud" : "" }, glyph(sign), words),
        ),
      ),
    )
  );
}

function markWords(mark, unit) {
  const known = MARKS[mark] ?? { sign: "!", words: mark.replaceAll("_", " ") };
  return mark === "spread" ? { ...known, words: apart(unit.spread) } : known;
}

function apart(spread) {
  return `samples ${printed(fraction(spread))} apart`;
}

/** The badge of a passage that talks to a judge, with its words. */
export function suspicion(passage) {
  return (
    passage.suspicious?.length > 0 &&
    h(
      "p.marks",
      {},
      h("span.sign.loud", {}, glyph("!"), "suspicious text"),
      h("span.sign", { dir: "auto" }, passage.suspicious.join(", ")),
    )
  );
}
