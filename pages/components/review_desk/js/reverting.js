// Taking back an older decision from the history: first what that would do, then the act.
import { button, h } from "./dom.js";

/** The last cell of a row of the history; nothing where the decision cannot be taken back. */
export function undoCell(desk, view, decision) {
  const effective = view.units.find((u) => u.unit.label === decision.unit);
  const mine = effective && desk.model.undoable(effective);
  if (!mine || mine.id !== decision.id || decision.pending) return h("td");
  if (desk.reverting !== decision.id)
    return h(
      "td",
      {},
      button(
        ".small",
        {
          label: `Take back ${decision.unit}: see first what that does`,
          onclick: () => desk.acts.askRevert(decision.id),
        },
        "Take back…",
      ),
    );
  return h("td.asked", {}, "↓");
}

/** Below the row that was asked about: the effect, and the two ways on. */
export function revertRow(desk, decision) {
  if (desk.reverting !== decision.id) return null;
  const content = desk.revertContent();
  const words = content ? (content.trouble ?? content.body.words) : "Working out what that does…";
  return h(
    "tr.reverting",
    {},
    h("td"),
    h(
      "td",
      { colspan: "7" },
      h("p", { role: "status" }, words),
      h(
        "div.row",
        {},
        content?.body &&
          button(".small", { onclick: () => desk.acts.revert(decision) }, "Take it back"),
        button(".small", { onclick: () => desk.acts.askRevert(null) }, "Leave it"),
      ),
    ),
  );
}
