// The calls behind a judge's answer, word for word: what was asked, what came back, what it took.
import { h } from "./dom.js";
import { clock, count } from "./words.js";

const CALL_LEVELS = { json_schema: "JSON schema", json_object: "JSON mode", plain: "plain prompt" };

/** The content of the panel; `body` are the calls, newest first: what made the score. */
export function callsBody(body) {
  if (!body.length)
    return [
      h("p.empty", {}, "No model was asked about this example, so there is no call to show."),
    ];
  return body.map((call, i) => callSection(call, body.length - i, body.length));
}

function callSection(call, number, total) {
  const title = `Call ${number} of ${total}`;
  const what = callPurpose(call);
  return h(
    "section.call",
    { "aria-label": title },
    total > 1 ? h("h4", {}, title, h("small", {}, what)) : what && h("p.hint", {}, what),
    h(
      "dl",
      {},
      callFacts(call).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    call.failure_message && h("p.unfound", { dir: "auto" }, call.failure_message),
    rawText("Raw reply", call.raw ?? call.failure_raw, "The server sent no text."),
    call.refusal && rawText("Refusal", call.refusal),
    call.reasoning && rawText("Thoughts of the model", call.reasoning),
    call.prompt.map(({ role, content }) =>
      rawText(call.prompt.length > 1 ? `Prompt, ${role}` : "Prompt", content),
    ),
    rawText("Parameters", JSON.stringify(call.parameters, null, 2)),
  );
}

function callPurpose({ purpose: what, repeat, ask, from_store, earlier }) {
  return [
    what === "statements" && "makes statements",
    repeat > 1 && `sample ${repeat}`,
    ask > 1 && `asked again (${ask})`,
    from_store && "answered from the store, not paid for again",
    earlier && "before it was judged again",
  ]
    .filter(Boolean)
    .join(", ");
}

function callFacts(call) {
  const other = call.answered_by && call.answered_by !== call.model;
  return [
    ["Model", `${call.model} at ${call.endpoint}`],
    other && ["Answered by", call.answered_by],
    call.level && ["Shape", CALL_LEVELS[call.level] ?? call.level],
    ["Tokens", `${tokenWords(call.tokens_in)} in, ${tokenWords(call.tokens_out)} out`],
    ["Cost", call.cost ?? "unknown"],
    ["Time", `${call.seconds.toFixed(1)} s`],
    ["Tries", String(call.attempts)],
    call.finish_reason && ["Ended by", call.finish_reason],
    call.failure && ["Failed", call.failure.replaceAll("_", " ")],
    ["When", clock(call.at)],
  ].filter(Boolean);
}

function tokenWords(number) {
  return number === null ? "unknown" : number.toLocaleString("en-GB");
}

/** Somebody's text, as it is: it stands in the page and is read by nobody but the person. */
function rawText(title, words, absent = "") {
  return h(
    "div.raw",
    {},
    h("h4.rawtitle", {}, title, words && h("small", {}, count(words.length, "character"))),
    words
      ? h("pre", { dir: "auto", tabindex: "0", "aria-label": title }, words)
      : h("p.hint", {}, absent),
  );
}
