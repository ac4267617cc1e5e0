// What a tab keeps over a reload, under one person's name: what another name left waits for it.

export class Kept {
  constructor(what, reviewer) {
    this.place = `recall-desk-${what}:${reviewer}`;
    try {
      this.storage = window.sessionStorage;
    } catch {
      this.storage = null; // blocked by the browser's settings: leaving the page still warns
    }
  }

  read() {
    try {
      return JSON.parse(this.storage?.getItem(this.place) ?? "{}");
    } catch {
      return {}; // written by something else: there is nothing of ours in it
    }
  }

  write(value) {
    try {
      this.storage?.setItem(this.place, JSON.stringify(value));
    } catch {
      this.storage = null; // full
    }
  }
}
