"""What models and servers do wrong, kind by kind, from the reply to the result.

Each case is judged as a run would judge it. A score is what our formula makes of the units that
were asked about; everything else is an error with a kind of its own, with no score at all.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from recall_core.asking.judge import ModelJudge
from recall_core.llm.scripted import Answer, ScriptedChat
from recall_core.llm.types import CallFailed, ChatReply
from recall_core.results import Result, Status, result_of
from recall_core.types import Example, FailureKind
from tests.core.asking.making import (
    cut_off,
    passage_judge,
    passages,
    scored,
    statement_judge,
    statements,
    verdicts,
)


@dataclass(frozen=True)
class Fault:
    """Replies to the questions about `units` (`"2E 1B"`, `"3S"`), the last one again and again."""

    what: str
    units: str
    replies: tuple[Answer, ...]
    score: str | None = None
    kind: FailureKind | None = None
    warning: str = ""


def fault(what: str, units: str, *replies: Answer, **expected: Any) -> Any:
    return pytest.param(Fault(what, units, replies, **expected), id=what)


def asked(units: str) -> tuple[Example, ModelJudge]:
    """An example with so many units of each kind, and the judge for it."""
    count = {part[-1]: int(part[:-1]) for part in units.split()}
    texts = {kind: [f"{kind}{i} says this." for i in range(1, n + 1)] for kind, n in count.items()}
    if "S" in texts:
        return statements(*texts["S"]), statement_judge()
    return passages(texts["E"], texts.get("B", ())), passage_judge()


def result(fault: Fault) -> Result:
    example, judge = asked(fault.units)
    chat = ScriptedChat(*fault.replies, otherwise=lambda request: fault.replies[-1])
    outcome = asyncio.run(judge.judge(example, chat))
    return result_of(example, judge, outcome)


def document(*labelled: str, end: str = "") -> str:
    """A reply in the document's text form: `document("E1 … Score: 4")`."""
    names = {"E": "ESSENTIAL PASSAGE", "B": "BONUS PASSAGE"}
    body = " ".join(f"[{names[x[0]]}] {x[1:2]}: {x[3:]}" for x in labelled)
    return f"• RECALL_Reasoning: {body}\n{end}"


YES_NO = '{"verdicts":[{"verdict":"yes","reason":"doc 1"},{"verdict":"no","reason":"absent"}]}'

PARSING = [
    fault("a fence", "2S", f"```json\n{YES_NO}\n```", score="1/2"),
    fault("a fence in capitals", "2S", f"```JSON\n{YES_NO}\n```", score="1/2"),
    fault("a fence of tildes", "2S", f"~~~\n{YES_NO}\n~~~", score="1/2"),
    fault("a fence that is not closed", "2S", f"```json\n{YES_NO}", score="1/2"),
    fault("prose around it", "2S", f"Here you are: {YES_NO} Good luck!", score="1/2"),
    fault("a thought before it", "2S", f"<think>{{}} {YES_NO[:9]}</think>{YES_NO}", score="1/2"),
    fault("keys in another case", "1E", '{"Passages":[{"PASSAGE":"E1","Score":4}]}', score="4"),
    fault("Python's literals", "1S", "{'verdicts':[{'verdict':True,'reason':None}]}", score="1",
          warning="repaired"),
    fault("single quotes", "1S", "{'verdicts':[{'verdict':'yes','reason':'it\\'s in doc 2'}]}",
          score="1", warning="repaired"),
    fault("a comma too many", "1S", '{"verdicts":[{"verdict":"yes","reason":"a [b, ] c"},]}',
          score="1", warning="repaired"),
    fault("no reasoning", "1E", '{"score":4}', score="4"),
    fault("a score as text", "1E", '{"score":"5"}', score="5"),
    fault("a score on a line", "1E", "Score: 5 ", score="5"),
    fault("a missing end", "2E", scored(E1=4, E2=3)[:-9], kind=FailureKind.UNPARSEABLE),
    fault("two answers", "1E", '{"score":3} no, {"score":4}', kind=FailureKind.AMBIGUOUS),
    fault("one answer twice", "1E", '{"score":3} so {"score":3}', score="3"),
    fault("something else", "1E", '{"answer":"Paris"}', kind=FailureKind.UNPARSEABLE),
    fault("prose only", "1E", "It is all there.", kind=FailureKind.UNPARSEABLE),
    fault("broken once", "1E", "Hm.", scored(E1=4), score="4"),
]  # fmt: skip

