// What a person does because of others: commit a blind score, keep one of several values.
import { commitLabel, isBlind, isCommitting } from "./blind.js";
import { offers } from "./memory.js";
import { Noting } from "./noting.js";
import { KEEP_KEYS, isContested, opinionsOf, resolveLabel } from "./resolve.js";

export class Together extends Noting {
  // Blind

  toggleBlind() {
    this.desk.wire.setBlind(!this.model.person?.blind);
  }

  /** Have the judge's word shown, once every unit has a score; the example stays on screen. */
  commit(view) {
    if (isCommitting(this.model, view.item)) return;
    const lacking = view.units.find((u) => !u.decision || (u.score === null && !u.excluded));
    if (lacking) {
      this.model.openUnit(lacking.unit.label);
      this.desk.screen.draw({ opened: true });
      this.say(lacking, `Give ${lacking.unit.label} a score first: then the judge’s is shown.`);
      return;
    }
    this.done(this.model.actOnAll("commit"));
  }

  // Memory

  /** Take over the earlier decision on the open unit, and go on to the next unit. */
  recall() {
    const { open } = this;
    if (!open || !offers(open.view).some((u) => u.unit.label === open.view.open)) return;
    const written = this.model.recall(open.effective);
    this.done(written);
  }

  /** All that is remembered of this example; u takes it back as one. */
  recallAll() {
    const { open } = this;
    if (!open) return;
    const taken = offers(open.view);
    for (const effective of taken) this.model.recall(effective);
    if (!taken.length) return;
    const labels = taken.map((u) => u.unit.label);
    this.model.leftBehind = { index: this.model.at, labels };
    this.done(true);
  }

  /** How much of the whole run was decided before, counted anew. */
  openMemory() {
    if (!this.model.memoryOfRun.waiting) this.model.memoryOfRun = { waiting: false, done: null };
    this.desk.panels.forget(this.model.id);
    this.toggle("memory");
  }

  recallRun() {
    this.bulk("recall_run");
  }

  unrecallRun(batch) {
    this.bulk("undo_bulk", { text: batch });
  }

  bulk(what, more = {}) {
    this.model.memoryOfRun = { waiting: true, done: null };
    this.model.actOnAll(what, { run: this.model.run.id, ...more });
    this.done(true);
  }

  // Comments

  comment(text) {
    this.model.actOnAll("comment", { text });
    this.model.setDraft("comment", null);
    this.done(true);
  }

  // Taking an older decision back

  /** What taking it back would do is asked of Python first; null: leave it. */
  askRevert(decision) {
    this.desk.reverting = decision;
    this.desk.panels.forgetRevert(this.model.id);
    this.desk.screen.draw();
    if (this.desk.panelWanted()) this.desk.wire.send();
  }

  revert(decision) {
    const view = this.model.view();
    const effective = view.units.find((u) => u.unit.label === decision.unit);
    this.desk.reverting = null;
    if (effective && this.model.undoable(effective)?.id === decision.id)
      this.done(this.model.undo(effective, view.decisions));
    else this.desk.screen.draw();
  }

  // Differences

  /** Keep what the reviewer of that key says; null where the open unit is not contested. */
  keepable(key) {
    const letter = key.toUpperCase();
    if (!KEEP_KEYS.includes(letter)) return null;
    const { open } = this;
    if (!open || !isContested(open.effective)) return null;
    const there = opinionsOf(open.effective, this.model.me).some((o) => o.key === letter);
    return there ? () => this.keep(letter) : null;
  }

  keep(key) {
    const { open } = this;
    if (!open) return;
    const { effective, view } = open;
    const opinion = opinionsOf(effective, this.model.me).find((o) => o.key === key);
    if (!opinion) return;
    const written = this.model.resolve(effective, opinion.state, { keep: opinion.decision });
    const next = view.units.find((u) => u.basis === "disputed" && u !== effective);
    if (written && next) this.model.openUnit(next.unit.label);
    this.done(written, { opened: Boolean(written && next) });
  }

  /** What Enter or Ctrl+Enter cannot do here, said; true if there is such a thing. */
  stopsAtDifference(view, effective = view.units.find((u) => u.basis === "disputed")) {
    if (effective?.basis !== "disputed") return false;
    this.model.openUnit(effective.unit.label);
    this.desk.screen.draw({ opened: true });
    this.say(effective, `Keep one of the values of ${effective.unit.label}, or set a third.`);
    return true;
  }

  /** Whether the primary button does anything now: a commit waits for every score. */
  goReady(view) {
    return this.togetherLabel(view)?.ready ?? true;
  }

  /** The primary button where people are blind or differ: {words, ready}; else null. */
  togetherLabel(view) {
    if (!view) return null;
    if (isBlind(view.item) && view.units.length) return commitLabel(this.desk, view);
    const words = resolveLabel(view);
    return words && { words, ready: true };
  }
}
