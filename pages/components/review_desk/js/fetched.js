// The content of panels that is asked for only when they are opened, kept for the way back.
const PANELS_KEPT = 20;
const FETCHED = ["calls", "judges", "comments", "memory"];

export class Panels {
  constructor() {
    this.content = new Map();
    this.stale = new Set(); // shown until what replaces it is there, so that nothing jumps
  }

  get(kind, judgement) {
    return this.content.get(`${kind}:${judgement}`) ?? null;
  }

  take(panel) {
    if (!panel) return;
    const { kind, judgement, decision = null } = panel;
    const key = [kind, judgement, decision].filter((part) => part !== null).join(":");
    this.content.delete(key);
    this.stale.delete(key);
    this.content.set(key, panel);
    for (const old of [...this.content.keys()].slice(0, -PANELS_KEPT)) this.content.delete(old);
  }

  /** The example came anew, so what is kept about it may be old. */
  forget(judgement) {
    for (const kind of FETCHED) {
      const key = `${kind}:${judgement}`;
      if (kind === "comments" && this.content.has(key)) this.stale.add(key);
      else this.content.delete(key);
    }
    this.forgetRevert(judgement);
  }

  /** What taking a decision back would do is true only until the next decision. */
  forgetRevert(judgement) {
    for (const key of [...this.content.keys()])
      if (key.startsWith(`revert:${judgement}:`)) this.content.delete(key);
  }

  /** What to ask for while a panel is open and has no content: {kind, judgement}, else null. */
  lacking(kind, judgement) {
    if (!FETCHED.includes(kind) || judgement === undefined) return null;
    if (this.get(kind, judgement) && !this.stale.has(`${kind}:${judgement}`)) return null;
    return { kind, judgement };
  }

  /** The same for the effect of taking a decision back. */
  lackingRevert(judgement, decision) {
    if (this.content.has(`revert:${judgement}:${decision}`)) return null;
    return { kind: "revert", judgement, decision };
  }
}
