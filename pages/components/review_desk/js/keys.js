// Keys become acts. They sleep while somebody types and while a control has the focus.
import { focused, isControl } from "./dom.js";

export function keyHandler(desk) {
  return (event) => {
    if (event.defaultPrevented || event.isComposing || !desk.connected) return;
    const control = isControl(focused());
    if (control && event.key !== "Escape") return;
    const act = actOf(desk, event);
    if (!act) return;
    event.preventDefault();
    act();
  };
}

function actOf(desk, event) {
  const { acts } = desk;
  if (event.altKey) return null;
  if (event.ctrlKey || event.metaKey) {
    return event.key === "Enter" && !event.repeat ? () => acts.confirmLeft() : null;
  }
  const free = PANEL_KEYS[event.key];
  if (free) return () => free(acts);
  if (desk.panel === "keys") return null;
  const walk = WALK[event.key];
  if (walk && event.repeat && desk.model.run.queue === "audit") return null; // each would be drawn
  if (walk) return () => walk(acts);
  const keep = event.repeat ? null : acts.keepable(event.key);
  if (keep) return keep;
  if (event.repeat) return null; // a key held down must not decide one unit after another
  if (/^[0-9]$/.test(event.key)) return () => acts.score(event.key);
  const once = ONCE[event.key];
  return once ? () => once(acts) : null;
}

const PANEL_KEYS = {
  "?": (acts) => acts.toggle("keys"),
  y: (acts) => acts.toggle("history"),
  m: (acts) => acts.toggle("comments"),
  s: (acts) => acts.toggle("calls"),
  o: (acts) => acts.toggle("judges"),
  Escape: (acts) => acts.escape(),
};

const WALK = {
  ArrowLeft: (acts) => acts.move(-1),
  h: (acts) => acts.move(-1),
  ArrowRight: (acts) => acts.move(1),
  l: (acts) => acts.move(1),
  ArrowUp: (acts) => acts.step(-1),
  k: (acts) => acts.step(-1),
  ArrowDown: (acts) => acts.step(1),
  j: (acts) => acts.step(1),
};

const ONCE = {
  Enter: (acts) => acts.enter(),
  u: (acts) => acts.undo(),
  n: (acts) => acts.note(),
  t: (acts) => acts.recall(),
  f: (acts) => acts.flag(),
  "/": (acts) => acts.find(),
  b: (acts) => acts.valuable(),
  ".": (acts) => acts.half(),
};
