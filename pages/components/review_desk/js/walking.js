// Going through the list, from unit to unit, to panels and away: all that decides nothing.
import { focusComment } from "./comments.js";
import { focused } from "./dom.js";
import { calmFrom } from "./showing.js";


export class Walking {
  constructor(desk) {
    this.desk = desk;
  }

  get model() {
    return this.desk.model;
  }

  /** The view and its open unit; null while the example is not on screen, so nothing is scored. */
  get open() {
    if (Date.now() < this.model.calmUntil) return null;
    if (!this.model.item || this.desk.screen.shown !== this.model.id) return null;
    const view = this.model.view();
    const effective = view.units.find((u) => u.unit.label === view.open);
    return effective ? { view, effective } : null;
  }

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

  toggle(panel) {
    if (panel === "calls" && !this.model.run.model) return;
    this.desk.panel = this.desk.panel === panel ? null : panel;
    this.desk.screen.draw();
    this.desk.screen.focusPanel();
    if (this.desk.panel === "comments") focusComment(this.desk.screen.over);
    if (this.desk.panelWanted()) this.desk.wire.send();
  }

  /** Where the judge failed: it is asked once more, and its new answer takes the old one's place. */
  judgeAgain() {
    if (this.model.item) this.desk.wire.judgeAgain(this.model.id);
  }

  escape() {
    if (this.desk.panel) this.toggle(null);
    else if (this.desk.find.open) this.desk.find.close();
    focused()?.blur();
    this.desk.screen.focusOpen();
  }

  leave(to, queue = null) {
    this.desk.wire.leave(to, queue);
  }

  // What is most valuable, and flags

  /** b: Python is asked what to review next; its answer moves only whom it finds still here. */
  valuable() {
    if (!this.model.item) return;
    this.model.asking = this.model.id;
    this.desk.screen.draw();
    this.desk.wire.send();
  }

  takeValuable(found) {
    const { model } = this;
    if (!found || model.asking === null || found.after !== model.asking) return;
    model.asking = null;
    if (found.id === null) {
      model.news = { id: model.id, text: "Nothing else in this run waits for a review by you." };
    } else if (model.bring(found.id, found.queue)) {
      model.calmUntil = calmFrom(Date.now());
      this.desk.chosen = null;
    }
  }

  find() {
    if (this.model.item) this.desk.find.show();
  }

  flag() {
    const { model } = this;
    if (!model.item || this.desk.screen.shown !== model.id) return;
    const what = model.flagged(model.item) ? "unflag" : "flag";
    model.outbox.add({ what, judgement: model.id });
    this.desk.screen.draw();
    this.desk.wire.send();
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
