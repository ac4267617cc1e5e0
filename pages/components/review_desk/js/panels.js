// What lies over the panes for a moment: the sheet of keys, the history of an example, its calls, and
// other judges beside it.
import { callsBody } from "./calls.js";
import { button, h } from "./dom.js";
import { commentsBody } from "./comments.js";
import { judgesBody } from "./judges.js";
import { memoryBody, memoryTold } from "./memory.js";
import { revertRow, undoCell } from "./reverting.js";
import { actSaid, causeSaid, clock, count, stateSaid, who } from "./words.js";

const SHEET = [
  [["←", "→", " or ", "H", "L"], "previous, next example"],
  [["↑", "↓", " or ", "K", "J"], "unit above, unit below"],
  [
    ["0", " … ", "5"],
    "set the score of the open unit; 1 and 0 are yes and no, found and not found",
  ],
  [["."], "half a point more, where the run allows halves"],
  [["↵"], "confirm the open unit, then go to the next one"],
  [["Ctrl", "↵"], "confirm all that is left and go to the next example"],
  [["U"], "undo your newest change of the open unit, or confirming all of the one before"],
  [["N"], "why, and a note; some reasons exclude the unit or move it to bonus"],
  [["F"], "flag the example for another look, or take the flag away"],
  [["B"], "go to the most valuable example next"],
  [["/"], "search in the texts of the example"],
  [["Y"], "history of the example"],
  [["S"], "the call to the model: prompt, raw reply, tokens, time"],
  [["O"], "other judges of the example, side by side"],
  [["M"], "comments on the example"],
  [["T"], "take over what was decided on the unit before"],
  [["A", " or ", "B"], "where reviewers differ: keep what that one says"],
  [["?"], "this sheet"],
  [["Esc"], "close, or leave a control so that keys work again"],
];

const HALF = Math.ceil(SHEET.length / 2);

export function keysSheet(desk) {
  return panel(
    desk,
    "Keys",
    h("div.keysheets", {}, sheetOf(SHEET.slice(0, HALF)), sheetOf(SHEET.slice(HALF))),
    h("p.hint", {}, "Keys sleep while you type and while a button has the focus."),
  );
}

function sheetOf(rows) {
  const cells = rows.map(([caps, words]) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        caps.map((cap) => (cap.startsWith(" ") ? cap : h("kbd", {}, cap))),
      ),
      h("td", {}, words),
    ),
  );
  return h("table.keysheet", {}, h("tbody", {}, cells));
}

/** Who, when, from, to, why: every decision on the example, newest first. */
export function historyPanel(desk, view) {
  const { decisions, item } = view;
  const kinds = new Map(item.units.map((u) => [u.label, u.kind]));
  const rows = [...decisions]
    .reverse()
    .flatMap((d) => [historyRow(desk, view, d, kinds.get(d.unit)), revertRow(desk, d)])
    .filter(Boolean);
  const heads = ["Unit", "Who", "When", "What", "From", "To", "Why", "Take back"];
  return panel(
    desk,
    "History",
    decisions.length
      ? h(
          "table.history",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              heads.map((text, i) =>
                h("th", { scope: "col" }, i < 7 ? text : h("span.unseen", {}, text)),
              ),
            ),
          ),
          h("tbody", {}, rows),
        )
      : h("p.empty", {}, "Nobody has decided anything here yet. What counts is the judge’s."),
    decisions.length > 0 &&
      h(
        "p.hint",
        {},
        `${count(decisions.length, "decision")}. They only ever grow: an undo is one more.`,
      ),
  );
}

/** What people say about the example; its list is filled by `drawComments`. */
export function commentsPanel(desk) {
  return panel(desk, "Comments", ...commentsBody(desk));
}

const TITLES = { calls: "The call", judges: "Judges side by side", memory: "Decided before" };
const BODIES = {
  calls: (desk, view, body) => callsBody(body),
  judges: judgesBody,
  memory: (desk, view, body) => memoryBody(desk, body),
};

/** A panel whose content comes when it is opened: the calls, or the other judges. */
export function fetchedPanel(desk, view) {
  const kind = desk.panel;
  const title = TITLES[kind];
  const told = kind === "memory" ? memoryTold(desk) : null;
  if (told) return panel(desk, title, ...told.filter(Boolean));
  const content = desk.panelContent();
  if (!content) return panel(desk, title, h("p.empty", { role: "status" }, "Reading…"));
  if (content.trouble) return panel(desk, title, h("p.unfound", {}, content.trouble));
  const body = BODIES[kind](desk, view, content.body);
  return panel(desk, title, ...body.filter(Boolean));
}

function historyRow(desk, view, decision, kind) {
  const { unit, reviewer, at, before, after, note, pending } = decision;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, unit),
    h("td", {}, h("bdi", {}, who(reviewer, desk.model.me))),
    h("td.time", {}, pending ? "saving…" : clock(at)),
    h("td", {}, actSaid(decision)),
    h("td", {}, stateSaid(before, kind)),
    h("td", {}, stateSaid(after, kind)),
    h("td.why", { dir: "auto" }, [causeSaid(decision), note].filter(Boolean).join(": ")),
    undoCell(desk, view, decision),
  );
}

function panel(desk, title, ...children) {
  return h(
    "div.panel",
    { role: "dialog", "aria-label": title, tabindex: "-1" },
    h(
      "header",
      {},
      h("h3", {}, title),
      button(
        ".framed",
        { key: "Escape", cap: "Esc", onclick: () => desk.acts.toggle(null) },
        "Close",
      ),
    ),
    ...children,
  );
}
