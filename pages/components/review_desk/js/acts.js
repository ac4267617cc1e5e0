// What a person can do at the desk. Every act draws at once and is then sent.
import { focused } from "./dom.js";
import { allowed, kindWords, outOfScale, scoreSaid } from "./words.js";
import { asNumber, fraction } from "./formula.js";

export class Acts {
  constructor(desk) {
    this.desk = desk;
  }

  get model() {
    return this.desk.model;
  }

  /** The view and its open unit; null while the example is not on screen, so nothing is scored. */
  get open() {
    if (!this.model.item || this.desk.screen.shown !== this.model.id) return null;
    const view = this.model.view();
    const effective = view.units.find((u) => u.unit.label === view.open);
    return effective ? { view, effective } : null;
  }

  // Walking

  move(step) {
    if (this.model.move(step)) this.arrived();
  }

  goTo(index, label = null) {
    if (!this.model.goTo(index)) return;
    if (label) this.model.openUnit(label);
    this.arrived();
  }

  arrived() {
    this.desk.chosen = null;
    this.desk.screen.draw({ fresh: true });
    if (this.model.wanted().length || this.desk.panelWanted()) this.desk.wire.send();
    else this.desk.wire.sendSoon();
  }

  step(by) {
    const { open } = this;
    if (!open) return;
    const labels = open.view.units.map((u) => u.unit.label);
    const next = labels[labels.indexOf(open.view.open) + by];
    if (next) this.openUnit(next);
  }

  openUnit(label) {
    if (this.model.opened.get(this.model.id) === label) return;
    this.model.openUnit(label);
    this.desk.chosen = null;
    this.desk.screen.draw({ opened: true });
  }

  toggleText(name) {
    const { expanded } = this.desk;
    if (!expanded.delete(name)) expanded.add(name);
    this.desk.screen.draw();
  }

  // Deciding

  score(digit) {
    const { open } = this;
    if (!open) return;
    const { effective } = open;
    if (!allowed(digit, effective.kind, false))
      return this.say(effective, outOfScale(digit, effective.kind));
    this.done(this.model.set(effective, digit));
  }

  /** Half a point more, or off again. */
  half() {
    const { open } = this;
    if (!open || !this.model.run.halves) return;
    const { effective } = open;
    if (effective.score === null)
      return this.say(effective, "Set a whole score first, then . adds half a point.");
    const number = asNumber(fraction(effective.score));
    const wanted = Number.isInteger(number) ? number + 0.5 : Math.floor(number);
    if (!allowed(wanted, effective.kind, true))
      return this.say(effective, outOfScale(wanted, effective.kind));
    this.done(this.model.set(effective, String(wanted)));
  }

  /** Enter: confirm what is open, or go on when it is decided already. */
  enter() {
    const { open } = this;
    if (!open) return;
    const { view, effective } = open;
    if (effective.decision) return this.goOn(view);
    if (effective.score === null)
      return this.say(
        effective,
        `${effective.unit.label} has no score from the judge. Give it one first.`,
      );
    this.model.confirm(effective);
    const next = nextUnit(view);
    if (next) this.model.openUnit(next);
    this.done(true, { opened: Boolean(next) });
  }

  enterLabel(view, effective) {
    const { noun } = kindWords(effective.kind);
    if (!effective.decision)
      return effective.score === null
        ? `Needs a score`
        : `Confirm ${scoreSaid(effective.score, effective.kind)}`;
    return nextUnit(view) ? `Next ${noun}` : "Next example";
  }

  goOn(view) {
    const next = nextUnit(view);
    if (next) this.openUnit(next);
    else this.move(1);
  }

  /** Ctrl+Enter: confirm all that is left and go on; a unit without a score keeps one here. */
  confirmLeft() {
    const { open } = this;
    if (!open) {
      if (this.model.item && this.desk.screen.shown === this.model.id) this.move(1);
      return;
    }
    const { left, confirmable } = open.view;
    const lacking = left.find((u) => !confirmable.includes(u));
    for (const effective of confirmable) this.model.confirm(effective);
    if (confirmable.length) this.desk.wire.send();
    if (lacking) {
      this.model.openUnit(lacking.unit.label);
      this.desk.screen.draw({ opened: true });
      const why =
        lacking.score === null
          ? "still has no score. Give it one"
          : "waits for your note. Write it";
      return this.say(lacking, `${lacking.unit.label} ${why}, or go on with →.`);
    }
    const leftBehind = { index: this.model.at, labels: confirmable.map((u) => u.unit.label) };
    if (!this.model.move(1)) return this.desk.screen.draw();
    if (confirmable.length) this.model.leftBehind = leftBehind;
    this.arrived();
  }

