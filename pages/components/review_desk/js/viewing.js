// One example as the person has it before them: what counts, which unit is open, what they are typing,
// and the acts that nobody has answered yet. No DOM here.
import { currentUnits, ledger, replayed, standing } from "./decisions.js";
import { Kept } from "./keeping.js";
import { Listing } from "./listing.js";
import { Outbox, asDecision } from "./outbox.js";

export class Viewing extends Listing {
  constructor(reviewer) {
    super();
    this.become(reviewer);
    this.opened = new Map();
    this.message = null;
    this.memoryOfRun = { waiting: false, done: null }; // taking over what was decided elsewhere
    this.leftBehind = null; // what Ctrl+Enter just confirmed on the example before: {index, labels}
  }

  /** Acts and notes belong to the name under which they were made. */
  become(reviewer) {
    this.me = reviewer;
    this.told.clear();
    this.outbox = new Outbox(reviewer, (judgement) => this.tellShown(judgement));
    this.notes = new Kept("notes", reviewer);
    this.drafts = new Map(Object.entries(this.notes.read()));
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

  /** The newest decision on the unit that has reached this browser; 0 for none. */
  seen(label) {
    return this.item.decisions.filter((d) => d.unit === label).at(-1)?.id ?? 0;
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
}