ENDINGS = [
    *(fault(f"finished: {word}", "1E", ChatReply(scored(E1=4), model="m", finish_reason=word),
            score="4") for word in ("eos", "STOP", "end_turn", "stop", None)),
    *(fault(f"cut off: {word}", "1E", ChatReply(scored(E1=4), model="m", finish_reason=word),
            kind=FailureKind.TRUNCATED) for word in ("MAX_TOKENS", "length", "max_tokens")),
    fault("cut off once", "1E", cut_off('{"score":'), scored(E1=4), score="4"),
    fault("a refusal", "1E", ChatReply("", model="m", refusal="I can't assist with that."),
          kind=FailureKind.REFUSAL),
    fault("a filter", "1E", ChatReply('{"sco', model="m", finish_reason="content_filter"),
          kind=FailureKind.CONTENT_FILTER),
    fault("an answer among the thoughts", "1E", ChatReply("", model="m",
          reasoning_text=scored(E1=4)), kind=FailureKind.EMPTY),
    fault("nothing", "1E", ChatReply("  ", model="m"), kind=FailureKind.EMPTY),
    *(fault(f"a call that failed: {kind}", "1E", CallFailed(kind, "It failed."), kind=kind)
      for kind in (FailureKind.TIMEOUT, FailureKind.RATE_LIMIT, FailureKind.CONNECTION,
                   FailureKind.CONTEXT_TOO_LONG, FailureKind.BUDGET, FailureKind.CANCELLED)),
]  # fmt: skip

SCORES = [
    fault("4/5", "1E", document("E1 nearly complete. Score: 4/5"), score="4"),
    fault("the scale in words", "1E", document("E1 on a scale of 1 to 5 a Score: 5"), score="5"),
    fault("digits in the reason", "1E", document("E1 2 of the 3 facts of 2019. Score: 4"),
          score="4"),
    fault("full-width signs", "1E", document("E1 完全。 Score：４"), score="4"),
    fault("a word with a digit in the reason", "1E",
          '{"score":"excellent","reason":"all 3 points are there"}', kind=FailureKind.UNPARSEABLE),
    fault("a word", "1E", document("E1 ok. Score: four"), kind=FailureKind.UNPARSEABLE),
    *(fault(f"off the scale: {score}", "2E", scored(E1=score, E2=5),
            kind=FailureKind.OUT_OF_RANGE) for score in (0, 6, 10, 90, -2, 9555555, 0.8, 9e124)),
    fault("off the scale in text", "1E 1B", document("E1 Score: 10", "B1 Score: -2"),
          kind=FailureKind.OUT_OF_RANGE),
    fault("no number", "1E", '{"score": NaN}', kind=FailureKind.UNPARSEABLE),
    fault("a fraction", "1E", scored(E1=4.5), score="4.5", warning="no whole number"),
    fault("a fraction of a bonus", "1E 1B", scored(E1=4, B1=0.8), score="4.4",
          warning="no whole number"),
    fault("a number for yes", "2S", verdicts(S1=2, S2=2), kind=FailureKind.OUT_OF_RANGE),
    fault("a number below no", "1S", verdicts(S1=-1), kind=FailureKind.OUT_OF_RANGE),
]  # fmt: skip

