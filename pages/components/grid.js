// Draws the table and says which cell was opened. Every text arrives as data and is set as text.
function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function heading(text, scope, span) {
  const node = element("th", "", text);
  node.scope = scope;
  node.dir = "auto";
  node.title = text;
  if (span) node.colSpan = span;
  return node;
}

function drawn(cell, open) {
  const tone = cell.step !== null ? `s${cell.step}` : cell.depth !== null ? "" : "plain";
  const node = element(cell.id ? "button" : "span", `cell ${tone} ${cell.strong ? "strong" : ""}`, cell.text);
  if (cell.depth !== null) node.style.setProperty("--depth", `${cell.depth * 100}%`);
  if (cell.label) node.title = cell.label;
  if (cell.id) {
    node.type = "button";
    node.dataset.id = cell.id;
    node.setAttribute("aria-label", cell.label || cell.text);
    node.onclick = () => open(cell.id);
  }
  return node;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".grid");
  const focused = root.querySelector("button:focus")?.dataset.id;
  const table = element("table", data.wide ? "wide" : "square");
  const group = element("colgroup");
  group.append(element("col", "title"), ...data.columns.map(() => element("col")));
  const head = element("thead");
  if (data.across) {
    const over = element("tr");
    over.append(element("td"), heading(data.across, "colgroup", data.columns.length));
    head.append(over);
  }
  const names = element("tr");
  names.append(heading(data.down, "col"), ...data.columns.map((name) => heading(name, "col")));
  head.append(names);
  const body = element("tbody");
  for (const line of data.rows) {
    const row = element("tr");
    row.append(heading(line.title, "row"));
    for (const cell of line.cells) {
      const place = element("td");
      if (cell.text) place.append(drawn(cell, (id) => setTriggerValue("opened", id)));
      row.append(place);
    }
    body.append(row);
  }
  table.append(group, head, body);
  root.replaceChildren(table);
  if (focused) [...root.querySelectorAll("button")].find((b) => b.dataset.id === focused)?.focus();
}
