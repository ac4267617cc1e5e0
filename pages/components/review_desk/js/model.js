// What the desk knows: the frozen order of the list, a window of its examples, which unit is open,
// notes that are being typed, and the outbox. No DOM here.
import { currentUnits, effectiveUnits, ledger, replayed, sameState, standing } from "./decisions.js";
import { recalledNote } from "./memory.js";
import { Kept } from "./keeping.js";
import { Outbox, asDecision } from "./outbox.js";
import { calmFrom, withDraw } from "./showing.js";

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
    this.standing = null; // counts of the queues, the stop rule in words
    this.seenQueues = new Map(); // every queue that has been on screen, by name
    this.brought = new Map(); // examples that another queue brought than the list's: id to queue
    this.extra = new Set(); // examples in the order that did not come with the list
    this.told = new Set(); // examples of which Python knows that they were shown
    this.asking = null; // on which example b was pressed, until Python says what is next
    this.news = null; // what the desk did by itself to the example on screen: {id, text}
    this.calmUntil = 0; // no key decides before: the screen has just changed by itself
    this.memoryOfRun = { waiting: false, done: null }; // taking over what was decided elsewhere
    this.leftBehind = null; // what Ctrl+Enter just confirmed on the example before: {index, labels}
  }

  /** Acts and notes belong to the name under which they were made. */
  become(reviewer) {
    this.me = reviewer;
    this.outbox = new Outbox(reviewer, (judgement) => this.tellShown(judgement));
    this.notes = new Kept("notes", reviewer);
    this.drafts = new Map(Object.entries(this.notes.read()));
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
      if (answer.bulk !== undefined) this.takenOver(entry, answer);
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

  /** Another order of the list: what is on screen stays there, though the list has dropped it. */
  takeOrder(order, shown) {
    const index = order.indexOf(shown);
    const place = index < 0 ? Math.min(this.at, order.length) : index;
    this.order = index < 0 ? [...order.slice(0, place), shown, ...order.slice(place)] : order;
    this.at = place;
  }

  /** Who has flagged the example, as its flag or an unanswered act has it; null for nobody. */
  flagged(item) {
    const last = this.outbox.pendingOn(item.id).findLast((e) => /^(un)?flag$/.test(e.what));
    if (!last) return item.flag ?? null;
    return last.what === "flag" ? { by: this.me, at: null, note: "" } : null;
  }

  /** Which queue brought the example. */
  queueOf(id) {
    return this.brought.get(id) ?? this.run.queue;
  }

  /** Have Python told that the example was shown; whether there was anything to tell. */
  tellShown(judgement) {
    if (this.told.has(judgement) || !this.run.id) return false;
    this.told.add(judgement);
    const queue = this.queueOf(judgement);
    this.outbox.add({ what: "show", judgement, run: this.run.id, queue });
    return true;
  }

  /** The audit drew another example than the one that was shown, which somebody else had drawn. */
  takeDraw(shown, drawn) {
    const here = this.id;
    const item = this.items.get(shown);
    const keep =
      this.outbox.decidingOn(shown).length > 0 ||
      Boolean(item?.decisions.some((d) => d.reviewer === this.me));
    this.order = withDraw(this.order, shown, drawn, { keep });
    this.told.add(drawn);
    this.extra.add(drawn);
    if (keep) this.brought.set(shown, "chosen");
    const place = this.order.indexOf(here);
    this.at = place < 0 ? this.order.indexOf(drawn) : place;
    if (this.id === here) return;
    this.calmUntil = calmFrom(Date.now());
    this.news = {
      id: drawn,
      text: "Somebody else drew the example that stood here. This is your next draw of the audit.",
    };
  }

  /** An example that another queue brings: in the list where it stands, else right after this. */
  bring(id, queue) {
    const index = this.order.indexOf(id);
    if (!this.told.has(id)) this.brought.set(id, queue);
    if (index >= 0 && this.run.queue === "chosen") return this.goTo(index);
    const rest = this.order.filter((other) => other !== id);
    const place = rest.indexOf(this.id) + 1;
    const at = rest[place - 1];
    this.order = [...rest.slice(0, place), id, ...rest.slice(place)];
    this.at = this.order.indexOf(at);
    this.extra.add(id);
    return this.goTo(place);
  }

  /** Many examples were decided at once, or not at all: what was fetched before is old. */
  takenOver(entry, { bulk }) {
    this.memoryOfRun = { waiting: false, done: bulk && { ...bulk, undone: entry.what !== "recall_run" } };
    if (bulk) for (const id of [...this.items.keys()]) if (id !== this.id) this.items.delete(id);
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
    const units = currentUnits(item, decisions);
    const left = units.filter((u) => !u.decision);
    const confirmable = (u) =>
      u.score !== null && u.basis !== "disputed" && !this.waits(item, u);
    return {
      item,
      decisions,
      units,
      left,
      confirmable: left.filter(confirmable),
      open: this.openLabel(item, units),
      ledger: ledger(item, replayed(item, units, decisions)),
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
    this.asking = null;
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

  /** What u takes back: the newest standing decision on the unit, if it is the person's own. */
  undoable(effective) {
    const { decision, basis } = effective;
    if (basis === "agreed" || basis === "disputed") return this.revised(effective);
    return decision && decision.reviewer === this.me ? decision : null;
  }

  /** Where independent reviewers are done: one's own newest value, if an earlier one is left. */
  revised({ unit }) {
    const pending = this.outbox.decidingOn(this.id).map(asDecision);
    const every = [...this.item.decisions, ...pending].filter((d) => d.unit === unit.label);
    const own = standing(every).filter((d) => d.reviewer === this.me && d.action !== "resolve");
    return own.length > 1 ? own.at(-1) : null;
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
