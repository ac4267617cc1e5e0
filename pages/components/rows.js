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
    const box = element("div", c.faint ? "interval faint" : "interval");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", c.label);
    box.append(element("i", "axis"));
    if (c.zero !== null) box.append(place(element("i", "zero"), c.zero));
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

function head(columns, picks) {
  const row = element("tr");
  if (picks) {
    const cell = element("th", "pick");
    cell.scope = "col";
    cell.append(picks.all);
    row.append(cell);
  }
  for (const column of columns) {
    const cell = element("th", column.right ? "right" : "", column.title);
    cell.scope = "col";
    row.append(cell);
  }
  const part = element("thead");
  part.append(row);
  return part;
}

function widths(columns, picks) {
  const total = columns.reduce((sum, c) => sum + c.share, 0);
  const group = element("colgroup");
  if (picks) group.append(element("col", "pick"));
  for (const column of columns) {
    const col = element("col");
    col.style.width = `${(100 * column.share) / total}%`;
    group.append(col);
  }
  return group;
}

function listen(row, id, open, picks) {
  row.tabIndex = 0;
  row.className = "opens";
  row.onclick = () => {
    if (!String(window.getSelection())) open(id);
  };
  row.onkeydown = (event) => {
    if (event.target !== row) return;
    if (event.key === "Enter") open(id);
    if (event.key === " " && picks) {
      picks.toggle(id);
      event.preventDefault();
    }
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (event.key === "Enter" || step) event.preventDefault();
    if (step) row[step]?.focus();
  };
}

function box(label) {
  const node = element("input");
  node.type = "checkbox";
  node.setAttribute("aria-label", label);
  return node;
}

// The ticks of a list. What is ticked here is ahead of what Python knows, so its answer to an
// earlier tick must not take a later one away: it is heard only when it changed the picks itself.
function picking(root, data, report) {
  if (!data.picks) return null;
  if (root.version !== data.picks.version) {
    root.version = data.picks.version;
    root.picked = new Set(data.picks.ids);
  }
  const ids = data.rows.map((line) => line.id);
  const boxes = new Map();
  const all = box("Select all rows of this page");
  const show = () => {
    boxes.forEach((node, id) => {
      node.checked = root.picked.has(id);
      node.closest("tr")?.classList.toggle("picked", node.checked);
    });
    const picked = ids.filter((id) => root.picked.has(id)).length;
    all.checked = picked > 0 && picked === ids.length;
    all.indeterminate = picked > 0 && picked < ids.length;
  };
  const put = (some, on) => {
    for (const id of some) root.picked[on ? "add" : "delete"](id);
    show();
    report(ids.filter((id) => root.picked.has(id)));
  };
  all.onchange = () => put(ids, all.checked);
  const cell = (line) => {
    const node = box(`Select ${line.cells[0].main}`);
    boxes.set(line.id, node);
    node.onclick = (event) => {
      const ends = [ids.indexOf(line.id), event.shiftKey ? ids.indexOf(root.last) : -1];
      const [from, to] = ends[1] < 0 ? [ends[0], ends[0]] : ends.sort((a, b) => a - b);
      put(ids.slice(from, to + 1), node.checked);
      root.last = line.id;
    };
    const td = element("td", "pick");
    td.append(node);
    td.onclick = (event) => event.stopPropagation();
    return td;
  };
  return { all, cell, show, toggle: (id) => put([id], !root.picked.has(id)) };
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".rows");
  const picks = picking(root, data, (ids) => setStateValue("picked", ids));
  const at = root.querySelector("tr:focus, tr :focus");
  const focused = at?.closest("tr").dataset.id;
  const ticking = at?.matches("input");
  const body = element("tbody");
  for (const line of data.rows) {
    const row = element("tr");
    row.dataset.id = line.id;
    if (picks) row.append(picks.cell(line));
    line.cells.forEach((cell, i) => {
      const box = element("td", data.columns[i].right ? "right" : "");
      box.append(draw[cell.type](cell));
      row.append(box);
    });
    if (data.opens) listen(row, line.id, (id) => setTriggerValue("opened", id), picks);
    body.append(row);
  }
  const table = element("table");
  table.append(widths(data.columns, picks), head(data.columns, picks), body);
  root.replaceChildren(table);
  picks?.show();
  if (!at) return;
  const line = focused ? [...body.children].find((r) => r.dataset.id === focused) : table.tHead;
  (ticking ? line?.querySelector("input") : line)?.focus();
}
