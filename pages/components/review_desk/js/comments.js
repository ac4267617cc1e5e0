// What people say to each other about an example; plain text only.
import { block, button, h, patch, prose } from "./dom.js";
import { clock, who } from "./words.js";

const DRAFT = "comment";

/** The button in the bar, with how many there are. */
export function commentsButton(desk, view) {
  if (!view) return null;
  const waiting = pendingComments(desk).length;
  return block("comments", view.item.comments + waiting, (number) =>
    button(
      "",
      { key: "M", "aria-haspopup": "dialog", onclick: () => desk.acts.toggle("comments") },
      number ? `Comments ${number}` : "Comment",
    ),
  );
}

/** The list and the form; the form stays as it is while the list changes. */
export function commentsBody(desk) {
  const area = h("textarea", {
    id: "comment-text",
    rows: "3",
    dir: "auto",
    maxlength: "10000",
    oninput: () => desk.model.setDraft(DRAFT, { note: area.value }),
    onkeydown: (event) => keyInComment(desk, event, area),
  });
  area.value = desk.model.draft(DRAFT)?.note ?? "";
  return [
    h("div.comments"),
    h(
      "div.note.editing",
      {},
      h("label", { for: "comment-text" }, "Comment on this example"),
      area,
      h(
        "div.row",
        {},
        button(
          ".primary",
          { key: "Control+Enter", cap: "Ctrl ↵", onclick: () => post(desk, area) },
          "Post comment",
        ),
        h("p.hint", {}, "Everybody who works on this example is told."),
      ),
    ),
  ];
}

/** Whoever opens the comments may type at once: keys that went to the desk would decide there. */
export function focusComment(over) {
  over.querySelector("#comment-text")?.focus({ preventScroll: true });
}

function keyInComment(desk, event, area) {
  if (event.isComposing) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    event.stopPropagation();
    post(desk, area);
  }
}

function post(desk, area) {
  if (!area.value.trim()) return area.focus();
  desk.acts.comment(area.value);
  area.value = "";
}

/** Fill the list anew; the text somebody is writing is not touched. */
export function drawComments(panel, desk) {
  const list = panel.querySelector(".comments");
  const content = desk.panelContent();
  const pending = pendingComments(desk);
  const body = content?.body ?? null;
  const nothing = body && !body.comments.length && !pending.length;
  patch(list, [
    !content && block("reading", "", () => h("p.empty", { role: "status" }, "Reading…")),
    content?.trouble && block("trouble", content.trouble, (text) => h("p.unfound", {}, text)),
    body?.withheld && block("withheld", body.withheld, (text) => h("p.hint", {}, text)),
    nothing && block("none", "", () => h("p.empty", {}, "Nobody has said anything here yet.")),
    ...(body?.comments ?? []).map((c) => one(desk, `c${c.id}`, c)),
    ...pending.map((e) =>
      one(desk, `p${e.client}${e.seq}`, { author: desk.model.me, at: null, text: e.text }),
    ),
  ]);
}

function one(desk, key, { author, at, text }) {
  return block(key, [author, at, text], () =>
    h(
      "article.comment",
      {},
      h(
        "header",
        {},
        h("bdi", {}, who(author, desk.model.me)),
        h("span.time", {}, at ? clock(at) : "sending…"),
      ),
      prose("p.text", text),
    ),
  );
}

function pendingComments({ model }) {
  return model.outbox.pendingOn(model.id).filter((e) => e.what === "comment");
}
