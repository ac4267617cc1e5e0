// What counts for each unit, from the judge's verdicts and people's decisions, as
// recall_core/effective.py has it; and the ledger that explains the way from one to the other.
// Values in, values out; no DOM here.
import { compare, fraction, minus, printed, rounded, traceOf, withoutFinal } from "./formula.js";

/** The decisions that no undo has taken back, oldest first, without the undos themselves. */
export function standing(decisions) {
  const undone = new Set(decisions.filter((d) => d.action === "undo").map((d) => d.undoes));
  return decisions.filter((d) => d.action !== "undo" && !undone.has(d.id));
}

/**
 * One entry a unit, in the units' order: {unit, kind, score, excluded, decision, changed, made}:
 * `made` by whom the state is that counts.
 *
 * A resolution counts, else the newest standing decision, else the judge's verdict. `decisions`
 * are the example's, oldest first.
 */
export function effectiveUnits(units, decisions) {
  return units.map((unit) => {
    const stand = standing(decisions.filter((d) => d.unit === unit.label));
    const resolved = stand.filter((d) => d.action === "resolve");
    const newest = (resolved.length ? resolved : stand).at(-1) ?? null;
    const judged = { kind: unit.kind, score: unit.score, excluded: false };
    if (!newest || newest.action === "unset") {
      return { unit, ...judged, decision: null, changed: false };
    }
    const changed = !sameState(newest.after, judged);
    return { unit, ...newest.after, decision: newest, changed, made: makerOf(stand, newest) };
  });
}

/** Who made the state that counts: the first of all who left it so, not who agreed with it later. */
function makerOf(stand, newest) {
  const before = stand.slice(0, stand.indexOf(newest));
  const other = before.findLastIndex((d) => !sameState(d.after, newest.after));
  return [...before.slice(other + 1), newest][0].reviewer;
}

/**
 * What counts for each unit of an example, with `basis`: who it is by.
 *
 * Where independent reviewers are all done, the server says what counts, and only a settlement that
 * it has not answered yet lies over that.
 */
export function currentUnits(item, decisions) {
  return effectiveUnits(item.units, decisions).map((own) =>
    own.unit.counts
      ? countedUnit(own.unit, decisions)
      : { ...own, basis: own.decision ? "reviewer" : "judge" },
  );
}

function countedUnit(unit, decisions) {
  const judged = { kind: unit.kind, score: unit.score, excluded: false };
  const waiting = decisions.filter((d) => d.unit === unit.label && d.pending);
  const settled = standing(waiting).findLast((d) => d.action === "resolve");
  const { decision, basis, state } = unit.counts;
  if (settled) return counted(unit, settled.after, settled, "resolved", judged);
  if (basis === "resolved" && waiting.some((d) => d.undoes === decision.id))
    return counted(unit, judged, null, "disputed", judged);
  return counted(unit, state, decision, basis, judged);
}

function counted(unit, state, decision, basis, judged) {
  const made = decision?.reviewer ?? null;
  return { unit, ...state, decision, basis, changed: !sameState(state, judged), made };
}

/** The decisions whose replay, one after the other, ends at what counts now. */
export function replayed(item, units, decisions) {
  if (!item.units.some((u) => u.counts)) return decisions;
  return units
    .filter((u) => u.decision)
    .map(({ unit, kind, score, excluded, decision }) => ({
      ...decision,
      action: "set",
      before: { kind: unit.kind, score: unit.score, excluded: false },
      after: { kind, score, excluded },
    }))
    .sort((a, b) => Number(Boolean(a.pending)) - Number(Boolean(b.pending)) || a.id - b.id);
}

export function sameState(a, b) {
  return a.kind === b.kind && a.excluded === b.excluded && sameScore(a.score, b.score);
}

function sameScore(a, b) {
  if (a === null || b === null) return a === b;
  return compare(fraction(a), fraction(b)) === 0;
}

/**
 * The trace of effective units (or of the judge's alone, from `effectiveUnits(units, [])`).
 *
 * A judge that failed has no final, whatever verdicts had arrived; the example gets one as soon as
 * a person has decided and every unit has a score.
 */
export function traceOfUnits(item, effective) {
  if (item.status !== "processed" && !effective.some((e) => e.decision)) {
    const missing = effective.filter((e) => e.score === null).map((e) => e.unit.label);
    return withoutFinal("incomplete", missing);
  }
  const counted = effective.filter((e) => !e.excluded);
  const scores = counted.map((e) => ({
    kind: e.kind,
    label: e.unit.label,
    score: e.score === null ? null : fraction(e.score),
  }));
  const excluded = effective.length - counted.length;
  return traceOf(item.formula, scores, { rounding: item.rounding, excluded });
}

/**
 * What each change did to the final, in the order they were made.
 *
 * Every step is the printed combined score after it minus the one before it; what the cap takes or
 * gives back is a step of its own, so the effects always add up to the change of the final. A step
 * that leaves no combined score (`effect` null) hands its difference to the next one that has one.
 */
export function ledger(item, decisions) {
  const first = traceOfUnits(item, effectiveUnits(item.units, []));
  const steps = [];
  const made = [];
  let before = effectiveUnits(item.units, []);
  let known = first.combined;
  for (const decision of standing(decisions)) {
    made.push(decision);
    const after = effectiveUnits(item.units, made);
    const index = after.findIndex((e) => e.unit.label === decision.unit);
    if (index < 0) continue;
    if (sameState(before[index], after[index])) {
      annotate(steps, decision);
    } else {
      const { combined } = traceOfUnits(item, after);
      steps.push({
        decision,
        from: before[index],
        to: after[index],
        effect: step(known, combined),
      });
      known = combined ?? known;
    }
    before = after;
  }
  const last = traceOfUnits(item, before);
  return { steps, cap: capStep(first, last), judge: first, now: last, total: change(first, last) };
}

/** A later note or cause on the same unit by the same person belongs to the change it explains. */
function annotate(steps, decision) {
  const own = steps.findLast((s) => s.decision.unit === decision.unit);
  if (!own || own.decision.reviewer !== decision.reviewer) return;
  own.decision = { ...own.decision, cause: decision.cause, note: decision.note };
}

function step(before, after) {
  if (!before || !after) return null;
  return minus(rounded(after), rounded(before));
}

function change(first, last) {
  return first.final && last.final ? minus(rounded(last.final), rounded(first.final)) : null;
}

function capStep(first, last) {
  if (!first.final || !last.final) return null;
  const taken = (t) => minus(t.final, t.combined);
  const effect = minus(taken(last), taken(first));
  if (effect.n === 0n) return null;
  const words = [];
  if (first.capped) words.push(`judge’s ${printed(first.combined)} counted as 5`);
  if (last.capped) words.push(`${printed(last.combined)} now counts as 5`);
  return { effect, words: words.join(", ") };
}

/** The final that counts now, as it is printed in lists; a dash where there is none. */
export function finalSaid(item) {
  const { final } = traceOfUnits(item, currentUnits(item, item.decisions));
  return final ? printed(final) : "–";
}

/** Whether taking this unit out would leave nothing to score. */
export function leavesNothing(item, effective, label) {
  const left = effective.filter((e) => !e.excluded && e.unit.label !== label);
  return item.formula === "passage" ? !left.some((e) => e.kind === "essential") : !left.length;
}
