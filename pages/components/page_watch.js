// Mends what Streamlit does to a change of pages when a part of the old page refreshes itself in
// the same moment: it leaves the new page without content, or forgets the click.
const LOOK = 100; // milliseconds
const EMPTY_LOOKS = 2; // this often in a row before an empty page is drawn again
const CLICK_LOOKS = 8; // this often at rest before a click counts as forgotten
const CLICK_COUNTS = 5000; // milliseconds after which nobody expects it to do anything any more

const atRest = () =>
  document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";

/** Whether nothing stands below the frame, which draws this component last. */
function nothingBelow(parentElement) {
  let node = parentElement.getRootNode().host ?? parentElement;
  while (node?.parentElement && !node.parentElement.matches("[data-testid=stVerticalBlock]"))
    node = node.parentElement;
  return Boolean(node?.parentElement) && !node.nextElementSibling;
}

class Watch {
  constructor(parentElement) {
    this.parentElement = parentElement;
    this.empty = 0;
    this.click = null;
    this.clicked = (event) => this.remember(event);
    document.addEventListener("click", this.clicked, true);
    this.timer = setInterval(() => this.look(), LOOK);
  }

  /** A person's click on the navigation; the one that is done again below is not a person's. */
  remember(event) {
    const link = event.isTrusted && event.target.closest?.("[data-testid=stTopNavLink]");
    this.click = link ? { link, from: location.pathname, at: Date.now(), looks: 0 } : null;
  }

  look() {
    if (!atRest()) return;
    this.empty = nothingBelow(this.parentElement) ? this.empty + 1 : 0;
    if (this.empty >= EMPTY_LOOKS) {
      this.empty = 0;
      this.drawAgain();
    }
    this.lookAtClick();
  }

  lookAtClick() {
    if (!this.click) return;
    const { link, from, at } = this.click;
    const arrived = location.pathname !== from || new URL(link.href).pathname === from;
    const over = arrived || Date.now() - at > CLICK_COUNTS;
    this.click.looks += 1;
    if (!over && this.click.looks < CLICK_LOOKS) return;
    this.click = null;
    if (!over) link.click();
  }

  close() {
    clearInterval(this.timer);
    document.removeEventListener("click", this.clicked, true);
  }
}

const watches = new WeakMap();

export default function ({ parentElement, setTriggerValue }) {
  const watch = watches.get(parentElement) ?? new Watch(parentElement);
  watches.set(parentElement, watch);
  watch.drawAgain = () => setTriggerValue("empty", true);
  return () => {
    watch.close();
    watches.delete(parentElement);
  };
}
