// The frame of the desk and the order of drawing. Nodes stay where they are unless they change.
import { drawBar } from "./bar.js";
import { focused, h, isControl, patch } from "./dom.js";
import { drawComments } from "./comments.js";
import { commentsPanel, fetchedPanel, historyPanel, keysSheet } from "./panels.js";
import { Nearby } from "./nearby.js";
import { showChosen } from "./pointing.js";
import { drawPassages, drawPassagesHead } from "./passages.js";
import { drawQueue } from "./queues.js";
import { drawSaved, drawStrip } from "./strip.js";
import { drawTruthHead } from "./truthhead.js";
import { drawQuestion, drawSums } from "./sums.js";
import { drawUnits } from "./units.js";

const FOOT = 16;
const LOWEST = 560;
const ADDRESS_AFTER = 400;
const WIDE = "(min-width: 1600px)";

export class Screen {
  constructor(desk) {
    this.desk = desk;
    this.shown = null;
    this.build();
    this.nearby = {
      units: new Nearby(this.truth.body, () => this.draw()),
      passages: new Nearby(this.passages.body, () => this.draw()),
    };
    this.fit = () => this.fitHeight();
    this.sizes = new ResizeObserver(this.fit);
    this.sizes.observe(document.body);
    window.addEventListener("resize", this.fit);
    this.fitHeight();
  }

  build() {
    const pane = (name, label) => {
      const head = h("header", {});
      const body = h("div.body", { tabindex: "0", role: "region", "aria-label": label });
      return { node: h(`section.pane.${name}`, {}, head, body), head, body };
    };
    this.strip = h("header.strip");
    this.question = h("div.question");
    this.queue = h("nav.pane.queue", { "aria-label": "The list" });
    this.truth = pane("truth", "Ground truth");
    this.passages = pane("retrieved", "Retrieved passages");
    this.over = h("div.over");
    this.panes = h("div.panes", {}, this.queue, this.truth.node, this.passages.node, this.over);
    this.sums = h("div.sums");
    this.bar = h("footer.bar");
    this.truth.body.addEventListener("keydown", (event) => this.noteKey(event));
    this.desk.root.querySelector(".desk")?.remove();
    this.node = h(
      "section.desk",
      { "aria-label": "Review desk" },
      this.strip,
      this.question,
      this.panes,
      this.sums,
      this.bar,
    );
    this.desk.root.append(this.node);
  }

  /** Draw everything; `fresh`: another example came up, `opened`: another unit did. */
  draw({ fresh = false, opened = false, refocus = false } = {}) {
    const { desk } = this;
    const { model } = desk;
    const changed = fresh || (model.item && this.shown !== model.id);
    if (changed) this.clear();
    const view = model.item ? model.view() : null;
    drawStrip(this.strip, desk, view);
    if (window.matchMedia(WIDE).matches) drawQueue(this.queue, desk);
    if (view) this.drawExample(view, changed || opened);
    else this.drawWaiting();
    drawBar(this.bar, desk, view);
    this.drawPanel(view);
    if (refocus) this.focusOpen();
    if (changed) this.keepAddressSoon();
    if (changed && view) this.desk.showing.arrived();
  }

  clear() {
    this.shown = null;
    this.nearby.units.clear();
    this.nearby.passages.clear();
    this.truth.body.replaceChildren();
    this.passages.body.replaceChildren();
    this.truth.body.scrollTop = 0;
    this.passages.body.scrollTop = 0;
  }

  drawExample(view, moved) {
    const { desk } = this;
    drawQuestion(this.question, desk, view);
    drawTruthHead(this.truth.head, desk, view);
    drawUnits(this.truth.body, desk, view);
    drawPassagesHead(this.passages.head, desk, view);
    drawPassages(this.passages.body, desk, view);
    drawSums(this.sums, desk, view);
    showChosen(desk);
    this.shown = view.item.id;
    this.drawFound();
    if (moved) requestAnimationFrame(() => this.arrange());
  }

  /** The text that holds the hit one stands on is shown in full. */
  drawFound() {
    const { find } = this.desk;
    const name = find.place?.name ?? "";
    if (!name && !this.sought) return find.paint();
    this.sought = name;
    this.node.classList.toggle("sought-above", /^(question|answer)$/.test(name));
    for (const unit of this.truth.body.querySelectorAll(".unit"))
      unit.classList.toggle("sought", name.startsWith(`${unit.dataset.key} `));
    find.paint();
  }

  drawWaiting() {
    const words = this.desk.model.order.length
      ? "The example is on its way…"
      : "The list is empty.";
    patch(this.question, [
      { key: "waiting", make: () => h("h2.empty", { role: "status" }, words) },
    ]);
    for (const node of [this.truth.head, this.passages.head, this.sums]) node.replaceChildren();
  }

