// Where a judge failed: what it replied, word for word, and what can be done about it.
import { block, button, h } from "./dom.js";

/** The raw reply of a failure, with a way to ask again; null where the judge did answer. */
export function rawReply(desk, item) {
  if (!item.sentence || !(item.raw || item.repeatable)) return null;
  const said = desk.said?.judgement === item.id ? desk.said.trouble : null;
  return block("raw", [item.raw, item.again, item.repeatable, said], () =>
    h(
      "div.rawreply",
      {},
      item.raw && [
        h("h4.rawtitle", {}, "What it replied"),
        h("pre", { dir: "auto", tabindex: "0", "aria-label": "What it replied" }, item.raw.text),
        item.raw.more > 0 &&
          h("p.hint", {}, `${item.raw.more.toLocaleString("en-GB")} characters more in the call.`),
      ],
      item.again
        ? h("p.hint", { role: "status" }, "It is being judged again; the answer appears here.")
        : item.repeatable &&
            button(".small", { onclick: () => desk.acts.judgeAgain() }, "Judge this example again"),
      said && h("p.unfound", { role: "alert" }, said),
    ),
  );
}
