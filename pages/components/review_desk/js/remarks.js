// Below the score keys of the open unit: why, what that does to the formula, and the note.
import { isBlind } from "./blind.js";
import { leavesNothing } from "./decisions.js";
import { block, button, h } from "./dom.js";
import { CAUSES, kindWords, onScale, scaleOf } from "./words.js";

/** Causes and note show after a change, or when the person asks for the note. */
export function remarkBlocks(desk, view, effective) {
  const { unit } = effective;
  const draft = desk.model.draft(unit.label);
  const { cause, note } = desk.model.remark(effective);
  const touched = effective.changed && effective.decision?.reviewer === desk.model.me;
  if (!touched && !draft) return [];
  return [
    causeRow(desk, effective, cause),
    consequence(desk, view, effective, cause),
    draft?.editing ? editor(desk, effective, note) : noteShown(desk, note),
    draft &&
      !draft.editing &&
      block("kept", Boolean(effective.decision), () =>
        h("p.hint", {}, "Kept here until you confirm or change the score."),
      ),
  ];
}

/** While the judge is hidden nobody can say that it is wrong. */
function causesOf(desk, { kind }) {
  const blind = isBlind(desk.model.item);
  return CAUSES.filter((c) => (!c.only || c.only === kind) && !(blind && c.ofJudge));
}

function causeRow(desk, effective, cause) {
  const { unit } = effective;
  const causes = causesOf(desk, unit);
  return block("causes", { cause, causes, label: unit.label }, () =>
    h(
      "div.causes",
      { role: "group", "aria-label": `Why ${unit.label} changes` },
      h("span.ask", {}, "Why?"),
      causes.map((c) =>
        button(
          ".cause",
          { "aria-pressed": String(c.value === cause), onclick: () => desk.acts.cause(c.value) },
          c.words,
        ),
      ),
    ),
  );
}

/** What the cause can do to the formula, said before it is done. */
function consequence(desk, view, effective, cause) {
  const { unit, excluded, kind } = effective;
  if (excluded) return null;
  const others = view.units.filter((u) => u !== effective && !u.excluded).map((u) => u.unit.label);
  const target = { "should be bonus": "bonus", "should be essential": "essential" }[cause];
  const empties = leavesNothing(view.item, view.units, unit.label) && target !== "essential";
  const facts = { cause, kind, others, empties, label: unit.label };
  if (cause === "ground truth wrong") {
    return block("then", facts, () =>
      then(
        button(
          ".small",
          { onclick: () => desk.acts.exclude() },
          `Exclude ${unit.label} from the formula`,
        ),
        empties && voidNotice(view.item, unit.label),
      ),
    );
  }
  if (cause === "duplicate" && others.length) {
    return block("then", facts, () =>
      then(
        h("span", {}, `Say which unit ${unit.label} repeats, and it is excluded:`),
        others.map((other) => button(
            ".small",
            { label: `${unit.label} repeats ${other}`, onclick: () => desk.acts.exclude(other) },
            other,
          ),
        ),
        empties && voidNotice(view.item, unit.label),
      ),
    );
  }
  if (!target || target === kind) return null;
  const name = kindWords(target).name.toLowerCase();
  return block("then", [facts, effective.score], () =>
    then(
      effective.score === null || onScale(effective.score, target)
        ? button(
            ".small",
            { onclick: () => desk.acts.moveTo(target) },
            `Count ${unit.label} as ${name}`,
          )
        : newScore(desk, target, `Count ${unit.label} as ${name}, with the score`),
      empties && voidNotice(view.item, unit.label),
    ),
  );
}

/** A score that the new scale does not have is asked for again. */
function newScore(desk, kind, words) {
  const { lowest, highest } = scaleOf(kind);
  const scores = Array.from({ length: highest - lowest + 1 }, (_, i) => String(lowest + i));
  return [
    h("span", {}, words),
    scores.map((score) =>
      button(".small", { onclick: () => desk.acts.moveTo(kind, score) }, score),
    ),
  ];
}

function then(...children) {
  return h("div.then", {}, ...children);
}

function voidNotice(item, label) {
  const what = item.formula === "passage" ? "the last essential passage" : "the last unit";
  return h(
    "p.hint",
    {},
    `${label} is ${what}. Without it this example has no final score: it is void, left out of the mean, and counted as void.`,
  );
}

function editor(desk, effective, note) {
  const { label } = effective.unit;
  const held = desk.model.draft(label)?.held ?? null;
  return block("note", { editing: true, label, held: held !== null }, () => {
    const id = `note-${label}`;
    const area = h("textarea", {
      id,
      rows: "2",
      dir: "auto",
      maxlength: "4000",
      oninput: (e) => desk.acts.noteTyped(label, e.target.value),
    });
    area.value = note;
    const words =
      held === null
        ? `Note on ${label}`
        : `Note on ${label}: this run asks for one with every change`;
    return h(
      "div.note.editing",
      {},
      h("label", { for: id }, words),
      area,
      h("p.hint", {}, "Enter keeps it, Shift+Enter starts a line, Esc leaves it as it was."),
    );
  });
}

function noteShown(desk, note) {
  if (!note) return null;
  return block("note", { note }, () =>
    h("p.note.shown", { dir: "auto", onclick: () => desk.acts.note() }, note),
  );
}
