// Acts that the database has not answered yet. Nothing leaves the outbox but by an answer for
// exactly that act, and everything in it is kept over a reload of the tab.
//
// An act's name is (client, seq); the database takes each name once, so sending it again is
// harmless. Every page load is a client of its own: a duplicated tab, which inherits the session
// storage, can then never use a name that the first tab uses for something else.
import { Kept } from "./keeping.js";

export class Outbox {
  /** `first` is called with the judgement of each act, before it is added. */
  constructor(reviewer, first = () => {}) {
    this.first = first;
    this.kept = new Kept("outbox", reviewer);
    this.client = randomName();
    this.seq = 0;
    const stored = this.kept.read();
    this.entries = stored.entries ?? [];
    this.conflicts = stored.conflicts ?? [];
    this.refused = stored.refused ?? [];
  }

  /** How many acts of the person wait; that an example was shown is not one. */
  get unsaved() {
    return this.entries.filter((e) => e.what !== "show").length;
  }

  get empty() {
    return !this.entries.length;
  }

  /**
   * Keep an act {judgement, unit, kind, index, action, score, to_kind, cause, note, seen, before,
   * after, undoes, reviewer, at} until it is answered. `seen` is the newest decision on the unit
   * that the person saw; an act on top of an unanswered one of their own names that one instead.
   * `what` is "decide" unless it says otherwise; a "commit" and a "comment" have no unit.
   */
  add(act) {
    const { judgement, unit = null } = act;
    if (act.what !== "show") this.first(judgement);
    const own = unit === null ? null : this.pendingOn(judgement, unit).at(-1);
    const follows = own ? nameOf(own) : null;
    // Should that one not be written, this one stands on no more than that one did.
    const seen = own ? own.seen : (act.seen ?? 0);
    const entry = { what: "decide", unit, ...act, client: this.client, seq: (this.seq += 1), follows, seen };
    this.entries.push(entry);
    this.dismiss(judgement, unit);
    return entry;
  }

  pendingOn(judgement, unit = null) {
    return this.entries.filter(
      (e) => e.judgement === judgement && (unit === null || e.unit === unit),
    );
  }

  /** The unanswered acts on an example that change what counts for its units. */
  decidingOn(judgement) {
    return this.pendingOn(judgement).filter((e) => e.unit !== null);
  }

  /** Acts that were answered with "not written" and that the person has not seen to yet. */
  get unwritten() {
    return [...this.conflicts, ...this.refused];
  }

  conflictOn(judgement, unit) {
    return this.conflicts.find((c) => c.judgement === judgement && c.unit === unit) ?? null;
  }

  refusalOn(judgement, unit) {
    return this.refused.find((r) => r.judgement === judgement && r.unit === unit) ?? null;
  }

  /** The person has seen what became of their act on this unit. */
  dismiss(judgement, unit) {
    const other = (c) => c.judgement !== judgement || c.unit !== unit;
    this.conflicts = this.conflicts.filter(other);
    this.refused = this.refused.filter(other);
    this.write();
  }

  /**
   * Take the answers in: {client, seq, status, decision, sentence}, status "saved", "changed"
   * (somebody else decided first) or "refused". Returns the entries that were answered, each with
   * its answer.
   */
  settle(answers) {
    const settled = [];
    for (const answer of answers) {
      const name = nameOf(answer);
      const entry = this.entries.find((e) => nameOf(e) === name);
      if (!entry) continue;
      this.entries = this.entries.filter((e) => e !== entry);
      if (answer.status === "saved") this.rename(name, answer.decisions.at(-1)?.id);
      else if (entry.what !== "show") this.keepOutcome(entry, answer);
      settled.push({ entry, answer });
    }
    if (settled.length) this.write();
    return settled;
  }

  /** Acts that were built on an act now known to the database are built on its decision. */
  rename(name, decision) {
    if (decision === undefined) return;
    for (const entry of this.entries) {
      if (entry.follows === name) Object.assign(entry, { follows: null, seen: decision });
      if (entry.undoes === name) entry.undoes = decision;
    }
  }

  keepOutcome(entry, { status, sentence = "" }) {
    const { judgement, unit } = entry;
    const elsewhere = (o) => o.judgement !== judgement || o.unit !== unit;
    const list = status === "changed" ? "conflicts" : "refused";
    this[list] = [...this[list].filter(elsewhere), { judgement, unit, mine: entry, sentence }];
  }

  /** What Python needs of each entry. */
  wire() {
    return this.entries.map((e) => ({
      client: e.client,
      seq: e.seq,
      judgement: e.judgement,
      what: e.what ?? "decide",
      kind: e.kind,
      index: e.index,
      action: e.action,
      score: e.score,
      to_kind: e.to_kind,
      cause: e.cause,
      note: e.note,
      twin: e.twin ?? null,
      keep: typeof e.keep === "number" ? e.keep : null,
      exclude: e.exclude ?? false,
      text: e.text,
      run: e.run ?? null,
      queue: e.queue ?? null,
      seen: e.seen,
      follows: e.follows,
    }));
  }

  write() {
    const { entries, conflicts, refused } = this;
    this.kept.write({ entries, conflicts, refused });
  }
}

/** An unanswered act as the decision it will become, so that it counts on screen at once. */
export function asDecision(entry) {
  const { unit, action, before, after, reviewer, at, cause, note, undoes, twin, recalled } = entry;
  const said = { unit, action, before, after, reviewer, at, cause, note, undoes, twin, recalled };
  return { ...said, id: nameOf(entry), pending: true };
}

function nameOf({ client, seq }) {
  return `${client}/${seq}`;
}

function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}
