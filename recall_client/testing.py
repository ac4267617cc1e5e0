"""For pytest: an example whose recall must not fall."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from textwrap import shorten

from recall_client.choosing import AsJudge, with_settings
from recall_client.client import Client
from recall_client.examples import Example
from recall_client.results import Result, Verdict, shown
from recall_core.scoring import printed
from recall_core.types import Json


def assert_recall(
    example: Example,
    *,
    judge: AsJudge,
    at_least: float,
    model: str | None = None,
    client: Client | None = None,
    **settings: Json,
) -> Result:
    """The result, if the judge scores the example `at_least` that; else a failure that says what is
    missing. No score is a failure too, and says why there is none.

    Judged on this machine unless a `client` is given; nothing is stored. `settings` are the
    judge's.
    """
    __tracebackhide__ = True
    evaluation = (client or Client(local=True)).run_evaluation(
        [example], with_settings(judge, settings), model=model, progress=False, store=False
    )
    result = evaluation[0]
    if result.score is None or result.score < at_least:
        raise AssertionError(failure_text(result, at_least))
    return result


def failure_text(result: Result, at_least: float) -> str:
    """What is wrong, unit by unit, as a person reads it in a test's output."""
    if result.score is None:
        return f"{result.judge} gave no score for {_title(result)}: {result.error}"
    found, wanted = shown(result.score, at_least), printed(Fraction(str(at_least)))
    lines = [
        f"{result.judge} gives {found}, and at least {wanted} is asked for, of {_title(result)}.",
        *(line for verdict in result.verdicts for line in _lines(verdict)),
        f"  {result.reason}",
    ]
    return "\n".join(lines)


def _title(result: Result) -> str:
    question = result.example.input
    return f"example {result.name}" + (f" ({_short(question)})" if question else "")


def _lines(verdict: Verdict) -> Iterator[str]:
    """A unit with its score; where it was not found, what the judge said of it."""
    score = "?" if verdict.score is None else printed(Fraction(verdict.score))
    yield f"  {score:>4}  {verdict.kind.replace('_', ' ')} {verdict.index}: {_short(verdict.text)}"
    if not verdict.score or verdict.kind in ("essential", "bonus"):
        yield f"        {_short(verdict.reasoning)}"


def _short(text: str) -> str:
    return shorten(text, 160, placeholder=" …")
