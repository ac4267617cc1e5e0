// How far each example of the list is: one tick each, and the same states for the list itself.
import { currentUnits } from "./decisions.js";
import { h } from "./dom.js";

const TICKS = 40;

/** The forty of the list that the current one stands among. */
export function ticks({ model }) {
  const first = Math.floor(model.at / TICKS) * TICKS;
  const states = model.order.slice(first, first + TICKS).map((id, i) => {
    const item = model.items.get(id);
    const here = first + i === model.at ? " here" : "";
    const flagged = item && model.flagged(item) ? " flagged" : "";
    return `${stateOf(model, item)}${here}${flagged}`;
  });
  return {
    key: "ticks",
    sig: states.join(),
    make: () =>
      h(
        "div.ticks",
        { "aria-hidden": "true" },
        states.map((state) => h("i", { class: state })),
      ),
  };
}

/** unknown (not here yet), failed, changed, done or todo. */
export function stateOf(model, item) {
  if (!item) return "unknown";
  if (item.sentence && !item.units.length) return "failed";
  const units = unitsOf(model, item);
  if (units.some((u) => u.changed && u.decision)) return "changed";
  if (units.length && units.every((u) => u.decision)) return "done";
  return item.sentence ? "failed" : "todo";
}

function unitsOf(model, item) {
  return model.outbox.decidingOn(item.id).length
    ? model.view(item).units
    : currentUnits(item, item.decisions);
}