DOCUMENT_REPLIES = [
    fault("wrong sums", "2E", document("E1 Score: 4", "E2 Score: 3",
          end="• RECALL_Essential_Formula: (4 + 3) / 2 = 4\n• RECALL_Final_Score: 4"),
          score="7/2", warning="calculated RECALL_Final_Score as 4"),
    fault("a decimal comma in the sums", "2E", document("E1 Score: 4", "E2 Score: 3",
          end="• RECALL_Final_Score: 3,5"), score="7/2", warning="decimal comma"),
    fault("an invented passage", "1E 1B", document("E1 Score: 4", "B1 Score: 2", "B2 Score: 5"),
          score="5", warning="was ignored"),
    fault("an invented entry", "1E 1B", scored(E1=4, B1=2, B2=5), score="5", warning="ignored"),
    fault("a passage twice", "2E", document("E1 Score: 2", "E1 Score: 4", "E2 Score: 5"),
          kind=FailureKind.AMBIGUOUS),
    fault("another order", "2E 1B", document("B1 Score: 1", "E2 Score: 3", "E1 Score: 5"),
          score="4.25"),
    fault("a passage left out", "2E", document("E1 Score: 5"), kind=FailureKind.INCOMPLETE),
    fault("an echoed final", "1E", scored(E1=1)[:-1] + ', "RECALL_Final_Score": 5}', score="1"),
]  # fmt: skip

VERDICTS = [
    fault("blanks", "4S", '["yes", "yes\\n", " yes", "no"]', score="3/4"),
    fault("punctuation", "3S", '["Yes.", "yes, see doc 2", "No - absent"]', score="2/3"),
    fault("no usable one", "2S", '["n/a", "unclear"]', kind=FailureKind.AMBIGUOUS),
    fault("half a yes", "2S", verdicts(S1="partially", S2=True), kind=FailureKind.AMBIGUOUS),
    fault("an empty word", "2S", verdicts(S1="", S2=True), kind=FailureKind.INCOMPLETE),
    fault("another language", "2S", '["是", "否"]', score="1/2"),
    fault("fewer than asked for", "4S", '["yes", "yes"]', kind=FailureKind.INCOMPLETE),
    fault("more than asked for", "2S", '["yes", "yes", "yes"]', kind=FailureKind.INCOMPLETE),
    fault("the unsupported left out", "2S", verdicts(S1=True), kind=FailureKind.INCOMPLETE),
    fault("left out once", "2S", verdicts(S1=True), verdicts(S2=False), score="1/2"),
    fault("a preamble", "1S", "Let me see.\n\n1. The dam was built in 1931. [ATTRIBUTED]",
          score="1"),
    fault("a verdict twice", "1S", '[{"statement":1,"verdict":"yes"},{"statement":1,'
          '"verdict":"no"}]', kind=FailureKind.AMBIGUOUS),
]  # fmt: skip

EVERY = [*PARSING, *ENDINGS, *SCORES, *DOCUMENT_REPLIES, *VERDICTS]


@pytest.mark.parametrize("fault", EVERY)
def test_a_fault_has_the_score_that_was_said_or_none_and_a_kind(fault: Fault) -> None:
    given = result(fault)

    assert given.score == (None if fault.score is None else Fraction(fault.score))
    assert given.error_type == fault.kind
    assert given.status is (Status.PROCESSED if fault.kind is None else Status.ERROR)
    assert fault.warning in " ".join(given.warnings)


@pytest.mark.parametrize("fault", [f for f in EVERY if f.values[0].kind])
def test_a_failure_says_why_in_a_sentence_and_keeps_what_was_replied(fault: Fault) -> None:
    given = result(fault)

    assert given.details.endswith((".", "”"))
    assert given.details[0].isupper()
    said = fault.replies[0]
    text = said if isinstance(said, str) else getattr(said, "text", "").strip()
    assert text in (given.raw_response or "")
    assert json.loads(json.dumps(given.as_json(), allow_nan=False))["score"] is None


def test_what_an_example_scores_hangs_on_its_own_units_alone() -> None:
    """An answer for more, fewer or other units never moves the denominator."""
    for reply in (scored(E1=4, E2=2, E3=5, B1=5), scored(E2=2, E1=4), scored(E1=4, E2=2, X1=5)):
        assert result(Fault("", "2E", (reply,))).score == 3
