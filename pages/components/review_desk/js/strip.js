// The strip above: where one is in the list, whether everything is saved; and the bar below.
import { blindButton } from "./blind.js";
import { block, button, h, patch } from "./dom.js";
import { commentsButton } from "./comments.js";
import { position, queueTabs, stopLine } from "./queues.js";
import { isContested, othersWords } from "./resolve.js";
import { ticks } from "./ticks.js";

export function drawStrip(node, desk, view) {
  patch(node, [
    queueTabs(desk),
    { key: "break", make: () => h("span.break") },
    ticks(desk),
    position(desk),
    othersLine(desk, view),
    stopLine(desk),
    { key: "space", make: () => h("span.space") },
    {
      key: "saved",
      make: () => h("p.saved", { role: "status" }),
      into: (status) => drawSaved(status, desk),
    },
    blindButton(desk),
    {
      key: "keys",
      make: () =>
        button(
          "",
          { key: "?", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("keys") },
          "Keys",
        ),
    },
  ]);
}

/** Whom the person waits for, or what is to be settled, where several review. */
function othersLine(desk, view) {
  const words = othersWords(desk, view);
  return words && block("others", words, (text) => h("p.others", { role: "status" }, text));
}

/** "Saved", "saving 2…", "3 not saved", "1 not written": fixed width, so that nothing moves. */
export function drawSaved(status, desk) {
  const { unsaved, unwritten } = desk.model.outbox;
  const lost = unsaved > 0 && Boolean(desk.trouble);
  const open = unsaved
    ? `saving ${unsaved}…`
    : unwritten.length
      ? `${unwritten.length} not written`
      : "Saved";
  const words = lost ? `${unsaved} not saved` : open;
  status.className = `saved ${words === "Saved" ? "kept" : unsaved && !lost ? "saving" : "lost"}`;
  if (status.textContent !== words) status.textContent = words;
}

/** Whether b keeps what reviewer B says on the open unit, as it does where people differ. */
function keepsB(view) {
  return Boolean(view?.units.some((u) => u.unit.label === view.open && isContested(u)));
}

export function drawBar(node, desk, view) {
  const { model } = desk;
  const reviewed = view ? view.units.length - view.left.length : 0;
  const total = view?.units.length ?? 0;
  patch(node, [
    block("previous", model.at > 0, (there) =>
      button(
        ".framed",
        {
          label: "Previous example",
          key: "ArrowLeft",
          cap: "←",
          capFirst: true,
          disabled: !there,
          onclick: () => desk.acts.move(-1),
        },
        "Previous",
      ),
    ),
    block("next", model.at < model.order.length - 1, (there) =>
      button(
        ".framed",
        {
          label: "Next example",
          key: "ArrowRight",
          cap: "→",
          disabled: !there,
          onclick: () => desk.acts.move(1),
        },
        "Next",
      ),
    ),
    block("valuable", [model.asking !== null, Boolean(view), keepsB(view)], ([asking, there, taken]) =>
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
    ),
    block("flag", view ? Boolean(model.flagged(view.item)) : null, (flagged) =>
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
    ),
    block("history", view ? view.decisions.length : 0, (number) =>
      button(
        "",
        { key: "Y", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("history") },
        number ? `History ${number}` : "History",
      ),
    ),
    model.run.model &&
      block("calls", [], () =>
        button(
          "",
          { key: "S", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("calls") },
          "Show the call",
        ),
      ),
    view?.item.others > 0 &&
      block("judges", view.item.others + 1, (number) =>
        button(
          "",
          { key: "O", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("judges") },
          `Judges ${number}`,
        ),
      ),
    commentsButton(desk, view),
    { key: "space", make: () => h("span.space") },
    total > 0 &&
      block("reviewed", [reviewed, total], () =>
        h("p.reviewed", {}, `${reviewed} of ${total} reviewed`),
      ),
    block("go", [desk.acts.goLabel(view), desk.acts.goReady(view)], ([label, ready]) =>
      button(
        ".primary",
        {
          key: "Control+Enter",
          cap: "Ctrl ↵",
          disabled: label === null || !ready,
          onclick: () => desk.acts.confirmLeft(),
        },
        label ?? "Last example",
      ),
    ),
  ]);
}
