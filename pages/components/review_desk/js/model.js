// What the desk knows and decides: takes in what Python sent, and turns a person's wish into an act.
// No DOM here.
import { effectiveUnits, sameState } from "./decisions.js";
import { recalledNote } from "./memory.js";
import { Viewing } from "./viewing.js";

const BULK = ["recall_run", "undo_bulk"]; // acts on the whole run

export class Model extends Viewing {
  constructor(reviewer) {
    super(reviewer);
    this.standing = null; // counts of the queues, the stop rule in words
  }

  /** Take in what Python sent; returns what changed for the person. */
  receive(data) {
    this.run = data.run;
    this.standing = data.standing ?? this.standing;
    if (data.guest) this.brought.set(data.guest, "chosen");
    this.becomeBlind(data.person);
    if (data.reviewer !== this.me) this.become(data.reviewer);
    if (data.order && data.order_key !== this.orderKey) {
      this.takeOrder(data.order, this.id ?? data.open);
      this.orderKey = data.order_key;
    }
    for (const item of data.items) this.items.set(item.id, item);
    for (const { entry, answer } of this.outbox.settle(data.answers)) {
      for (const decision of answer.decisions ?? []) this.append(entry.judgement, decision);
      if (BULK.includes(entry.what)) this.takenOver(entry, answer);
      if (answer.drawn && answer.drawn !== entry.judgement)
        this.takeDraw(entry.judgement, answer.drawn);
    }
    this.evict();
  }

  /** What was fetched before the person chose to review blind, or stopped, must come anew. */
  becomeBlind(person) {
    const changed = this.person && this.person.blind !== person.blind;
    this.person = person;
    if (!changed) return;
    for (const id of [...this.items.keys()]) if (id !== this.id) this.items.delete(id);
  }

  /** Many examples were decided at once, or not at all: what was fetched before is old. */
  takenOver(entry, { bulk = null }) {
    const undone = entry.what === "undo_bulk";
    this.memoryOfRun = { waiting: false, done: bulk && { ...bulk, undone } };
    if (bulk) for (const id of [...this.items.keys()]) if (id !== this.id) this.items.delete(id);
  }

  /**
   * Decide on a unit of the example on screen: `after` is the state it leaves. The act counts at
   * once and waits in the outbox for its answer.
   */
  act(effective, action, after, { cause = null, note = "", undoes = null, ...more } = {}) {
    const { unit } = effective;
    const before = { kind: effective.kind, score: effective.score, excluded: effective.excluded };
    this.setDraft(unit.label, null);
    this.message = null;
    this.leftBehind = null;
    return this.outbox.add({
      judgement: this.id,
      unit: unit.label,
      kind: unit.kind,
      index: unit.index,
      action,
      score:
        action === "set" || action === "resolve" || after.score !== before.score
          ? after.score
          : null,
      to_kind: action === "move" || action === "resolve" ? after.kind : null,
      cause,
      note,
      seen: this.seen(unit.label),
      before,
      after,
      undoes,
      reviewer: this.me,
      at: new Date().toISOString(),
      ...more,
    });
  }

  /** An act on the whole example on screen, as Python knows it by `what`. */
  actOnAll(what, more = {}) {
    const at = new Date().toISOString();
    return this.outbox.add({ what, judgement: this.id, reviewer: this.me, at, ...more });
  }

  set(effective, score) {
    const after = { kind: effective.kind, score, excluded: false };
    const judged = { kind: effective.unit.kind, score: effective.unit.score, excluded: false };
    const { cause, note } = this.remark(effective);
    return this.change(effective, "set", after, {
      cause: sameState(after, judged) ? null : cause,
      note,
    });
  }

  confirm(effective) {
    const after = { kind: effective.kind, score: effective.score, excluded: effective.excluded };
    return this.act(effective, "confirm", after, { note: this.remark(effective).note });
  }

  /** Take the unit out of the formula; a duplicate names its twin. */
  exclude(effective, twin = null) {
    const after = { kind: effective.kind, score: effective.score, excluded: true };
    return this.change(effective, "exclude", after, { ...this.remark(effective), twin });
  }

  /** Count a passage as the other kind, with the score it has or a new one on the new scale. */
  moveTo(effective, kind, score = effective.score) {
    const after = { kind, score, excluded: false };
    return this.change(effective, "move", after, this.remark(effective));
  }

  /** An act that changes what counts; where the run asks for a note with it, it waits for one. */
  change(effective, action, after, { cause, note, ...more }) {
    const contested = effective.basis === "disputed" || effective.basis === "resolved";
    if (contested && action !== "resolve")
      return this.resolve(effective, after, { remark: { cause, note } });
    if (!this.run.notes_required || note.trim() || sameState(after, effective)) {
      return this.act(effective, action, after, { cause, note, ...more });
    }
    const held = { action, after, more };
    this.setDraft(effective.unit.label, { cause, note, editing: true, held });
    return null;
  }

  /** Take over what was decided on the unit in another run. */
  recall(effective) {
    const { memory } = effective.unit;
    const { kind, score } = effective;
    const after = memory.state.excluded ? { kind, score, excluded: true } : memory.state;
    const action = sameState(after, effective)
      ? "confirm"
      : after.excluded
        ? "exclude"
        : after.kind === kind
          ? "set"
          : "move";
    return this.act(effective, action, after, {
      cause: memory.cause,
      note: recalledNote(memory),
      what: "recall",
      recalled: memory.judgement,
    });
  }

  /** Settle a difference: keep what the decision `keep` says, or set a third state. */
  resolve(effective, after, { keep = null, remark = this.remark(effective) } = {}) {
    const exclude = keep === null && after.excluded;
    return this.change(effective, "resolve", after, { ...remark, what: "resolve", keep, exclude });
  }

  undo(effective, decisions) {
    const own = this.undoable(effective);
    if (!own) return null;
    const without = decisions.filter((d) => d.id !== own.id);
    const [left] = effectiveUnits([effective.unit], without);
    const after = { kind: left.kind, score: left.score, excluded: left.excluded };
    return this.act(effective, "undo", after, { undoes: own.id });
  }

  /**
   * Keep a cause and a note. On a unit that the person has decided they are written at once, as
   * one more row that confirms the same state; else they wait for the decision.
   */
  annotate(effective, { cause, note }) {
    const { decision, basis } = effective;
    if (
      decision?.reviewer !== this.me ||
      basis === "agreed" ||
      (effective.score === null && !effective.excluded)
    ) {
      this.setDraft(effective.unit.label, { cause, note });
      return null;
    }
    if (decision.cause === cause && decision.note === note) {
      this.setDraft(effective.unit.label, null);
      return null;
    }
    const after = { kind: effective.kind, score: effective.score, excluded: effective.excluded };
    if (basis === "resolved") return this.resolve(effective, after, { remark: { cause, note } });
    return this.act(effective, "confirm", after, { cause, note });
  }
}
