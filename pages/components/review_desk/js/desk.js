// The desk itself: one per mounted component. It takes what Python sends, draws, and turns keys and
// clicks into acts; the acts travel through the outbox.
import { h } from "./dom.js";
import { Find } from "./find.js";
import { keyHandler } from "./keys.js";
import { Model } from "./model.js";
import { Panels } from "./fetched.js";
import { Screen } from "./screen.js";
import { Showing } from "./showing.js";
import { Acts } from "./acts.js";
import { Wire } from "./wire.js";

let active = null;

class Desk {
  constructor(root, name, model) {
    this.root = root;
    this.name = name;
    this.model = model;
    this.expanded = new Set();
    this.panel = null;
    this.panels = new Panels();
    this.reverting = null; // the decision whose taking back is being looked at
    this.chosen = null; // the quote that stays lit
    this.pointed = null; // the quotes that one points at just now
    this.said = null; // what became of asking a judge again: {judgement, trouble}
    this.generation = 0;
    this.wire = new Wire(this);
    this.showing = new Showing(this);
    this.find = new Find(this);
    this.screen = new Screen(this);
    this.acts = new Acts(this);
    this.onKey = keyHandler(this);
    document.addEventListener("keydown", this.onKey);
  }

  get connected() {
    return this.root.host?.isConnected ?? this.root.isConnected;
  }

  /** Python has sent something: answers, examples, or both. */
  receive(data) {
    const shown = this.model.id;
    const blind = this.model.person?.blind;
    for (const item of data.items) this.panels.forget(item.id);
    this.model.receive(data);
    this.panels.take(data.panel);
    this.said = data.said ?? null;
    this.acts.takeValuable(data.valuable);
    this.screen.draw({ fresh: shown !== this.model.id });
    this.wire.heard(data);
    if (blind !== undefined && blind !== data.person.blind) this.wire.send();
  }

  get trouble() {
    return this.wire.trouble;
  }

  /** The panel that stands open and lacks its content, as Python is asked for it; else null. */
  panelWanted() {
    const id = this.model.item?.id;
    if (this.panel === "history" && this.reverting !== null && id !== undefined)
      return this.panels.lackingRevert(id, this.reverting);
    return this.panels.lacking(this.panel, this.model.item?.id);
  }

  panelContent() {
    return this.panels.get(this.panel, this.model.id);
  }

  revertContent() {
    return this.panels.content.get(`revert:${this.model.id}:${this.reverting}`) ?? null;
  }

  panelSig() {
    return `${this.model.id} ${this.panelContent() ? "there" : "on its way"}`;
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
    this.wire.close();
    this.showing.close();
    this.find.end();
    this.screen.close();
    if (active === this) active = null;
  }
}

const desks = new WeakMap();

/**
 * The desk on this root. When Streamlit puts the component anew in the place of the old one, as it
 * does when a server comes back, the new desk goes on with everything the old one had.
 */
function deskOf(root, { name, reviewer }) {
  if (!desks.has(root)) {
    const before = active?.name === name ? active.model : null;
    active?.close();
    active = new Desk(root, name, before ?? new Model(reviewer));
    desks.set(root, active);
  }
  return desks.get(root);
}

/**
 * Streamlit calls this on every change of the data, without cleaning up in between, and may run an
 * older call's clean-up after a newer call: only the newest one's closes the desk, and only once
 * the desk has left the page.
 */
export default function mount({ parentElement, data, setStateValue, setTriggerValue }) {
  try {
    const desk = deskOf(parentElement, data);
    const generation = (desk.generation += 1);
    desk.wire.connect(setStateValue, setTriggerValue);
    desk.receive(data);
    return () =>
      setTimeout(() => {
        if (desk.generation !== generation || desk.connected) return;
        desk.close();
        desks.delete(parentElement);
      }, 100);
  } catch (error) {
    showFailure(parentElement, error);
    return undefined;
  }
}

/** A fault of ours must not look like lost work: say what is safe. */
function showFailure(root, error) {
  console.error(error);
  root.querySelector(".failure")?.remove();
  root.append(
    h(
      "p.failure",
      { role: "alert" },
      "The review desk could not be drawn. Decisions that were saved are in the database; those that were not are kept in this tab. Reload the page to go on. ",
      h("code", {}, String(error)),
    ),
  );
}
