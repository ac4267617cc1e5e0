// What the desk knows: the frozen order of the list, a window of its examples, which unit is open,
// notes that are being typed, and the outbox. No DOM here.
import { effectiveUnits, ledger, sameState } from "./decisions.js";
import { Kept } from "./keeping.js";
import { Outbox, asDecision } from "./outbox.js";

const AHEAD = 80;
const REFILL = 60;
const BEHIND = 40;
const KEPT = 240;

export class Model {
  constructor(reviewer) {
    this.become(reviewer);
    this.order = [];
    this.orderKey = null;
    this.at = 0;
    this.items = new Map();
    this.run = {};
    this.opened = new Map();
    this.message = null;
    this.leftBehind = null; // what Ctrl+Enter just confirmed on the example before: {index, labels}
  }

  /** Acts and notes belong to the name under which they were made. */
  become(reviewer) {
    this.me = reviewer;
    this.outbox = new Outbox(reviewer);
    this.notes = new Kept("notes", reviewer);
    this.drafts = new Map(Object.entries(this.notes.read()));
  }

  /** Take in what Python sent; returns what changed for the person. */
  receive(data) {
    this.run = data.run;
    if (data.reviewer !== this.me) this.become(data.reviewer);
    if (data.order && data.order_key !== this.orderKey) {
      this.takeOrder(data.order, this.id ?? data.open);
      this.orderKey = data.order_key;
    }
    for (const item of data.items) this.items.set(item.id, item);
    for (const { entry, answer } of this.outbox.settle(data.answers)) {
      for (const decision of answer.decisions ?? []) this.append(entry.judgement, decision);
    }
    this.evict();
  }

  /** Another order of the list: what is on screen stays there, though the list has dropped it. */
  takeOrder(order, shown) {
    const index = order.indexOf(shown);
    const place = index < 0 ? Math.min(this.at, order.length) : index;
    this.order = index < 0 ? [...order.slice(0, place), shown, ...order.slice(place)] : order;
    this.at = place;
  }

  append(judgement, decision) {
    const item = this.items.get(judgement);
    if (!item || item.decisions.some((d) => d.id === decision.id)) return;
    const decisions = [...item.decisions, decision].sort((a, b) => a.id - b.id);
    this.items.set(judgement, { ...item, decisions });
  }

  evict() {
    if (this.items.size <= KEPT) return;
    const near = new Set(this.order.slice(Math.max(0, this.at - KEPT / 2), this.at + KEPT / 2));
    for (const id of this.items.keys()) if (!near.has(id)) this.items.delete(id);
  }

  get id() {
    return this.order[this.at];
  }

  /** The example on screen, or undefined while it is still on its way. */
  get item() {
    return this.items.get(this.id);
  }

  /** Ids to ask for: twenty more as soon as fewer than sixty stand ahead, and what is behind. */
  wanted() {
    const missing = (from, to) =>
      this.order.slice(Math.max(0, from), Math.max(0, to)).filter((id) => !this.items.has(id));
    const { at } = this;
    if (!missing(at, at + REFILL + 1).length && !missing(at - 10, at).length) return [];
    return [...missing(at, at + AHEAD + 1), ...missing(at - BEHIND, at).reverse()];
  }

  /** The newest decision known on the example on screen, so that Python can tell if it is stale. */
  newest() {
    return this.item?.decisions?.at(-1)?.id ?? 0;
  }

  /** Everything the screen shows of one example, with unanswered acts already counted. */
  view(item = this.item) {
    const pending = this.outbox.decidingOn(item.id).map(asDecision);
    const decisions = [...item.decisions, ...pending];
    const units = effectiveUnits(item.units, decisions);
    const left = units.filter((u) => !u.decision);
    return {
      item,
      decisions,
      units,
      left,
      confirmable: left.filter((u) => u.score !== null && !this.waits(item, u)),
      open: this.openLabel(item, units),
      ledger: ledger(item, decisions),
    };
  }