  drawPanel(view) {
    const { panel } = this.desk;
    const make = {
      keys: () => keysSheet(this.desk),
      history: () => view && historyPanel(this.desk, view),
      calls: () => view && fetchedPanel(this.desk, view),
      judges: () => view && fetchedPanel(this.desk, view),
      memory: () => view && fetchedPanel(this.desk, view),
      comments: () => view && commentsPanel(this.desk),
    };
    const sigs = {
      history: () =>
        `${this.desk.model.id} ${view?.decisions.map((d) => d.id)} ${this.desk.reverting} ${Boolean(this.desk.revertContent())}`,
      memory: () => `${this.desk.panelSig()} ${JSON.stringify(this.desk.model.memoryOfRun)}`,
      comments: () => String(this.desk.model.id),
      calls: () => this.desk.panelSig(),
      judges: () => this.desk.panelSig(),
    };
    const sig = sigs[panel]?.() ?? "";
    const node = panel ? make[panel] : null;
    const into = panel === "comments" ? (made) => drawComments(made, this.desk) : null;
    patch(this.over, [node && (panel === "keys" || view) && { key: panel, sig, make: node, into }]);
    this.over.className = `over ${panel ?? ""}`;
  }

  /** Only what depends on the clock: whether something is still not saved. */
  drawTrouble() {
    const { desk } = this;
    const status = this.strip.querySelector(".saved");
    if (status) drawSaved(status, desk);
    if (desk.model.item) drawQuestion(this.question, desk, desk.model.view());
  }

  noteKey(event) {
    if (!event.target.matches("textarea") || event.isComposing) return;
    const { acts } = this.desk;
    const act =
      event.key === "Escape"
        ? "leaveNote"
        : event.key === "Enter" && !event.shiftKey
          ? "keepNote"
          : null;
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    acts[act]();
  }

  focusNote() {
    const area = this.truth.body.querySelector("textarea");
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }

  /** The open unit takes the focus, unless a control has it. */
  focusOpen() {
    if (isControl(focused())) return;
    this.truth.body.querySelector(".unit.open")?.focus({ preventScroll: true });
  }

  /** What has just been laid over the desk takes the focus, and gives it back to the open unit. */
  focusPanel() {
    const panel = this.over.querySelector(".panel");
    if (panel) panel.focus({ preventScroll: true });
    else this.focusOpen();
  }

  openLabel() {
    return this.desk.model.opened.get(this.desk.model.id);
  }

  /** Show the open unit, and its evidence on the other side. */
  arrange() {
    this.fitHeight();
    this.focusOpen();
    const unit = this.truth.body.querySelector(".unit.open");
    if (unit) scrollTo(this.truth.body, unit, 56);
    const pane = this.passages.body;
    const mark = pane.querySelector("mark.solid");
    if (!mark) return;
    scrollTo(pane, mark.closest(".passage"), 0);
    if (mark.getBoundingClientRect().bottom > pane.getBoundingClientRect().bottom)
      scrollTo(pane, mark, 80);
  }

  fitHeight() {
    const top = this.node.getBoundingClientRect().top + window.scrollY;
    const height = `${Math.max(LOWEST, window.innerHeight - top - FOOT)}px`;
    if (this.node.style.height !== height) this.node.style.height = height;
  }

  /** Not at every step: browsers stop listening to a page that renames itself too often. */
  keepAddressSoon() {
    const wait = Math.max(0, ADDRESS_AFTER - (Date.now() - (this.addressed ?? 0)));
    this.addressing ??= setTimeout(() => this.keepAddress(), wait);
  }

  /** The address names the example on screen, so a copied link or a reload comes back to it. */
  keepAddress() {
    clearTimeout(this.addressing);
    this.addressing = null;
    const { id } = this.desk.model;
    const url = new URL(window.location.href);
    if (
      !this.desk.connected ||
      id === undefined ||
      url.searchParams.get("judgement") === String(id)
    )
      return;
    url.searchParams.set("judgement", String(id));
    this.addressed = Date.now();
    window.history.replaceState(window.history.state, "", url);
  }

  /** The page may keep an old desk for a moment below the new one. */
  close() {
    this.node.hidden = true;
    clearTimeout(this.addressing);
    this.nearby.units.clear();
    this.nearby.passages.clear();
    this.sizes.disconnect();
    window.removeEventListener("resize", this.fit);
  }
}

/** Scroll only as far as needed, with the next thing still peeking in. */
function scrollTo(pane, node, peek) {
  const box = pane.getBoundingClientRect();
  const at = node.getBoundingClientRect();
  if (at.top < box.top || at.height + peek > box.height) pane.scrollTop += at.top - box.top;
  else if (at.bottom + peek > box.bottom) pane.scrollTop += at.bottom + peek - box.bottom;
}
