// Building and patching the page. Text from data only ever becomes a text node.

/**
 * A new element: h("div.unit.open", {title: "x", onclick: f}, "text", child, null).
 *
 * Properties that start with "on" are listeners, `true` sets an empty attribute, null and false
 * leave it out; children that are null or false are left out too.
 */
export function h(shape, properties = {}, ...children) {
  const [tag, ...classes] = shape.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className += ` ${value}`;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== false));
  return node;
}

/** A block of somebody's text: in its own direction, with its own line breaks. */
export function prose(shape, text) {
  return h(shape, { dir: "auto" }, text);
}

/** The cap of a key as it is printed on its control. */
function keycap(text) {
  return h("kbd", { "aria-hidden": "true" }, text);
}

/**
 * A button that a mouse click does not leave the focus on: keys sleep on a focused control, and
 * after a click they should go on working. `key` is announced and printed on it (as `cap`; in front
 * with `capFirst`).
 */
export function button(
  shape,
  { label, key = null, cap = key, capFirst = false, ...properties },
  ...children
) {
  const printed = cap ? keycap(cap) : null;
  return h(
    `button${shape}`,
    {
      type: "button",
      onmousedown: (event) => event.preventDefault(),
      "aria-keyshortcuts": key,
      "aria-label": label ?? null,
      ...properties,
    },
    capFirst && printed,
    ...children,
    !capFirst && printed,
  );
}

const signatures = new WeakMap();

/**
 * Make `parent` hold exactly these blocks, in this order, keeping every node that did not change.
 *
 * A block is {key, sig, make, into}: the node of the same key stays while `sig` is the same, so a
 * reply from the server never takes the focus from a note that is being typed. `into` is called
 * with the node every time, to patch what is inside it.
 */
export function patch(parent, blocks) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  let place = parent.firstElementChild;
  for (const { key, sig = "", make, into } of blocks.filter(Boolean)) {
    let node = old.get(key);
    old.delete(key);
    if (!node || signatures.get(node) !== sig) {
      const fresh = make();
      fresh.dataset.key = key;
      signatures.set(fresh, sig);
      if (node === place && node) place = node.nextElementSibling;
      node?.remove();
      node = fresh;
    }
    if (node === place) place = node.nextElementSibling;
    else parent.insertBefore(node, place);
    into?.(node);
  }
  for (const node of old.values()) node.remove();
}

/** A block whose signature is all it depends on. */
export function block(key, facts, make) {
  return { key, sig: JSON.stringify(facts), make: () => make(facts) };
}

/** What has the focus, looking into shadow roots. */
export function focused() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

/** Whether keys belong to the element: it is typed into, or it is a control of its own. */
export function isControl(node) {
  if (!node) return false;
  return (
    node.isContentEditable ||
    node.matches("input, textarea, select, button, a[href], summary, iframe, [role=textbox]")
  );
}

/** A sign beside words; the words say the same. */
export function glyph(sign) {
  return h("span.glyph", { "aria-hidden": "true" }, sign);
}
