// Search in the texts of the example on screen: what is found, where one stands in it, and marks that
// leave the page as it is drawn (the browser paints them over the text).
import { block, button, h } from "./dom.js";

const HIT = "rd-hit";
const HERE = "rd-hit-here";
const MOST = 5000; // so many hits are counted and painted; nobody steps through more

export class Find {
  constructor(desk) {
    this.desk = desk;
    this.open = false;
    this.query = "";
    this.at = -1;
    this.found = { item: null, query: null, hits: [] };
  }

  /** Every hit in the example on screen, in reading order: {place, start, end}. */
  get hits() {
    const item = this.open ? this.desk.model.item : null;
    if (this.found.item !== item || this.found.query !== this.query) {
      const hits = item ? hitsIn(placesOf(item), this.query) : [];
      this.found = { item, query: this.query, hits };
      if (this.at >= hits.length) this.at = -1;
    }
    return this.found.hits;
  }

  /** The place of the hit that one stands on; it must not be folded away. */
  get place() {
    return this.hits[this.at]?.place ?? null;
  }

  show() {
    this.open = true;
    this.desk.screen.draw();
    const input = this.input;
    input?.focus();
    input?.select();
  }

  close() {
    this.open = false;
    this.at = -1;
    this.desk.screen.draw();
    this.desk.screen.focusOpen();
  }

  /** The desk is leaving the page: nothing stays painted. */
  end() {
    this.open = false;
    this.paint();
  }

  get input() {
    return this.desk.screen.passages.head.querySelector(".find input");
  }

  type(query) {
    this.query = query;
    this.at = -1;
    this.step(1);
  }

  /** On to the next hit or back to the one before, round the end. */
  step(by) {
    const number = this.hits.length;
    this.at = number ? (this.at + by + number) % number : -1;
    this.desk.screen.draw();
    this.reveal();
  }

  key(event) {
    const act = { Enter: () => this.step(event.shiftKey ? -1 : 1), Escape: () => this.close() };
    const wanted = event.isComposing ? null : act[event.key];
    if (!wanted) return;
    event.preventDefault();
    event.stopPropagation();
    wanted();
  }

  words() {
    if (!this.query.trim()) return "";
    const number = this.hits.length;
    if (!number) return "none";
    const of = number.toLocaleString("en-GB");
    return this.at < 0 ? of : `${(this.at + 1).toLocaleString("en-GB")} of ${of}`;
  }

  /** Paint the hits over the texts that are on the page just now. */
  paint() {
    if (!window.CSS?.highlights) return;
    const { hits } = this;
    if (!hits.length) {
      CSS.highlights.delete(HIT);
      CSS.highlights.delete(HERE);
      return;
    }
    const { node } = this.desk.screen;
    const texts = new Map();
    const ranges = hits.map((hit) => {
      const { name } = hit.place;
      if (!texts.has(name)) texts.set(name, textOf(node, hit.place));
      return rangeIn(texts.get(name), hit);
    });
    CSS.highlights.set(HIT, new Highlight(...ranges.filter((r, i) => r && i !== this.at)));
    CSS.highlights.set(HERE, new Highlight(...[ranges[this.at]].filter(Boolean)));
  }

  /** Bring the hit that one stands on into sight. */
  reveal() {
    const hit = this.hits[this.at];
    const text = hit && textOf(this.desk.screen.node, hit.place);
    const range = text && rangeIn(text, hit);
    const pane = text?.node.closest(".body");
    if (!range || !pane) return;
    const box = pane.getBoundingClientRect();
    const at = range.getBoundingClientRect();
    if (at.top < box.top + 20 || at.bottom > box.bottom - 20)
      pane.scrollTop += at.top - box.top - box.height / 3;
  }
}

/** The bar in the head of the right pane, or the button that opens it. */
export function findBlocks(desk) {
  const { find } = desk;
  if (!find.open) {
    return [
      block("find", "closed", () =>
        button(".opens", { key: "/", onclick: () => desk.acts.find() }, "Find"),
      ),
    ];
  }
  return [
    {
      key: "finding",
      make: () =>
        h(
          "search.find",
          { onkeydown: (event) => find.key(event) },
          h("input", {
            type: "search",
            "aria-label": "Find in this example",
            placeholder: "Find in this example",
            value: find.query,
            dir: "auto",
            oninput: (event) => find.type(event.target.value),
          }),
          h("span.hits", { role: "status" }),
          button(".cap", { label: "Hit before", onclick: () => find.step(-1) }, h("kbd", {}, "⇧↵")),
          button(".cap", { label: "Next hit", onclick: () => find.step(1) }, h("kbd", {}, "↵")),
          button(".cap", { label: "Close the search", onclick: () => find.close() }, h("kbd", {}, "Esc")),
        ),
      into: (bar) => {
        const status = bar.querySelector(".hits");
        if (status.textContent !== find.words()) status.textContent = find.words();
      },
    },
  ];
}

/** The texts of an example in reading order: {name, text, find}, `find` selects where it stands. */
function placesOf(item) {
  const of = (name, text, ...find) => ({ name, text: text ?? "", find });
  return [
    of("question", item.question, ".question h2"),
    of("answer", item.answer, ".question .answer"),
    ...item.units.flatMap(({ label, text, reasoning }) => {
      const unit = `.truth [data-key="${label}"]`;
      return [
        of(`${label} text`, text, `${unit} .text`),
        of(`${label} why`, reasoning, `${unit} .judge p`, `${unit} .reason`),
      ];
    }),
    ...(item.retrieved ?? []).map(({ rank, text }) =>
      of(`p${rank}`, text, `.retrieved [data-key="p${rank}"] .text`),
    ),
  ];
}

/** Where the words stand, whatever their case and the blanks between them. */
function hitsIn(places, query) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  const wanted = new RegExp(escaped.join("\\s+"), "giu");
  const hits = [];
  for (const place of places) {
    for (const found of place.text.matchAll(wanted)) {
      hits.push({ place, start: found.index, end: found.index + found[0].length });
      if (hits.length === MOST) return hits;
    }
  }
  return hits;
}

/** The text as it stands on the page: its element and text nodes; null if it is not drawn. */
function textOf(root, { find, text }) {
  const node = find.map((selector) => root.querySelector(selector)).find(Boolean);
  if (!node) return null;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const pieces = [];
  let from = 0;
  while (walker.nextNode()) {
    pieces.push({ node: walker.currentNode, from });
    from += walker.currentNode.length;
  }
  // Words of ours, such as "Judge:", stand in front of it; a folded text is cut at its end.
  return { node, pieces, length: from, offset: Math.max(0, from - text.length) };
}

function rangeIn(text, { start, end }) {
  if (!text) return null;
  const range = document.createRange();
  const [from, to] = [start + text.offset, end + text.offset];
  if (to > text.length) return null;
  const first = text.pieces.findLast((p) => p.from <= from);
  const last = text.pieces.findLast((p) => p.from < to);
  range.setStart(first.node, Math.min(from - first.from, first.node.length));
  range.setEnd(last.node, Math.min(to - last.from, last.node.length));
  return range;
}