  /** Whether a change of the unit waits for the note that the run asks for. */
  waits(item, { unit }) {
    return Boolean(this.drafts.get(`${item.id}:${unit.label}`)?.held);
  }

  openLabel(item, units) {
    const chosen = this.opened.get(item.id);
    if (units.some((u) => u.unit.label === chosen)) return chosen;
    const overtaken = units.find((u) => this.outbox.conflictOn(item.id, u.unit.label));
    const first = overtaken ?? units.find((u) => !u.decision) ?? units[0];
    if (first) this.opened.set(item.id, first.unit.label);
    return first?.unit.label ?? null;
  }

  openUnit(label) {
    this.opened.set(this.id, label);
    this.message = null;
    this.leftBehind = null;
  }

  move(step) {
    return this.goTo(this.at + step);
  }

  goTo(index) {
    if (index < 0 || index >= this.order.length || index === this.at) return false;
    this.at = index;
    this.message = null;
    this.leftBehind = null;
    return true;
  }

  draft(label) {
    return this.drafts.get(`${this.id}:${label}`) ?? null;
  }

  setDraft(label, draft) {
    const key = `${this.id}:${label}`;
    if (draft) this.drafts.set(key, draft);
    else if (!this.drafts.delete(key)) return;
    this.notes.write(Object.fromEntries(this.drafts));
  }

  /** The cause and note that belong to a unit: being written, else of the person's own decision. */
  remark(effective) {
    const own = effective.decision?.reviewer === this.me ? effective.decision : null;
    const draft = this.draft(effective.unit.label);
    return {
      cause: draft?.cause !== undefined ? draft.cause : (own?.cause ?? null),
      note: draft?.note !== undefined ? draft.note : (own?.note ?? ""),
    };
  }

  /**
   * Decide on a unit of the example on screen: `after` is the state it leaves. The act counts at
   * once and waits in the outbox for its answer.
   */
  act(effective, action, after, { cause = null, note = "", undoes = null } = {}) {
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
      score: action === "set" || after.score !== before.score ? after.score : null,
      to_kind: action === "move" ? after.kind : null,
      cause,
      note,
      seen: this.seen(unit.label),
      before,
      after,
      undoes,
      reviewer: this.me,
      at: new Date().toISOString(),
    });
  }

  /** The newest decision on the unit that has reached this browser; 0 for none. */
  seen(label) {
    return this.item.decisions.filter((d) => d.unit === label).at(-1)?.id ?? 0;
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

  exclude(effective, note = this.remark(effective).note) {
    const after = { kind: effective.kind, score: effective.score, excluded: true };
    return this.change(effective, "exclude", after, { cause: this.remark(effective).cause, note });
  }

  /** Count a passage as the other kind, with the score it has or a new one on the new scale. */
  moveTo(effective, kind, score = effective.score) {
    const after = { kind, score, excluded: false };
    return this.change(effective, "move", after, this.remark(effective));
  }

  /** An act that changes what counts; where the run asks for a note with it, it waits for one. */
  change(effective, action, after, { cause, note }) {
    if (!this.run.notes_required || note.trim() || sameState(after, effective)) {
      return this.act(effective, action, after, { cause, note });
    }
    this.setDraft(effective.unit.label, { cause, note, editing: true, held: { action, after } });
    return null;
  }

  /** What u takes back: the newest standing decision on the unit, if it is the person's own. */
  undoable(effective) {
    const { decision } = effective;
    return decision && decision.reviewer === this.me ? decision : null;
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
    const { decision } = effective;
    if (decision?.reviewer !== this.me || (effective.score === null && !effective.excluded)) {
      this.setDraft(effective.unit.label, { cause, note });
      return null;
    }
    if (decision.cause === cause && decision.note === note) {
      this.setDraft(effective.unit.label, null);
      return null;
    }
    const after = { kind: effective.kind, score: effective.score, excluded: effective.excluded };
    return this.act(effective, "confirm", after, { cause, note });
  }
}
