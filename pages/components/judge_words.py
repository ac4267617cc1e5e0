"""What a judge is called on screen, and what it cannot see."""

from __future__ import annotations

import inspect

from recall_core.judges import Judge, judges

SCREEN_LIMITS = (
    "A lexical screen compares words. It cannot see paraphrase (other words for the same thing "
    "look missing) and it cannot see contradiction (a denial looks like support)."
)


def judge_line(name: str, version: int) -> str:
    """`passage_recall_lexical v1`."""
    return f"{name} v{version}"


def judge_kind(name: str) -> str:
    """`lexical screen`, or the judge's title; a judge that is no longer installed says so."""
    judge = judges().get(name)
    if judge is None:
        return "not installed any more"
    return "lexical screen" if judge.screen else judge.title


def is_screen(name: str) -> bool:
    """Whether the judge is a lexical screen."""
    judge = judges().get(name)
    return judge is not None and judge.screen


def summary_of(judge: type[Judge]) -> str:
    """The first paragraph of the judge's docstring, on one line."""
    first, *_ = inspect.cleandoc(judge.__doc__ or judge.title).split("\n\n")
    return " ".join(first.split())
