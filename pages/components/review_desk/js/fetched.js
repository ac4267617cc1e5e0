// The content of panels that is asked for only when they are opened, kept for the way back.
const PANELS_KEPT = 20;
const FETCHED = ["calls", "judges"];

export class Panels {
  constructor() {
    this.content = new Map();
  }

  get(kind, judgement) {
    return this.content.get(`${kind}:${judgement}`) ?? null;
  }

  take(panel) {
    if (!panel) return;
    const key = `${panel.kind}:${panel.judgement}`;
    this.content.delete(key);
    this.content.set(key, panel);
    for (const old of [...this.content.keys()].slice(0, -PANELS_KEPT)) this.content.delete(old);
  }

  /** The example came anew, so what is kept about it may be old. */
  forget(judgement) {
    for (const kind of FETCHED) this.content.delete(`${kind}:${judgement}`);
  }

  /** What to ask for while a panel is open and has no content: {kind, judgement}, else null. */
  lacking(kind, judgement) {
    if (!FETCHED.includes(kind) || judgement === undefined || this.get(kind, judgement))
      return null;
    return { kind, judgement };
  }
}
