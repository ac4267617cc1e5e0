// What people decided on the same unit in other runs: offered, taken over by an act, marked.
import { block, button, glyph, h } from "./dom.js";
import { clock, count, stateSaid, who } from "./words.js";

const PIECES = { same: "span", gone: "del", new: "ins" };

/** The units of the example for which an earlier decision with the same texts can be taken over. */
export function offers(view) {
  return view.units.filter((u) => !u.decision && u.basis === "judge" && u.unit.memory?.same);
}

/** What is remembered of the open unit, as long as nobody has decided on it here; else null. */
export function memoryBlock(desk, effective) {
  const { unit, decision, basis } = effective;
  const { memory } = unit;
  if (!memory || decision || basis !== "judge") return null;
  return block("memory", [memory, unit.label], () =>
    h(
      "div.memory",
      { role: "note" },
      h("p", {}, glyph("↺"), rememberedWords(desk, unit, memory), source(memory), "."),
      memory.note && h("p.why", { dir: "auto" }, memory.note),
      memory.same
        ? button(
            ".small",
            { key: "T", onclick: () => desk.acts.recall() },
            `Take over ${stateSaid(memory.state, unit.kind)}`,
          )
        : changes(memory),
    ),
  );
}

function rememberedWords(desk, unit, { state, reviewer, at, cause, same }) {
  const by = who(reviewer, desk.model.me);
  const said = stateSaid(state, unit.kind);
  const why = cause ? ` (${cause})` : "";
  const texts = same ? "with the same retrieved text" : "when the text was another one";
  return `Decided before: ${said}${why} by ${by}, ${clock(at)}, ${texts}, in `;
}

function source({ run, run_id: id, judgement }) {
  return h("a", { href: `?${new URLSearchParams({ run: id, judgement })}`, dir: "auto" }, run);
}

/** What differs from the text of then, so that nobody takes over a value that was about another. */
function changes(memory) {
  return h(
    "div.changes",
    {},
    memory.changes.map(({ before, now, pieces }) =>
      h(
        "p.change",
        { dir: "auto" },
        h("b", { dir: "ltr" }, changeWords(before, now), " "),
        pieces.map(([kind, text]) => h(PIECES[kind], {}, text)),
      ),
    ),
    h("p.hint", {}, "Crossed out: then. Underlined: now. Score it anew."),
  );
}

function changeWords(before, now) {
  if (before === null && now === null) return "The unit:";
  if (before === null) return `Passage ${now} is new:`;
  if (now === null) return `Passage ${before} has dropped out:`;
  return before === now ? `Passage ${now}:` : `Passage ${now}, then ${before}:`;
}

/** A closed unit only says that there is something. */
export function memoryLine(effective) {
  const { unit, decision, basis } = effective;
  if (!unit.memory || decision || basis !== "judge") return null;
  const { memory } = unit;
  const said = stateSaid(memory.state, unit.kind);
  const words = memory.same ? `decided before: ${said}` : `decided before, text changed: ${said}`;
  return block("remembered", words, () =>
    h("p.marks", {}, h("span.sign", {}, glyph("↺"), words)),
  );
}

/** Above the units: take over all that is remembered here, or in the whole run. */
export function memoryNotice(desk, view) {
  const number = offers(view).length;
  if (!number) return null;
  return block("offers", number, () =>
    h(
      "div.notice.offers",
      { role: "note" },
      glyph("↺"),
      h("span", {}, `${count(number, "unit")} here ${number === 1 ? "was" : "were"} decided before.`),
      number > 1 &&
        button(".small", { onclick: () => desk.acts.recallAll() }, `Take over all ${number}`),
      button(".small", { onclick: () => desk.acts.openMemory() }, "In the whole run…"),
    ),
  );
}

/** The mark of a value that was taken over; null for others. */
export function recalledState({ decision, changed }, by) {
  if (!decision?.recalled) return null;
  const what = changed ? "Changed" : "Confirmed";
  return { glyph: "↺", words: `${what} from memory by ${by}`, tone: "person" };
}

/** What has become of taking over, or is being done; null before. */
export function memoryTold(desk) {
  const { waiting, done } = desk.model.memoryOfRun;
  if (waiting) return [h("p.empty", { role: "status" }, "Just a moment…")];
  return done && doneBody(desk, done);
}

/** The panel about the whole run: how much could be taken over. */
export function memoryBody(desk, { examples, units, changed_units: changed }) {
  const more = changed
    ? `${count(changed, "more unit")} ${changed === 1 ? "was" : "were"} decided with other texts; their differences stand on the examples, and nothing is taken over.`
    : null;
  if (!units)
    return [
      h("p.empty", {}, "Nothing that waits for you here was decided before with the same texts."),
      more && h("p.hint", {}, more),
    ];
  return [
    h(
      "p",
      {},
      `${count(units, "unit")} of ${count(examples, "example")} of this run ${units === 1 ? "was" : "were"} decided in another run with the same texts. Taking them over confirms or changes the judge’s values, marked with where they come from. It is one step, and can be taken back as one.`,
    ),
    h("div.row", {}, button(".primary", { onclick: () => desk.acts.recallRun() }, `Take over ${count(units, "unit")}`)),
    more && h("p.hint", {}, more),
  ];
}

function doneBody(desk, { batch, units, examples, undone, left_out: left }) {
  const what = `${count(units, "unit")} of ${count(examples, "example")}`;
  if (undone) return [h("p", { role: "status" }, `Taken back: ${what}.`)];
  return [
    h("p", { role: "status" }, `Taken over: ${what}.`),
    left > 0 && h("p.hint", {}, `${count(left, "example")} could not be: look at them one by one.`),
    h(
      "div.row",
      {},
      button(".framed", { onclick: () => desk.acts.unrecallRun(batch) }, "Take them all back"),
    ),
  ];
}

/** What the offer adds to the history: where the value comes from. */
export function recalledNote(memory) {
  const { run, reviewer, note } = memory;
  return [`From “${run}”, ${reviewer}`, note].filter(Boolean).join(": ");
}
