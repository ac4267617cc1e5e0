// How units, scores, states and times are said. The one place for these words on the desk.
import { asNumber, fraction, printed } from "./formula.js";

const SCALES = {
  essential: { lowest: 1, highest: 5 },
  bonus: { lowest: 0, highest: 5 },
  statement: { lowest: 0, highest: 1 },
  expected_context: { lowest: 0, highest: 1 },
};

const KINDS = {
  essential: { solid: true, name: "Essential", noun: "passage" },
  bonus: { solid: false, name: "Bonus", noun: "passage" },
  statement: { solid: false, name: "Statement", noun: "statement" },
  expected_context: { solid: true, name: "Expected context", noun: "context" },
};

export const CAUSES = [
  { value: "judge wrong", words: "judge wrong", ofJudge: true },
  { value: "ground truth wrong", words: "ground truth wrong" },
  { value: "ground truth ambiguous", words: "ambiguous" },
  { value: "duplicate", words: "duplicate" },
  { value: "should be bonus", words: "should be bonus", only: "essential" },
  { value: "should be essential", words: "should be essential", only: "bonus" },
  { value: "retrieval really missed it", words: "retrieval missed it" },
];

export function scaleOf(kind) {
  return SCALES[kind];
}

export function isYesNo(kind) {
  return kind === "statement" || kind === "expected_context";
}

export function kindWords(kind) {
  return KINDS[kind];
}

/** "4", "✓ Yes", "✕ not found", or a dash where nobody has given a score. */
export function scoreWords(score, kind) {
  if (score === null) return "–";
  if (kind === "statement") return fraction(score).n ? "✓ Yes" : "✕ No";
  if (kind === "expected_context") return fraction(score).n ? "✓ Found" : "✕ Not found";
  return printed(fraction(score));
}

/** The same without the glyph, for sentences: "4", "yes", "not found", "no score". */
export function scoreSaid(score, kind) {
  return score === null
    ? "no score"
    : scoreWords(score, kind)
        .replace(/^[✓✕] /, "")
        .toLowerCase();
}

/** What a state counts as, in a word: "3", "excluded", "bonus 3". */
export function stateSaid(state, kind) {
  if (state.excluded) return "excluded";
  const score = scoreSaid(state.score, state.kind);
  return state.kind === kind ? score : `${KINDS[state.kind].name.toLowerCase()} ${score}`;
}

/** The class of the one colour scale: yes and no as 5 and 1, decimals as the nearest whole. */
export function scoreStep(score, kind) {
  if (score === null) return "none";
  const number = asNumber(fraction(score));
  if (isYesNo(kind)) return number ? "s5" : "s1";
  return `s${Math.max(0, Math.min(5, Math.round(number)))}`;
}

/** Whether a score lies on the scale of a kind; a judge may give any fraction on it. */
export function onScale(score, kind) {
  const { lowest, highest } = SCALES[kind];
  const number = asNumber(fraction(score));
  return number >= lowest && number <= highest;
}

/** Whether a person may give this score: whole numbers, and halves where the run allows them. */
export function allowed(score, kind, halves) {
  const steps = asNumber(fraction(score)) * (halves && !isYesNo(kind) ? 2 : 1);
  return onScale(score, kind) && Number.isInteger(steps);
}

export function outOfScale(score, kind) {
  const { lowest, highest } = SCALES[kind];
  const name = KINDS[kind].name.toLowerCase();
  const an = /^[aeiou]/.test(name) ? "an" : "a";
  const unit = KINDS[kind].noun === "passage" ? `${name} passage` : name;
  return `${score} is not on the scale of ${an} ${unit}, which goes from ${lowest} to ${highest}. Nothing was changed.`;
}

export function who(reviewer, me) {
  return reviewer === me ? "you" : reviewer;
}

/** "14:02" for today, "3 May, 14:02" for another day; in the browser's time zone. */
export function clock(iso, now = new Date()) {
  const at = new Date(iso);
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === now.toDateString()) return time;
  const day = { day: "numeric", month: "short" };
  if (at.getFullYear() !== now.getFullYear()) day.year = "numeric";
  return `${at.toLocaleDateString("en-GB", day)}, ${time}`;
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

/** Why a decision changed a unit, in a word or two; a duplicate names its twin. */
export function causeSaid({ cause, twin }) {
  return cause === "duplicate" && twin ? `duplicate of ${twin}` : cause;
}

/** The act of a decision as a sentence's verb: "set 2", "confirmed 4", "took a change back". */
export function actSaid(decision) {
  const { action, after, cause, note, twin } = decision;
  if (action === "undo") return "took a change back";
  if (action === "exclude") return twin ? `excluded it as ${twin} again` : "excluded it";
  if (action === "resolve") return `settled it at ${stateSaid(after, after.kind)}`;
  if (action === "move") return `counted it as ${KINDS[after.kind].name.toLowerCase()}`;
  if (action === "unset") return "went back to the judge’s value";
  if (action === "confirm" && (cause || note)) return "noted why";
  if (action === "confirm" && after.excluded) return "left it out";
  return `${action === "confirm" ? "confirmed" : "set"} ${scoreSaid(after.score, after.kind)}`;
}
