// From a judge's words to the passage: what one points at lights up, what one chooses stays lit.

/** The name of a unit's piece of evidence, by which its marks and its quote know each other. */
export function evidenceName(unit, index) {
  return `${unit.label}:${index}`;
}

/** Light up these pieces of evidence and no others, as long as one points at them. */
export function point(desk, names) {
  desk.pointed = { on: desk.model.id, names };
  light(desk, names);
}

function light(desk, names) {
  for (const mark of desk.screen.passages.body.querySelectorAll("mark"))
    mark.classList.toggle(
      "hot",
      mark.dataset.of.split(" ").some((name) => names.includes(name)),
    );
}

/** Back to what was chosen, if anything was. */
export function pointAway(desk) {
  desk.pointed = null;
  light(desk, desk.chosen ? [desk.chosen] : []);
}

/** Choose a quote, or let go of it; its place in the passage comes into sight. */
export function choose(desk, name) {
  desk.chosen = desk.chosen === name ? null : name;
  desk.pointed = null;
  showChosen(desk);
  const mark = desk.chosen && desk.screen.passages.body.querySelector("mark.hot");
  mark?.scrollIntoView({ block: "nearest" });
}

/** What was chosen is lit and pressed, also after the passages were drawn anew. */
export function showChosen(desk) {
  const pointed = desk.pointed?.on === desk.model.id ? desk.pointed.names : null;
  light(desk, pointed ?? (desk.chosen ? [desk.chosen] : []));
  for (const quote of desk.screen.truth.body.querySelectorAll("button.quote"))
    quote.setAttribute("aria-pressed", String(quote.dataset.of === desk.chosen));
}

/** The listeners of something that points at pieces of evidence. */
export function pointing(desk, names) {
  const on = () => point(desk, names);
  const off = () => pointAway(desk);
  return { onmouseenter: on, onmouseleave: off, onfocus: on, onblur: off };
}
