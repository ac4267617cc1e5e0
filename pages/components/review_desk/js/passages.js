// The right pane: what came back, with the evidence of the open unit and of the others marked.
import { isBlind } from "./blind.js";
import { block, button, h, patch } from "./dom.js";
import { findBlocks } from "./find.js";
import { suspicion } from "./marks.js";
import { evidenceName } from "./pointing.js";
import { count } from "./words.js";

const FOLDS_FROM = 150;
const LONG = 2400;
const TAGS = 8;
const FOLDED = 700; // so many characters of a folded passage are on the page; two lines hold fewer

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
    ...passageBlocks(desk, item, shown, open),
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

function passageBlocks(desk, item, shown, open) {
  const { nearby } = desk.screen;
  const byRank = marksByRank(item, open);
  return shown.map((passage, i) => {
    const marks = byRank.get(passage.rank) ?? [];
    const needed = marks.some((m) => m.label === open) || isSought(desk, passage);
    return nearby.passages.draws(`p${passage.rank}`, i, shown.length, needed)
      ? passageBlock(desk, item, passage, open, marks)
      : boxedPassage(nearby.passages, passage);
  });
}

function isSought({ find }, { rank }) {
  return find.place?.name === `p${rank}`;
}

/** A passage that is far out of sight. */
function boxedPassage(nearby, { rank }) {
  const make = () =>
    h("article.passage.far", { "aria-label": `Passage ${rank}` }, h("span.rank", {}, String(rank)));
  return { key: `p${rank}`, sig: "far", make: () => nearby.box(make(), `p${rank}`) };
}

function passageBlock(desk, item, passage, open, marks) {
  const tags = item.units
    .map((u) => u.label)
    .filter((label) => marks.some((m) => m.label === label));
  const mine = tags.includes(open);
  const whole = tags.length > 0 || isBlind(item); // who scores blind has to read it all
  const foldable = whole ? passage.text.length > LONG : passage.text.length > FOLDS_FROM;
  const expanded = isSought(desk, passage) || desk.expanded.has(`${item.id}:${passage.rank}`);
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
        shownTags(tags, open).map((label) =>
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
          tags.length ? pieces(passage.text, marks, open) : passage.text.slice(0, FOLDED),
        )
      : h("p.text", { dir: "auto" }, pieces(passage.text, marks, open)),
    !passage.text.trim() && h("p.empty", {}, "This passage is blank."),
  );
}

/** As many tags as fit, that of the open unit among them; how many more there are. */
function shownTags(tags, open) {
  if (tags.length <= TAGS) return tags;
  const shown = tags.slice(0, TAGS - 1);
  const kept = tags.includes(open) && !shown.includes(open) ? [...shown.slice(1), open] : shown;
  return [...kept, `+${tags.length - kept.length}`];
}

/** Every located piece of evidence by its passage's rank; offsets are already JavaScript's. */
function marksByRank(item, open) {
  const byRank = new Map();
  for (const unit of item.units) {
    unit.evidence.forEach(({ located, rank, start, end }, i) => {
      if (!located || end <= start) return;
      if (!byRank.has(rank)) byRank.set(rank, []);
      byRank.get(rank).push({ start, end, label: unit.label, name: evidenceName(unit, i) });
    });
  }
  const last = (mark) => Number(mark.label === open);
  for (const marks of byRank.values())
    marks.sort((a, b) => last(a) - last(b) || a.start - b.start);
  return byRank;
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
  const searching = desk.find.open;
  const passages = (item.retrieved ?? []).length;
  patch(head, [
    block("title", passages, (number) =>
      h("h3", {}, "Retrieved", h("small", {}, count(number, "passage"))),
    ),
    open && !searching && isBlind(item) && block("for", "", () => h("span.for", {}, "highlights hidden")),
    open && !searching && !isBlind(item) && block("for", open, (label) => h("span.for", {}, "evidence for ", h("b", {}, label))),
    ...findBlocks(desk),
  ]);
}
