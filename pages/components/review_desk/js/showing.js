// What was shown to the person, and which queue brought it: Python is told once, before any act on
// the example. In the audit, being shown is being drawn, and another example may have been drawn.

const LOOKED_AT = 400; // ms: an example that is only walked past was not shown
const CALM = 500; // ms after the screen has changed by itself, in which no key decides

export class Showing {
  constructor(desk) {
    this.desk = desk;
    this.timer = null;
  }

  /** An example came on screen. */
  arrived() {
    const { model } = this.desk;
    clearTimeout(this.timer);
    if (model.told.has(model.id)) return;
    if (model.queueOf(model.id) === "audit") this.tell();
    else this.timer = setTimeout(() => this.tell(), LOOKED_AT);
  }

  tell() {
    const { model, wire, screen } = this.desk;
    if (!this.desk.connected || screen.shown !== model.id) return;
    if (model.tellShown(model.id)) wire.sendSoon();
  }

  close() {
    clearTimeout(this.timer);
  }
}

/**
 * The order after the audit drew `drawn` where `shown` stood: it takes that place, and the one that
 * somebody else drew first falls out of the list unless the person has decided on it.
 */
export function withDraw(order, shown, drawn, { keep }) {
  const rest = order.filter((id) => id !== drawn);
  const place = rest.indexOf(shown);
  if (place < 0) return order;
  return keep
    ? [...rest.slice(0, place + 1), drawn, ...rest.slice(place + 1)]
    : [...rest.slice(0, place), drawn, ...rest.slice(place + 1)];
}

/** The moment from which keys decide again. */
export function calmFrom(now) {
  return now + CALM;
}
