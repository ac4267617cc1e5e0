"""Why a judge gave no answer, and what becomes of it, in a sentence for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recall_core.types import FailureKind

_SENTENCES: Final[Mapping[FailureKind, str]] = {
    FailureKind.TIMEOUT: "The answer took too long. Can be re-run.",
    FailureKind.RATE_LIMIT: "The server asked to slow down to the end. Can be re-run.",
    FailureKind.CONNECTION: "The server was not reached. Can be re-run.",
    FailureKind.REFUSAL: "The model refused. Goes to a person, who can score it.",
    FailureKind.CONTENT_FILTER: "A filter stopped the answer. Goes to a person.",
    FailureKind.TRUNCATED: "The answer was cut off and is not used. Allow more output, re-run.",
    FailureKind.EMPTY: "The answer was empty. Can be re-run.",
    FailureKind.UNPARSEABLE: "The answer could not be read. It is kept; a person can score it.",
    FailureKind.AMBIGUOUS: "The answer said two different things. Goes to a person.",
    FailureKind.INCOMPLETE: "A unit has no score. What is there is kept; fill the gap by hand.",
    FailureKind.OUT_OF_RANGE: "A score was off its scale and is not used. Goes to a person.",
    FailureKind.CONTEXT_TOO_LONG: "The example is longer than the model can read.",
    FailureKind.BUDGET: "The budget ended before this one. Raise it and resume.",
    FailureKind.CANCELLED: "The run was cancelled before this one. Resume it.",
    FailureKind.INTERNAL: "A fault in the judge itself. The others are not touched.",
}


def failure_sentence(kind: str) -> str:
    """What happened and what becomes of it; a kind that nobody knows is named as it is."""
    known = kind in set(FailureKind)
    return _SENTENCES[FailureKind(kind)] if known else "Not a kind that this version knows."


def failure_name(kind: str) -> str:
    """`rate limit` for `rate_limit`."""
    return kind.replace("_", " ")
