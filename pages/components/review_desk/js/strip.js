// The strip above: where one is in the list, and whether everything is saved.
import { blindButton } from "./blind.js";
import { block, button, h, patch } from "./dom.js";
import { position, queueTabs, stopLine } from "./queues.js";
import { othersWords } from "./resolve.js";
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
