// Scoring blind: what stands where the judge's word will be, and what one had said before it came.
// While it is hidden nothing of it is in this browser at all.
import { sameState } from "./decisions.js";
import { block, button, h } from "./dom.js";
import { count, stateSaid } from "./words.js";

/** Whether the judge's word on the example is kept from the person. */
export function isBlind(item) {
  return Boolean(item?.sight?.judge_hidden);
}

/** Whether the person has asked to see it, and the answer is on its way. */
export function isCommitting({ outbox }, item) {
  return outbox.pendingOn(item.id).some((e) => e.what === "commit");
}

/** In the place of the judge's score. */
export function hiddenChip() {
  return h("span.chip.veiled", { role: "img", "aria-label": "hidden" }, "·");
}

/** In the place of the judge's reasoning, in the open unit. */
export function blindBox() {
  return block("why", "box", () =>
    h("p.veil", {}, "Blind: the judge’s score, reasoning and evidence appear after you commit."),
  );
}

/** The same in a closed one. */
export function blindLine() {
  return block("why", "line", () => h("p.reason", {}, "Judge hidden"));
}

/** The state of a unit whose judge is hidden. */
export function blindState(effective) {
  if (effective.excluded) return { glyph: "◆", words: "Excluded by you", tone: "person" };
  if (!effective.decision) return { glyph: "○", words: "To score", tone: "quiet" };
  if (effective.score === null) return { glyph: "!", words: "Needs a score", tone: "bad" };
  return { glyph: "✓", words: "Scored by you", tone: "person" };
}

/** What the person had said when the judge's word came, if they have revised it since. */
export function firstWords(desk, effective) {
  const { first } = effective.unit;
  const own = effective.decision?.reviewer === desk.model.me ? effective : null;
  if (!first || (own && sameState(first, own))) return null;
  const { kind } = effective.unit;
  const then = stateSaid(first, kind);
  return own ? `first ${then}, now ${stateSaid(own, kind)}` : `first ${then}`;
}

/** After a second look: how far one agreed with oneself. */
export function twiceNotice({ twice }) {
  if (!twice) return null;
  return block("twice", twice, ({ same, units }) =>
    h(
      "p.notice",
      {},
      `You scored this a second time: ${same} of ${count(units, "unit")} got the same value again. What counts is the first.`,
    ),
  );
}

/** The person's own wish to review blind; it holds for examples they have not opened yet. */
export function blindButton(desk) {
  const on = Boolean(desk.model.person?.blind);
  const always = Boolean(desk.model.run.blind);
  return block("blind", [on, always], () =>
    button(
      on || always ? ".toggle.on" : ".toggle",
      {
        "aria-pressed": String(on || always),
        disabled: always,
        title: always
          ? "This run is reviewed blind by everybody."
          : "Hides the judge until you commit your own scores, in every run. Examples that you have opened already stay as they are.",
        onclick: () => desk.acts.toggleBlind(),
      },
      always ? "Blind: run" : `Blind: ${on ? "on" : "off"}`,
    ),
  );
}

/** What Ctrl+Enter does on a blind example, or what is still in its way. */
export function commitLabel(desk, view) {
  if (isCommitting(desk.model, view.item)) return { words: "Committing…", ready: false };
  const lacking = view.units.filter((u) => !u.decision || (u.score === null && !u.excluded));
  if (!lacking.length) return { words: "Commit and see the judge", ready: true };
  const many = lacking.length > 1 ? `${lacking.length} more scores` : "1 more score";
  return { words: `Commit needs ${many}`, ready: false };
}
