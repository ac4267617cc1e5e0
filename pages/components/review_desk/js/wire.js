// The line to Python. Everything is sent as one state value; Python answers by new data. What is
// sent is complete each time, so a lost message or a restarted server costs a repetition only.

const RESEND_AFTER = 2000;
const LOOK_AFTER = 10000;
const UNREACHED_AFTER = 5000;
const TICK = 500;
const LEAVING = 2000;
const RECOUNT_AFTER = 1200;
const EXTRA = 200;

let guarded = null; // the newest desk: leaving the page warns even after the desk has gone from it
window.addEventListener("beforeunload", (event) => {
  guarded?.screen.keepAddress();
  if (guarded?.model.outbox.unsaved) event.preventDefault();
});

export class Wire {
  constructor(desk) {
    this.desk = desk;
    this.turn = 0;
    this.sentAt = 0;
    this.waitingSince = null;
    this.refusal = null;
    this.leftAt = 0;
    this.clicked = (event) => {
      if (event.target.closest?.("a[href]")) this.leftAt = Date.now();
    };
    document.addEventListener("click", this.clicked, true);
    this.timer = setInterval(() => this.tick(), TICK);
    this.boxes = new MutationObserver(() => this.closeBox());
    this.boxes.observe(document.body, { childList: true });
    guarded = desk;
  }

  connect(setState, setTrigger) {
    this.setState = setState;
    this.setTrigger = setTrigger;
  }

  /** Send where one is, what one needs, and every act that is not answered yet. */
  send() {
    const { model } = this.desk;
    const now = Date.now();
    clearTimeout(this.soon);
    this.soon = null;
    // A message behind the choice of another page would empty that page (see page_watch.py). What
    // is not sent yet stays in the outbox, and the clock sends it if the person stays after all.
    if (now - this.leftAt < LEAVING) return;
    this.sentAt = now;
    this.waitingSince ??= now;
    this.setState("desk", {
      turn: (this.turn += 1),
      at: model.id ?? null,
      newest: model.newest(),
      order_key: model.orderKey,
      want: model.wanted(),
      brought: [...model.extra].slice(-EXTRA),
      valuable: model.asking !== null && model.asking === model.id,
      judged: model.item?.judged ?? null,
      entries: model.outbox.wire(),
      panel: this.desk.panelWanted(),
    });
  }

  /** Send when the person rests for a moment; walking through a list need not be reported. */
  sendSoon() {
    this.soon ??= setTimeout(() => this.send(), 300);
  }

  heard(data) {
    const { model } = this.desk;
    const first = this.sentAt === 0;
    if (first) this.turn = data.turn;
    const last = data.turn === this.turn;
    this.waitingSince = last ? null : this.waitingSince && Date.now();
    this.refusal = data.trouble;
    const lacks = model.orderKey === null || model.wanted().length > 0;
    if (first ? lacks || !model.outbox.empty : last && lacks && data.items.length) this.send();
  }

  /** Streamlit's box about a lost server would cover the desk, which says it and can go on. */
  closeBox() {
    const box = document.querySelector("[data-testid=stDialog]");
    if (!box?.textContent.includes("Connection error")) return;
    box.querySelector("button")?.click();
    this.desk.screen.focusOpen();
  }

  /** The sentence about what is not saved or could not be read, or null. */
  get trouble() {
    const { unsaved } = this.desk.model.outbox;
    if (!unsaved) return this.refusal;
    const changes = `${unsaved} ${unsaved === 1 ? "change is" : "changes are"} kept in this tab; you can go on.`;
    if (this.refusal) return `${this.refusal} ${changes}`;
    const waited = this.waitingSince ? Date.now() - this.waitingSince : 0;
    return waited > UNREACHED_AFTER ? `Server not reached. ${changes}` : null;
  }

  tick() {
    if (!this.desk.connected) {
      this.desk.close();
      return;
    }
    const { model } = this.desk;
    const quiet = Date.now() - this.sentAt;
    const waits =
      model.orderKey === null ||
      !model.outbox.empty ||
      model.asking !== null ||
      model.wanted().length > 0 ||
      this.desk.panelWanted() !== null ||
      model.item?.again;
    if (waits && quiet >= RESEND_AFTER) this.send();
    else if (model.standing?.old && quiet >= RECOUNT_AFTER) this.send();
    else if (document.visibilityState === "visible" && quiet >= LOOK_AFTER) this.send();
    this.desk.screen.fitHeight(); // what stands above may have moved
    this.desk.screen.drawTrouble();
  }

  /** Ask that the judge be asked again about the example on screen. */
  judgeAgain(id) {
    this.sentAt = Date.now();
    this.setTrigger("again", { judgement: id });
  }

  /** Ask that examples not opened yet come without the judge's word, or with it again. */
  setBlind(on) {
    this.sentAt = Date.now();
    this.setTrigger("blind", { on });
  }

  leave(to, queue = null) {
    this.leftAt = Date.now();
    this.setTrigger("go", { to, queue, at: this.desk.model.id });
  }

  close() {
    clearInterval(this.timer);
    document.removeEventListener("click", this.clicked, true);
    this.boxes.disconnect();
    clearTimeout(this.soon);
  }
}
