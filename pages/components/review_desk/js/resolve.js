// Several reviewers who do not see each other: waiting for the rest, then settling differences.
import { isBlind } from "./blind.js";
import { block, button, h } from "./dom.js";
import { count, scoreStep, scoreWords, stateSaid } from "./words.js";

export const KEEP_KEYS = ["A", "B", "D"]; // C belongs to Streamlit

/** How many more people have to finish once this one has, 0 unless the person waits for them. */
export function awaited({ model }, view) {
  const { item } = view;
  const { run } = model;
  if (!run.independent || !item.sight?.others_hidden || isBlind(item)) return 0;
  if (!view.units.length || view.left.length) return 0;
  const others = item.sight.reviewers_done - (item.sight.done ? 1 : 0);
  return Math.max(0, run.needed - others - 1);
}

/** Words about others for the strip; null where there is nothing to say. */
export function othersWords(desk, view) {
  const more = view ? awaited(desk, view) : 0;
  if (more) return `waiting for ${more} more reviewer${more === 1 ? "" : "s"}`;
  const open = view ? view.units.filter((u) => u.basis === "disputed").length : 0;
  if (open) return `${count(open, "disagreement")} to resolve`;
  if (desk.model.run.independent && view?.item.sight?.others_hidden)
    return `${desk.model.run.needed} reviewers, each alone`;
  return null;
}

/** The state of a unit that several people have decided on independently; null for others. */
export function basisState({ basis, decision, excluded }, by) {
  if (basis === "disputed") return { glyph: "⇄", words: "Reviewers differ", tone: "bad" };
  if (basis === "resolved") {
    const name = by(decision.reviewer);
    return { glyph: "◆", words: `Resolved by ${name}`, tone: "person" };
  }
  if (basis !== "agreed") return null;
  return { glyph: "✓", words: excluded ? "Agreed: excluded" : "Agreed", tone: "person" };
}

/** Whether the unit is or was in dispute, so that its values are shown side by side. */
export function isContested({ basis }) {
  return basis === "disputed" || basis === "resolved";
}

/** What each reviewer has the unit at, others before the person, each with the key to keep it. */
export function opinionsOf({ unit }, me) {
  const opinions = [...(unit.counts?.opinions ?? [])];
  opinions.sort(
    (a, b) =>
      Number(a.reviewer === me) - Number(b.reviewer === me) ||
      (a.reviewer < b.reviewer ? -1 : 1),
  );
  return opinions.slice(0, KEEP_KEYS.length).map((o, i) => ({ ...o, key: KEEP_KEYS[i] }));
}

/** A row for each reviewer and one for the judge, in the open unit. */
export function contest(desk, effective) {
  const { unit } = effective;
  const rows = opinionsOf(effective, desk.model.me);
  const facts = [rows, unit.score, unit.reasoning, effective.basis];
  return block("contest", facts, () =>
    h(
      "div.contest",
      { role: "group", "aria-label": `What reviewers say of ${unit.label}` },
      rows.map((row) => opinionRow(desk, effective, row)),
      h(
        "div.opinion.machine",
        {},
        h("span.name", {}, "Judge"),
        valueChip({ ...unit, excluded: false }, unit.kind),
        h("p.why", { dir: "auto" }, unit.reasoning || unit.failure || "gave no reasoning."),
      ),
    ),
  );
}

function opinionRow(desk, effective, row) {
  const { unit } = effective;
  const why = [row.cause, row.note].filter(Boolean).join(": ");
  const value = stateSaid(row.state, unit.kind);
  return h(
    "div.opinion",
    {},
    h("span.name", {}, h("bdi", {}, row.reviewer === desk.model.me ? "You" : row.reviewer)),
    valueChip(row.state, unit.kind),
    h("p.why", { dir: "auto" }, why || h("span.none", {}, "no note")),
    button(
      ".framed",
      {
        key: row.key,
        label: `Keep ${value}, by ${row.reviewer === desk.model.me ? "you" : row.reviewer}`,
        onclick: () => desk.acts.keep(row.key),
      },
      `Keep ${value}`,
    ),
  );
}

function valueChip(state, kind) {
  if (state.excluded) return h("span.chip.none", {}, "out");
  const words = scoreWords(state.score, state.kind);
  const moved = state.kind === kind ? words : stateSaid(state, kind);
  return h("span.chip", { class: scoreStep(state.score, state.kind) }, moved);
}

/** Below the score keys: what becomes of the names. */
export function namesHint({ basis }) {
  return (
    basis === "disputed" &&
    block("names", "", () =>
      h("p.hint", {}, "Names are shown once every difference here is resolved."),
    )
  );
}

/** What Ctrl+Enter does where differences are open; null where none are. */
export function resolveLabel(view) {
  const open = view.units.filter((u) => u.basis === "disputed");
  return open.length ? `Resolve ${open[0].unit.label} first` : null;
}
