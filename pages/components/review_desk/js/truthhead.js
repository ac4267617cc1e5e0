// The head of the left pane: how much was expected, and the steps from unit to unit.
import { h, patch } from "./dom.js";
import { count, kindWords } from "./words.js";

export function drawTruthHead(head, desk, view) {
  const { item } = view;
  const kinds = [...new Set(item.units.map((u) => u.kind))];
  const words = kinds.map((kind) => {
    const number = item.units.filter((u) => u.kind === kind).length;
    const { name, noun } = kindWords(kind);
    return noun === "passage"
      ? `${number} ${name.toLowerCase()}`
      : count(number, name.toLowerCase());
  });
  patch(head, [
    {
      key: "title",
      sig: words.join(),
      make: () => h("h3", {}, "Ground truth", h("small", {}, words.join(", "))),
    },
    {
      key: "steps",
      make: () =>
        h(
          "span.steps",
          {},
          stepButton(desk, -1, "↑", "Unit above", "ArrowUp"),
          stepButton(desk, 1, "↓", "Unit below", "ArrowDown"),
        ),
    },
  ]);
}

function stepButton(desk, by, sign, label, key) {
  return h(
    "button.cap",
    {
      type: "button",
      "aria-label": label,
      "aria-keyshortcuts": key,
      onmousedown: (event) => event.preventDefault(),
      onclick: () => desk.acts.step(by),
    },
    h("kbd", {}, sign),
  );
}
