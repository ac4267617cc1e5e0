// The bar at the foot: through the list, what can be done with the example, and on.
import { commentsButton } from "./comments.js";
import { block, button, h, patch } from "./dom.js";
import { isContested } from "./resolve.js";

export function drawBar(node, desk, view) {
  const { model } = desk;
  patch(node, [
    walkButton(desk, -1, model.at > 0),
    walkButton(desk, 1, model.at < model.order.length - 1),
    valuableButton(desk, view),
    flagButton(desk, view),
    panelButton(desk, "history", "Y", "History", view?.decisions.length ?? 0),
    model.run.model && panelButton(desk, "calls", "S", "Show the call"),
    view?.item.others > 0 && panelButton(desk, "judges", "O", "Judges", view.item.others + 1),
    commentsButton(desk, view),
    { key: "space", make: () => h("span.space") },
    reviewed(view),
    goButton(desk, view),
  ]);
}

function walkButton(desk, step, there) {
  const [name, key, cap] =
    step < 0 ? ["Previous", "ArrowLeft", "←"] : ["Next", "ArrowRight", "→"];
  return block(name, there, () =>
    button(
      ".framed",
      {
        label: `${name} example`,
        key,
        cap,
        capFirst: step < 0,
        disabled: !there,
        onclick: () => desk.acts.move(step),
      },
      name,
    ),
  );
}

/** Where people differ, b keeps what reviewer B says on the open unit, so it is not printed here. */
function valuableButton(desk, view) {
  const taken = view?.units.some((u) => u.unit.label === view.open && isContested(u));
  const facts = [desk.model.asking !== null, Boolean(view), Boolean(taken)];
  return block("valuable", facts, ([asking, there]) =>
    button(
      "",
      {
        key: taken ? null : "B",
        disabled: !there,
        "aria-busy": String(asking),
        onclick: () => desk.acts.valuable(),
      },
      "Most valuable next",
    ),
  );
}

function flagButton(desk, view) {
  return block("flag", view ? Boolean(desk.model.flagged(view.item)) : null, (flagged) =>
    button(
      flagged ? ".flag.on" : ".flag",
      {
        key: "F",
        disabled: flagged === null,
        "aria-pressed": String(Boolean(flagged)),
        onclick: () => desk.acts.flag(),
      },
      flagged ? "Flagged" : "Flag",
    ),
  );
}

function panelButton(desk, panel, key, words, number = 0) {
  return block(panel, number, () =>
    button(
      "",
      { key, "aria-haspopup": "dialog", onclick: () => desk.acts.toggle(panel) },
      number ? `${words} ${number}` : words,
    ),
  );
}

function reviewed(view) {
  const total = view?.units.length ?? 0;
  return (
    total > 0 &&
    block("reviewed", [total - view.left.length, total], ([done]) =>
      h("p.reviewed", {}, `${done} of ${total} reviewed`),
    )
  );
}

function goButton(desk, view) {
  const { acts } = desk;
  return block("go", [acts.goLabel(view), acts.goReady(view)], ([label, ready]) =>
    button(
      ".primary",
      {
        key: "Control+Enter",
        cap: "Ctrl ↵",
        disabled: label === null || !ready,
        onclick: () => acts.confirmLeft(),
      },
      label ?? "Last example",
    ),
  );
}
