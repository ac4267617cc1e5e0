// Why a unit changes, in a cause and a note; and what to do about an act that was not written.
import { Walking } from "./walking.js";

export class Noting extends Walking {
  cause(value) {
    const { open } = this;
    if (!open) return;
    const { effective } = open;
    const { cause, note } = this.model.remark(effective);
    const draft = this.model.draft(effective.unit.label);
    const chosen = cause === value ? null : value;
    const { label } = effective.unit;
    if (!draft?.held && this.model.annotate(effective, { cause: chosen, note: note.trim() }))
      this.desk.wire.send();
    if (draft?.editing) this.model.setDraft(label, { ...draft, cause: chosen });
    this.desk.screen.draw({ refocus: true });
  }

  /** A note that somebody leaves open counts like one kept by Enter; Esc is how to drop it. */
  keepNotes() {
    for (const effective of this.model.view()?.units ?? []) {
      const { label } = effective.unit;
      const draft = this.model.draft(label);
      if (!draft?.editing || draft.held) continue;
      const remark = { cause: draft.cause ?? null, note: (draft.note ?? "").trim() };
      if (this.model.annotate(effective, remark)) this.desk.wire.send();
      else if (!remark.cause && !remark.note) this.model.setDraft(label, null);
    }
  }

  openUnit(label) {
    this.keepNotes();
    super.openUnit(label);
  }

  move(step) {
    this.keepNotes();
    super.move(step);
  }

  goTo(index, label = null) {
    this.keepNotes();
    super.goTo(index, label);
  }

  leave(to, queue = null) {
    this.keepNotes();
    super.leave(to, queue);
  }

  note() {
    const { open } = this;
    if (!open) return;
    const { label } = open.effective.unit;
    const draft = this.model.draft(label);
    this.model.setDraft(label, { ...this.model.remark(open.effective), ...draft, editing: true });
    this.desk.screen.draw();
    this.desk.screen.focusNote();
  }

  noteTyped(label, text) {
    const draft = this.model.draft(label);
    if (draft) this.model.setDraft(label, { ...draft, note: text });
  }

  /** Enter in the note: keep it; a score that waited for it is set now. */
  keepNote() {
    const { open } = this;
    if (!open) return;
    const { effective } = open;
    const { label } = effective.unit;
    const { cause, note, held = null } = this.model.draft(label) ?? {};
    const tidy = (note ?? "").trim();
    if (held !== null && !tidy) return;
    this.model.setDraft(label, { cause, note: tidy });
    const remark = { cause, note: tidy };
    const written =
      held === null
        ? this.model.annotate(effective, remark)
        : this.model.act(effective, held.action, held.after, { ...remark, ...held.more });
    if (!written && !tidy && !cause) this.model.setDraft(label, null);
    this.done(written, { refocus: true });
  }

  /** Esc in the note: leave things as they were. */
  leaveNote() {
    const { open } = this;
    if (!open) return;
    this.model.setDraft(open.effective.unit.label, null);
    this.done(null, { refocus: true });
  }

  // When somebody else decided meanwhile

  keepTheirs(label) {
    this.model.outbox.dismiss(this.model.id, label);
    this.done(null, { refocus: true });
  }

  setMine(label) {
    const { view } = this.open ?? {};
    const conflict = this.model.outbox.conflictOn(this.model.id, label);
    const effective = view?.units.find((u) => u.unit.label === label);
    if (!conflict || !effective) return;
    const { action, after, cause, note, what, keep, exclude, twin } = conflict.mine;
    this.model.outbox.dismiss(this.model.id, label);
    const again = action === "undo" ? "set" : action;
    this.done(this.model.act(effective, again, after, { cause, note, what, keep, exclude, twin }), { refocus: true });
  }

  dismiss(label) {
    this.model.outbox.dismiss(this.model.id, label);
    this.done(null, { refocus: true });
  }
}
