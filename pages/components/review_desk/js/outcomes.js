// What became of an act that was not written, in the open unit, and what to do about it.
import { block, button, glyph, h } from "./dom.js";
import { actSaid, clock, stateSaid, who } from "./words.js";

/** Somebody else was first, or the database refused; null where all is well. */
export function outcome(desk, effective) {
  const { label, kind } = effective.unit;
  const { outbox, id } = desk.model;
  const conflict = outbox.conflictOn(id, label);
  const refusal = outbox.refusalOn(id, label);
  if (conflict) {
    const theirs = desk.model.item.decisions.filter((d) => d.unit === label).at(-1);
    const mine = stateSaid(conflict.mine.after, kind);
    const facts = { theirs: theirs?.id, mine };
    return block("outcome", facts, () => conflictNotice(desk, effective, theirs, mine, conflict));
  }
  if (!refusal) return null;
  return block("outcome", refusal.sentence, (sentence) =>
    h(
      "div.outcome",
      { role: "alert" },
      h("p", {}, glyph("!"), sentence),
      button(".small", { onclick: () => desk.acts.dismiss(label) }, "Understood"),
    ),
  );
}

/** What became of an act on the whole example that was refused; null where all is well. */
export function outcomeOnAll(desk) {
  const refusal = desk.model.outbox.refusalOn(desk.model.id, null);
  if (!refusal) return null;
  return block("outcome", refusal.sentence, (sentence) =>
    h(
      "div.outcome.notice",
      { role: "alert" },
      h("p", {}, glyph("!"), sentence),
      button(".small", { onclick: () => desk.acts.dismiss(null) }, "Understood"),
    ),
  );
}

function conflictNotice(desk, effective, theirs, mine, conflict) {
  const name = theirs ? who(theirs.reviewer, desk.model.me) : "somebody";
  const subject = name === "you" ? "You, in another tab," : name;
  const act = theirs
    ? `${subject} ${actSaid(theirs)} at ${clock(theirs.at)}`
    : "The unit changed meanwhile";
  const verb = conflict.mine.action === "undo" ? "your undo" : `yours, ${mine},`;
  return h(
    "div.outcome",
    { role: "alert" },
    h("p", {}, glyph("!"), `${act}; ${verb} was not written.`),
    h(
      "div.row",
      {},
      button(
        ".small",
        { onclick: () => desk.acts.keepTheirs(effective.unit.label) },
        name === "you" ? "Keep that" : "Keep theirs",
      ),
      button(
        ".small",
        { onclick: () => desk.acts.setMine(effective.unit.label) },
        conflict.mine.action === "undo" ? "Undo it all the same" : `Set mine, ${mine}`,
      ),
    ),
  );
}
