// The row of keys of the open unit: its scores, and what can be done with it.
import { block, button, h } from "./dom.js";
import { asNumber, fraction } from "./formula.js";
import { isYesNo, scaleOf, scoreStep, scoreWords } from "./words.js";

export function keysRow(desk, view, effective) {
  const { unit, kind, score, excluded } = effective;
  const { halves } = desk.model.run;
  const held = desk.model.draft(unit.label)?.held?.after ?? null;
  const differ = effective.basis === "disputed"; // so no value is chosen yet
  const shown = held ? held.score : excluded || differ ? null : score;
  const decided = Boolean(effective.decision);
  const next = desk.acts.enterLabel(view, effective);
  const contested = effective.basis === "disputed" || effective.basis === "resolved";
  const undoable = Boolean(desk.model.undoable(effective) || desk.model.leftBehind);
  const noted = Boolean(desk.model.remark(effective).note);
  const facts = {
    kind,
    shown,
    judge: unit.score,
    same: unit.kind === kind,
    decided,
    next,
    undoable,
    halves,
    noted,
    contested,
    differ,
  };
  return block("keys", facts, () =>
    h(
      "div.keys",
      {},
      h(
        "div.scale",
        { role: "group", "aria-label": `Score of ${unit.label}` },
        contested && h("span.ask", {}, "Or set"),
        scoreKeys(desk, effective, shown),
      ),
      h(
        "div.acts",
        {},
        !differ &&
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
    const under = [
      value === judgeAt && "judge",
      !isYesNo(kind) && ends(value, lowest, highest),
    ].find(Boolean);
    const on = at === value;
    const words = isYesNo(kind)
      ? scoreWords(value, kind)
      : on && shown !== value
        ? scoreWords(shown, kind)
        : value;
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
    keys.push(
      h(
        "span.slot",
        {},
        button(".score.half", { key: ".", cap: ".", onclick: () => desk.acts.half() }, "½"),
        h("small", {}, " "),
      ),
    );
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
