// The list that one walks through: its frozen order, where one is, a window of its examples, and what
// another queue brought into it. No DOM here.
import { calmFrom, withDraw } from "./showing.js";

const AHEAD = 80;
const REFILL = 60;
const BEHIND = 40;
const KEPT = 240;
const DRAWN_ELSEWHERE =
  "Somebody else drew the example that stood here. This is your next draw of the audit.";
const OUT_OF_TURN = "An audit keeps to its random order. This is your next draw.";

export class Listing {
  constructor() {
    this.order = [];
    this.orderKey = null;
    this.at = 0;
    this.items = new Map();
    this.run = {};
    this.seenQueues = new Map(); // every queue that has been on screen, by name
    this.brought = new Map(); // examples that another queue brought than the list's: id to queue
    this.extra = new Set(); // examples in the order that did not come with the list
    this.told = new Set(); // examples of which Python knows that they were shown
    this.asking = null; // on which example b was pressed, until Python says what is next
    this.news = null; // what the desk did by itself to the example on screen: {id, text}
    this.calmUntil = 0; // no key decides before: the screen has just changed by itself
  }

  /** Which queue brought the example. */
  queueOf(id) {
    return this.brought.get(id) ?? this.run.queue;
  }

  /** Who has flagged the example, as its flag or an unanswered act has it; null for nobody. */
  flagged(item) {
    const last = this.outbox.pendingOn(item.id).findLast((e) => /^(un)?flag$/.test(e.what));
    if (!last) return item.flag ?? null;
    return last.what === "flag" ? { by: this.me, at: null, note: "" } : null;
  }

  /** Another order of the list: what is on screen stays there, though the list has dropped it. */
  takeOrder(order, shown) {
    const index = order.indexOf(shown);
    const place = index < 0 ? Math.min(this.at, order.length) : index;
    this.order = index < 0 ? [...order.slice(0, place), shown, ...order.slice(place)] : order;
    this.at = place;
  }

  /** The audit drew another example than the one that was shown, which somebody else had drawn. */
  takeDraw(shown, drawn) {
    const here = this.id;
    const item = this.items.get(shown);
    const keep =
      this.outbox.decidingOn(shown).length > 0 ||
      Boolean(item?.decisions.some((d) => d.reviewer === this.me));
    const before = this.order.indexOf(drawn);
    const ahead = before >= 0 && before < this.order.indexOf(shown);
    if (!ahead) this.order = withDraw(this.order, shown, drawn, { keep });
    if (!keep && ahead) this.told.delete(shown); // its turn comes
    this.told.add(drawn);
    this.extra.add(drawn);
    if (keep) this.brought.set(shown, "chosen");
    const place = ahead && !keep && here === shown ? before : this.order.indexOf(here);
    this.at = place < 0 ? this.order.indexOf(drawn) : place;
    if (this.id === here) return;
    this.calmUntil = calmFrom(Date.now());
    this.news = { id: drawn, text: ahead ? OUT_OF_TURN : DRAWN_ELSEWHERE };
  }

  /** An example that another queue brings: in the list where it stands, else right after this. */
  bring(id, queue) {
    const index = this.order.indexOf(id);
    if (!this.told.has(id)) this.brought.set(id, queue);
    if (index >= 0 && this.run.queue === "chosen") return this.goTo(index);
    const rest = this.order.filter((other) => other !== id);
    const place = rest.indexOf(this.id) + 1;
    const at = rest[place - 1];
    this.order = [...rest.slice(0, place), id, ...rest.slice(place)];
    this.at = this.order.indexOf(at);
    this.extra.add(id);
    return this.goTo(place);
  }

  append(judgement, decision) {
    const item = this.items.get(judgement);
    if (!item || item.decisions.some((d) => d.id === decision.id)) return;
    const decisions = [...item.decisions, decision].sort((a, b) => a.id - b.id);
    this.items.set(judgement, { ...item, decisions });
  }

  evict() {
    if (this.items.size <= KEPT) return;
    const near = new Set(this.order.slice(Math.max(0, this.at - KEPT / 2), this.at + KEPT / 2));
    for (const id of this.items.keys()) if (!near.has(id)) this.items.delete(id);
  }

  get id() {
    return this.order[this.at];
  }

  /** The example on screen, or undefined while it is still on its way. */
  get item() {
    return this.items.get(this.id);
  }

  /** Ids to ask for: twenty more as soon as fewer than sixty stand ahead, and what is behind. */
  wanted() {
    const missing = (from, to) =>
      this.order.slice(Math.max(0, from), Math.max(0, to)).filter((id) => !this.items.has(id));
    const { at } = this;
    if (!missing(at, at + REFILL + 1).length && !missing(at - 10, at).length) return [];
    return [...missing(at, at + AHEAD + 1), ...missing(at - BEHIND, at).reverse()];
  }

  /** The newest decision known on the example on screen, so that Python can tell if it is stale. */
  newest() {
    return this.item?.decisions?.at(-1)?.id ?? 0;
  }

  move(step) {
    return this.goTo(this.at + step);
  }

  goTo(index) {
    if (index < 0 || index >= this.order.length || index === this.at) return false;
    this.at = index;
    this.asking = null;
    this.message = null;
    this.leftBehind = null;
    return true;
  }

  /** Have Python told that the example was shown; whether there was anything to tell. */
  tellShown(judgement) {
    if (this.told.has(judgement) || !this.run.id) return false;
    this.told.add(judgement);
    const queue = this.queueOf(judgement);
    this.outbox.add({ what: "show", judgement, run: this.run.id, queue });
    return true;
  }
}
