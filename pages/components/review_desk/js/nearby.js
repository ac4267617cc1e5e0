// Long lists: what is far from the part in sight stands as an empty box, and is filled when it comes
// near. A list of a few dozen is drawn as it is.

const LONG_LIST = 30;
const AT_ONCE = 8; // the first ones are in sight when an example comes up
const REACH = "900px 0px";

export class Nearby {
  constructor(pane, redraw) {
    this.near = new Set();
    this.redraw = redraw;
    this.observer = new IntersectionObserver((entries) => this.came(entries), {
      root: pane,
      rootMargin: REACH,
    });
  }

  /** Whether to draw the `i`th of so many; `name` is what it was boxed as. What is `needed` stays. */
  draws(name, i, number, needed) {
    if (needed) this.near.add(name);
    return number <= LONG_LIST || i < AT_ONCE || this.near.has(name);
  }

  /** The node is a box until it comes near. */
  box(node, name) {
    node.dataset.box = name;
    this.observer.observe(node);
    return node;
  }

  came(entries) {
    const before = this.near.size;
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.observer.unobserve(target);
      this.near.add(target.dataset.box);
    }
    if (this.near.size > before) this.redraw();
  }

  /** Another example: its boxes are other ones. */
  clear() {
    this.observer.disconnect();
    this.near.clear();
  }
}
