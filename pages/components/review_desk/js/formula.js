// The scoring formulas of recall_core/scoring.py once more, so that a final follows a key at once.
// Exact fractions throughout; a test holds both to the same results. No DOM here.

/** A fraction from "7/2", "3", "4.25" or a number. */
export function fraction(value) {
  const [top, bottom = "1"] = String(value).split("/");
  const [whole, decimals = ""] = top.split(".");
  return reduced(BigInt(whole + decimals), BigInt(bottom) * 10n ** BigInt(decimals.length));
}

export function plus(a, b) {
  return reduced(a.n * b.d + b.n * a.d, a.d * b.d);
}

export function minus(a, b) {
  return reduced(a.n * b.d - b.n * a.d, a.d * b.d);
}

/** Negative, 0 or positive as a is less than, equal to or more than b. */
export function compare(a, b) {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** At most two decimals; "half_up" looks at the third, "up" never goes down. For values >= 0. */
export function rounded(value, rounding = "half_up") {
  const whole = (value.n * 100n) / value.d;
  const rest = reduced(value.n * 100n - whole * value.d, value.d);
  const up = rounding === "up" ? rest.n > 0n : rest.n * 2n >= rest.d;
  return reduced(whole + (up ? 1n : 0n), 100n);
}

/** At most two decimals, no trailing zeros: "3.5", "4", "0.67". */
export function printed(value) {
  return twoDecimals(value).replace(/\.?0+$/, "");
}

/** Always two decimals: "3.50". For values >= 0. */
export function twoDecimals(value) {
  const number = rounded(value);
  const digits = ((number.n * 100n) / number.d).toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A difference with its sign and a real minus: "+0.50", "−1.25", "0.00". */
export function signed(value) {
  const size = twoDecimals(value.n < 0n ? { n: -value.n, d: value.d } : value);
  if (size === "0.00") return size;
  return (value.n < 0n ? "−" : "+") + size;
}

export function asNumber(value) {
  return Number(value.n) / Number(value.d);
}

/**
 * The score trace of one example.
 *
 * `units` are {kind, label, score} of every unit that counts, score a fraction or null;
 * `excluded` says how many a person took out. Each line's `parts` are {text, unit}: joined they are
 * the printed expression, and `unit` names the unit whose score a part is.
 */
export function traceOf(formula, units, { rounding = "half_up", excluded = 0 } = {}) {
  if (formula === "share") return shareTrace(units, excluded);
  const essential = units.filter((u) => u.kind === "essential");
  const bonus = units.filter((u) => u.kind === "bonus");
  return passageTrace(essential, bonus, rounding);
}

function passageTrace(essential, bonus, rounding) {
  if (!essential.length) return withoutFinal("void");
  const missing = [...essential, ...bonus].filter((u) => u.score === null).map((u) => u.label);
  if (missing.length) return withoutFinal("incomplete", missing);
  const e = BigInt(essential.length);
  const b = BigInt(bonus.length);
  const essentialPart = rounded(over(total(essential), e), rounding);
  const bonusPart = b ? rounded(over(total(bonus), e * b * 2n), rounding) : fraction(0);
  const combined = plus(essentialPart, bonusPart);
  const cap = fraction(5);
  const capped = compare(combined, cap) > 0;
  const final = capped ? cap : combined;
  const lines = [
    line("RECALL_Essential_Formula", [...sum(essential), plain(` / ${e}`)], essentialPart),
    line("RECALL_Bonus_Formula", [...sum(bonus), plain(` / (${e} * ${b} * 2)`)], bonusPart),
    line(
      "RECALL_Combined_Formula",
      [plain(`${printed(essentialPart)} + ${printed(bonusPart)}`)],
      combined,
    ),
    line("RECALL_Final_Score_Calculation", [plain(`min(5, ${printed(combined)})`)], final),
    line("RECALL_Final_Score", [], final),
  ];
  const parts = { essential: essentialPart, bonus: bonusPart, combined };
  return { state: "scored", final, lines, capped, missing: [], ...parts };
}

function shareTrace(units, excluded) {
  if (!units.length && excluded) return withoutFinal("void");
  if (!units.length) {
    const one = fraction(1);
    const lines = [line("Recall", [plain("nothing was expected")], one)];
    return { state: "vacuous", final: one, combined: one, lines, capped: false, missing: [] };
  }
  const missing = units.filter((u) => u.score === null).map((u) => u.label);
  if (missing.length) return withoutFinal("incomplete", missing);
  const found = total(units);
  const share = over(found, BigInt(units.length));
  const lines = [line("Recall", [plain(printed(found)), plain(` / ${units.length}`)], share)];
  return { state: "scored", final: share, combined: share, lines, capped: false, missing: [] };
}

/** A trace that has no final: "incomplete" for want of scores, or "void". */
export function withoutFinal(state, missing = []) {
  return { state, final: null, combined: null, lines: [], capped: false, missing };
}

function line(label, parts, value) {
  return { label, parts, value: printed(value) };
}

function plain(text) {
  return { text, unit: null };
}

/** "(4 + 3)", or "(0)" for none, term by term. */
function sum(units) {
  const terms = units.length
    ? units.map((u) => ({ text: printed(u.score), unit: u.label }))
    : [plain("0")];
  return [plain("("), ...terms.flatMap((t, i) => (i ? [plain(" + "), t] : [t])), plain(")")];
}

function total(units) {
  return units.reduce((all, u) => plus(all, u.score), fraction(0));
}

function over(value, divisor) {
  return reduced(value.n, value.d * divisor);
}

function reduced(n, d) {
  let [a, b] = [n < 0n ? -n : n, d];
  while (b) [a, b] = [b, a % b];
  return a > 1n ? { n: n / a, d: d / a } : { n, d };
}
