// The right pane: what came back, with the evidence of the open unit and of the others marked.
import { isBlind } from "./blind.js";
import { block, button, h, patch } from "./dom.js";
import { suspicion } from "./marks.js";
import { evidenceName } from "./pointing.js";
import { count } from "./words.js";

const FOLDS_FROM = 150;
const LONG = 2400;

export function drawPassages(pane, desk, view) {
  const { item, open } = view;
  const unit = item.units.find((u) => u.label === open);
  const shown = passagesOf(item);
  pane.classList.toggle("hundreds", shown.length > 99);
  patch(pane, [
    unit &&
      !isBlind(item) &&
      !unit.evidence.some((e) => e.located) &&
      shown.length > 0 &&
      block("uncited", unit.label, (label) =>
        h(
          "p.uncited",
          {},
          `The judge cites no evidence for ${label}. Read all passages before you agree.`,
        ),
      ),
    !shown.length &&
      block("empty", item.retrieved === null, (absent) =>
        h(
          "p.empty",
          {},
          absent
            ? "The data has no retrieved passages."
            : "Nothing was retrieved for this question.",
        ),
      ),
    ...shown.map((passage) => passageBlock(desk, item, passage, open)),
  ]);
}

/** Rank null is the actual output: it stands here too when a judge cites it or nothing else is. */
function passagesOf(item) {
  const retrieved = item.retrieved ?? [];
  const cited = item.units.some((u) => u.evidence.some((e) => e.located && e.rank === null));
  if (item.answer && (cited || item.retrieved === null)) {
    return [{ rank: null, id: "answer", text: item.answer }, ...retrieved];
  }
  return retrieved;
}

function passageBlock(desk, item, passage, open) {
  const marks = marksOf(item, passage.rank, open);
  const tags = item.units
    .map((u) => u.label)
    .filter((label) => marks.some((m) => m.label === label));
  const mine = tags.includes(open);
  const whole = tags.length > 0 || isBlind(item); // who scores blind has to read it all
  const foldable = whole ? passage.text.length > LONG : passage.text.length > FOLDS_FROM;
  const expanded = desk.expanded.has(`${item.id}:${passage.rank}`);
  const folded = foldable && !expanded && !mine;
  const facts = [marks.map((m) => [m.start, m.end, m.label]), open, folded, foldable && !mine];
  return {
    key: `p${passage.rank}`,
    sig: JSON.stringify(mine || tags.length ? facts : facts.slice(2)),
    make: () =>
      passageNode(desk, item, passage, { marks, tags, open, folded, foldable: foldable && !mine }),
  };
}

function passageNode(desk, item, passage, { marks, tags, open, folded, foldable }) {
  const name = `${item.id}:${passage.rank}`;
  const toggle = () => desk.acts.toggleText(name);
  return h(
    "article.passage",
    {
      class: tags.length ? "cited" : "plain",
      "aria-label": passage.rank === null ? "Answer" : `Passage ${passage.rank}`,
    },
    h("span.rank", {}, passage.rank === null ? "A" : String(passage.rank)),
    h(
      "header",
      {},
      h("span.source", { dir: "auto" }, passage.id ?? ""),
      foldable &&
        button(
          ".fold",
          {
            "aria-expanded": String(!folded),
            label: folded ? `Show all of passage ${passage.rank}` : `Fold passage ${passage.rank}`,
            onclick: toggle,
          },
          folded ? "Show all" : "Fold",
        ),
      h(
        "span.tags",
        {},
        tags.map((label) =>
          h(
            "span.tag",
            { class: label === open ? "solid" : "", title: `evidence for ${label}` },
            label,
          ),
        ),
      ),
    ),
    suspicion(passage),
    folded
      ? h(
          `p.text.${tags.length ? "clamp6" : "clamp2"}`,
          { dir: "auto", onclick: toggle },
          pieces(passage.text, marks, open),
        )
      : h("p.text", { dir: "auto" }, pieces(passage.text, marks, open)),
    !passage.text.trim() && h("p.empty", {}, "This passage is blank."),
  );
}

/** Every located piece of evidence in one passage; offsets are already JavaScript's. */
function marksOf(item, rank, open) {
  return item.units
    .flatMap((unit) =>
      unit.evidence
        .map((e, i) => ({ ...e, label: unit.label, name: evidenceName(unit, i) }))
        .filter((e) => e.located && e.rank === rank && e.end > e.start)
        .map(({ start, end, label, name }) => ({ start, end, label, name })),
    )
    .sort((a, b) => Number(a.label === open) - Number(b.label === open) || a.start - b.start);
}

/** The text cut at every edge of a mark: solid for the open unit, dotted for the others. */
function pieces(text, marks, open) {
  const edges = [...new Set([0, text.length, ...marks.flatMap((m) => [m.start, m.end])])]
    .filter((e) => e >= 0 && e <= text.length)
    .sort((a, b) => a - b);
  return edges.slice(0, -1).map((start, i) => {
    const end = edges[i + 1];
    const over = marks.filter((m) => m.start <= start && m.end >= end);
    const part = text.slice(start, end);
    if (!over.length) return part;
    const solid = over.some((m) => m.label === open);
    const names = over.map((m) => m.name).join(" ");
    return h(`mark.${solid ? "solid" : "dotted"}`, { "data-of": names }, part);
  });
}

export function drawPassagesHead(head, desk, view) {
  const { item, open } = view;
  const passages = (item.retrieved ?? []).length;
  patch(head, [
    block("title", passages, (number) =>
      h("h3", {}, "Retrieved", h("small", {}, count(number, "passage"))),
    ),
    open && isBlind(item) && block("for", "", () => h("span.for", {}, "highlights hidden")),
    open && !isBlind(item) && block("for", open, (label) => h("span.for", {}, "evidence for ", h("b", {}, label))),
  ]);
}
