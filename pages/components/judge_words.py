"""What a judge is called on screen, and what it cannot see."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

from recall_core.asking.judge import ModelJudge
from recall_core.imported import ImportedReplies
from recall_core.judges import Judge, judges
from recall_core.scoring import FINAL_RANGE
from recall_core.types import Formula, Json

SCREEN_LIMITS = (
    "A lexical screen compares words. It cannot see paraphrase (other words for the same thing "
    "look missing) and it cannot see contradiction (a denial looks like support)."
)
SCREEN_LIMITS_IN_SHORT = "It cannot see paraphrase or contradiction."


def judge_line(name: str, version: int) -> str:
    """`Passage recall (lexical screen) v1`: what a judge is called on every screen. Exports and
    commands use its registry name, as does a screen for a judge that is no longer installed.
    """
    title = ImportedReplies.title if name == ImportedReplies.name else None
    judge = judges().get(name)
    return f"{title or (judge.title if judge else name)} v{version}"


def judge_line_and_kind(name: str, version: int) -> str:
    """Its name, and how it judges where the name does not say so."""
    line, kind = judge_line(name, version), judge_kind(name)
    return line if kind in line else f"{line}, {kind}"


def judge_kind(name: str) -> str:
    """How it judges, in two words: what stands in brackets in its title (`lexical screen`), else
    the title; a judge that is no longer installed says so.
    """
    if name == ImportedReplies.name:
        return "given elsewhere"
    judge = judges().get(name)
    if judge is None:
        return "not installed any more"
    if judge.screen:
        return "lexical screen"
    if issubclass(judge, ModelJudge):
        return "language model"
    in_brackets = re.search(r"\((.+)\)", judge.title)
    return in_brackets[1] if in_brackets else judge.title


def scale_words(formula: Formula) -> str:
    """`1 to 5`: the scale of the judge's finals."""
    lowest, highest = FINAL_RANGE[formula]
    return f"{lowest} to {highest}"


def is_screen(name: str) -> bool:
    """Whether the judge is a lexical screen."""
    judge = judges().get(name)
    return judge is not None and judge.screen


def twin_of(judge: type[Judge]) -> type[Judge] | None:
    """The lexical screen that does a model judge's work without a model, if there is one."""
    twin = judges().get(f"{judge.name}_lexical")
    return twin if twin is not None and twin.screen else None


def prompt_words(name: str, version: int, settings: Mapping[str, Json]) -> str | None:
    """`prompt of version 1`, or that it was changed; `None` where no model is asked."""
    judge = judges().get(name)
    if "prompt" not in settings:
        return None
    if judge is not None and settings["prompt"] == judge.model_fields["prompt"].default:
        return f"prompt of version {version}"
    return "a changed prompt"


def summary_of(judge: type[Judge]) -> str:
    """The first sentence of the judge's docstring."""
    first, *_ = inspect.cleandoc(judge.__doc__ or judge.title).split("\n\n")
    return re.split(r"(?<=\.)\s", " ".join(first.split()))[0]
