// Draws the rows and says which one was opened. Every text arrives as data and is set as text.
const ARROWS = { "1": "▲", "-1": "▼", "0": "" };

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function lines(cell, mainClass) {
  const box = element("div", "lines");
  const main = element("div", `main ${mainClass}`, cell.main);
  main.dir = "auto";
  main.title = cell.main;
  box.append(main);
  if (cell.below) {
    const below = element("div", cell.wrap ? "below wrap" : "below", cell.below);
    below.dir = "auto";
    box.append(below);
  }
  return box;
}

function place(node, left, width) {
  node.style.left = `${left * 100}%`;
  if (width !== undefined) node.style.width = `${width * 100}%`;
  return node;
}

const draw = {
  text: (c) => lines(c, ["strong", "muted", "bad", "mono", "wrap"].filter((n) => c[n]).join(" ")),
  figure: (c) => lines(c, `figure ${c.strong ? "strong" : ""} ${c.judge_only ? "muted" : ""}`),
  chip: (c) => element("span", `chip ${c.step === null ? "none" : `s${c.step}`}`, c.main),
  change: (c) => {
    const kind = { "1": "up", "-1": "down", "0": "none" }[c.direction];
    const box = element("span", `change ${kind}`, `${ARROWS[c.direction]} ${c.main}`.trim());
    return box;
  },
  interval: (c) => {
    const box = element("div", "interval");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", c.label);
    box.append(element("i", "axis"));
    if (c.low !== null) {
      box.append(place(element("i", "range"), c.low, Math.max(c.high - c.low, 0.01)));
      box.append(place(element("i", "tick"), c.at));
    } else {
      box.append(place(element("i", "ring"), c.at));
    }
    return box;
  },
  bar: (c) => {
    const box = element("div", "bar");
    const track = element("i", "track");
    track.append(place(element("i", "fill"), 0, c.total ? c.done / c.total : 0));
    const words = element("span", "");
    words.append(element("b", "", c.done.toLocaleString("en")));
    words.append(element("span", "of", ` of ${c.total.toLocaleString("en")}`));
    box.append(track, words);
    return box;
  },
  state: (c) => {
    const box = lines(c, "");
    const glyph = element("span", "glyph", c.mark);
    glyph.setAttribute("aria-hidden", "true");
    box.firstChild.prepend(glyph);
    return box;
  },
};

function head(columns) {
  const row = element("tr");
  for (const column of columns) {
    const cell = element("th", column.right ? "right" : "", column.title);
    cell.scope = "col";
    row.append(cell);
  }
  const part = element("thead");
  part.append(row);
  return part;
}

function widths(columns) {
  const total = columns.reduce((sum, c) => sum + c.share, 0);
  const group = element("colgroup");
  for (const column of columns) {
    const col = element("col");
    col.style.width = `${(100 * column.share) / total}%`;
    group.append(col);
  }
  return group;
}

function listen(row, id, open) {
  row.tabIndex = 0;
  row.className = "opens";
  row.onclick = () => {
    if (!String(window.getSelection())) open(id);
  };
  row.onkeydown = (event) => {
    if (event.key === "Enter") open(id);
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (event.key === "Enter" || step) event.preventDefault();
    if (step) row[step]?.focus();
  };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".rows");
  const focused = root.querySelector("tr:focus")?.dataset.id;
  const body = element("tbody");
  for (const line of data.rows) {
    const row = element("tr");
    row.dataset.id = line.id;
    line.cells.forEach((cell, i) => {
      const box = element("td", data.columns[i].right ? "right" : "");
      box.append(draw[cell.type](cell));
      row.append(box);
    });
    if (data.opens) listen(row, line.id, (id) => setTriggerValue("opened", id));
    body.append(row);
  }
  const table = element("table");
  table.append(widths(data.columns), head(data.columns), body);
  root.replaceChildren(table);
  if (focused) [...body.children].find((r) => r.dataset.id === focused)?.focus();
}
