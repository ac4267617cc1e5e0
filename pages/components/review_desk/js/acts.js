// What a person can do at the desk. Every act draws at once and is then sent.
import { allowed, kindWords, outOfScale, scoreSaid } from "./words.js";
import { isBlind } from "./blind.js";
import { asNumber, fraction } from "./formula.js";
import { nextWords, queueDone } from "./queues.js";
import { Together } from "./together.js";

export class Acts extends Together {
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
    if (this.stopsAtDifference(view, effective)) return;
    if (effective.decision) return this.goOn(view);
    if (effective.score === null)
      return this.say(
        effective,
        isBlind(view.item)
          ? `Give ${effective.unit.label} a score of your own.`
          : `${effective.unit.label} has no score from the judge. Give it one first.`,
      );
    this.model.confirm(effective);
    const next = nextUnit(view);
    if (next) this.model.openUnit(next);
    this.done(true, { opened: Boolean(next) });
  }

  enterLabel(view, effective) {
    const { noun } = kindWords(effective.kind);
    if (effective.basis === "disputed") return "Needs a choice";
    if (isBlind(view.item) && effective.decision && !nextUnit(view)) return "Commit";
    if (!effective.decision)
      return effective.score === null
        ? `Needs a score`
        : `Confirm ${scoreSaid(effective.score, effective.kind)}`;
    return nextUnit(view) ? `Next ${noun}` : "Next example";
  }

  goOn(view) {
    const next = nextUnit(view);
    if (next) this.openUnit(next);
    else if (isBlind(view.item)) this.commit(view);
    else this.move(1);
  }

  /** Ctrl+Enter: confirm all that is left and go on; a unit without a score keeps one here. */
  confirmLeft() {
    const { open } = this;
    if (!open) {
      if (this.model.item && this.desk.screen.shown === this.model.id) this.move(1);
      return;
    }
    if (isBlind(open.view.item)) return this.commit(open.view);
    const following = queueDone(this.desk, open.view)?.next;
    if (following) return this.leave("queue", following.name);
    if (this.stopsAtDifference(open.view)) return;
    this.keepNotes();
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
    const together = this.togetherLabel(view);
    if (together) return together.words;
    const done = queueDone(this.desk, view);
    if (done) return done.next ? `To ${nextWords(done.next)}` : null;
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
    this.done(this.model.exclude(open.effective, twin));
  }

  moveTo(kind, score = undefined) {
    const { open } = this;
    if (open) this.done(this.model.moveTo(open.effective, kind, score));
  }
}

/** The unit after the open one, else the first that is left; null when all are decided. */
function nextUnit(view) {
  const labels = view.units.map((u) => u.unit.label);
  const after = labels[labels.indexOf(view.open) + 1];
  const left = view.left.map((u) => u.unit.label).find((label) => label !== view.open);
  return after ?? left ?? null;
}