  goLabel(view) {
    const last = this.model.at >= this.model.order.length - 1;
    const number = view?.confirmable.length ?? 0;
    if (number) return `Confirm ${number} left${last ? "" : " and next"}`;
    const lacking = view?.left[0];
    if (lacking)
      return `${lacking.unit.label} needs a ${lacking.score === null ? "score" : "note"}`;
    return last ? null : "Next example";
  }

  undo() {
    const { open } = this;
    if (!open) return;
    if (this.model.leftBehind) return this.undoLeft();
    const { view, effective } = open;
    if (!this.model.undoable(effective)) return;
    this.done(this.model.undo(effective, view.decisions));
  }

  /** Right after Ctrl+Enter, u goes back and takes those confirmations back, in sight. */
  undoLeft() {
    const { index, labels } = this.model.leftBehind;
    this.model.goTo(index);
    const { decisions, units } = this.model.view();
    for (const effective of units.filter((u) => labels.includes(u.unit.label)))
      this.model.undo(effective, decisions);
    this.model.openUnit(labels[0]);
    this.desk.wire.send();
    this.arrived();
  }

  exclude(twin = null) {
    const { open } = this;
    if (!open) return;
    const { note } = this.model.remark(open.effective);
    const words = twin ? [`Twin of ${twin}.`, note].filter(Boolean).join(" ") : note;
    this.done(this.model.exclude(open.effective, words));
  }

  moveTo(kind, score = undefined) {
    const { open } = this;
    if (open) this.done(this.model.moveTo(open.effective, kind, score));
  }

  // Causes and notes

  cause(value) {
    const { open } = this;
    if (!open) return;
    const { effective } = open;
    const { cause, note } = this.model.remark(effective);
    const draft = this.model.draft(effective.unit.label);
    const chosen = cause === value ? null : value;
    if (draft?.editing) this.model.setDraft(effective.unit.label, { ...draft, cause: chosen });
    else if (this.model.annotate(effective, { cause: chosen, note })) this.desk.wire.send();
    this.desk.screen.draw();
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
        : this.model.act(effective, held.action, held.after, remark);
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
    const { action, after, cause, note } = conflict.mine;
    this.model.outbox.dismiss(this.model.id, label);
    const again = action === "undo" ? "set" : action;
    this.done(this.model.act(effective, again, after, { cause, note }), { refocus: true });
  }

  dismiss(label) {
    this.model.outbox.dismiss(this.model.id, label);
    this.done(null, { refocus: true });
  }

  // Panels

  toggle(panel) {
    if (panel === "calls" && !this.model.run.model) return;
    this.desk.panel = this.desk.panel === panel ? null : panel;
    this.desk.screen.draw();
    this.desk.screen.focusPanel();
    if (this.desk.panelWanted()) this.desk.wire.send();
  }

  /** Where the judge failed: it is asked once more, and its new answer takes the old one's place. */
  judgeAgain() {
    if (this.model.item) this.desk.wire.judgeAgain(this.model.id);
  }

  escape() {
    if (this.desk.panel) this.toggle(null);
    focused()?.blur();
    this.desk.screen.focusOpen();
  }

  leave(to) {
    this.desk.wire.leave(to);
  }

  say({ unit }, text) {
    this.model.message = { label: unit.label, text };
    this.desk.screen.draw();
  }

  /** Draw, and send if there is anything to send; an act that waits for a note asks for it. */
  done(entry, how = {}) {
    const { screen, wire } = this.desk;
    screen.draw(how);
    if (entry) wire.send();
    else if (this.model.draft(screen.openLabel())?.held) screen.focusNote();
  }
}

/** The unit after the open one, else the first that is left; null when all are decided. */
function nextUnit(view) {
  const labels = view.units.map((u) => u.unit.label);
  const after = labels[labels.indexOf(view.open) + 1];
  const left = view.left.map((u) => u.unit.label).find((label) => label !== view.open);
  return after ?? left ?? null;
}
