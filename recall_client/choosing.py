"""Which judges are asked, with which settings, and which fields they need of an example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from recall_client.examples import Example
from recall_core.asking.judge import ModelJudge
from recall_core.errors import InvalidSetting
from recall_core.judges import judges, make_judge
from recall_core.judges.base import Judge
from recall_core.types import Formula, Json


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge by its name, with the settings that differ from its defaults."""

    name: str
    settings: Mapping[str, Json] = field(default_factory=dict)

    @property
    def known(self) -> type[Judge] | None:
        """The judge's class where it is installed here; a desk may have more judges than this."""
        return judges().get(self.name)

    def made(self) -> Judge:
        """The judge itself; `InvalidSetting` says what it cannot take."""
        return make_judge(self.name, self.settings)

    @property
    def made_here(self) -> Judge | None:
        """The judge, unless this installation does not know it or cannot take its settings: the
        desk that judges may be newer than the client."""
        try:
            return self.made()
        except InvalidSetting:
            return None

    @property
    def threshold(self) -> float | None:
        """The score from which an example is a success, if there is one and it is known here."""
        judge = self.made_here
        mark = None if judge is None else judge.pass_mark
        return None if mark is None else float(mark)

    def for_model(self, model: str | None) -> JudgeChoice:
        """With this model, whatever the settings say; judges that ask no model stay as they are."""
        if model is None or (self.known is not None and not issubclass(self.known, ModelJudge)):
            return self
        return replace(self, settings={**self.settings, "model": model})


AsJudge: TypeAlias = str | JudgeChoice | Judge


def judge(name: str, /, **settings: Json) -> JudgeChoice:
    """A judge with settings: `judge("contextual_recall", threshold=0.8)`.

    `python -m api judges` lists the names and what can be set.
    """
    return JudgeChoice(name, settings)


def chosen(given: AsJudge | Iterable[AsJudge], model: str | None) -> tuple[JudgeChoice, ...]:
    """The judges that somebody named, each way of naming allowed; `model` wins over settings."""
    several = [given] if isinstance(given, str | JudgeChoice | Judge) else list(given)
    if not several:
        raise InvalidSetting("Name at least one judge, such as judges=['contextual_recall'].")
    choices = tuple(_choice(one).for_model(model) for one in several)
    names = [choice.name for choice in choices]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidSetting(f"{twice} is named twice. Evaluate once for each of its settings.")
    return choices


def _choice(one: AsJudge) -> JudgeChoice:
    if isinstance(one, JudgeChoice):
        return one
    if isinstance(one, Judge):
        return JudgeChoice(one.name, one.model_dump(mode="json", exclude_unset=True))
    if isinstance(one, str):
        return JudgeChoice(one)
    raise InvalidSetting(f"{one!r} is no judge: give a name, or judge('NAME', setting=value).")


def with_settings(one: AsJudge, settings: Mapping[str, Json]) -> JudgeChoice:
    """The judge with these settings on top of its own."""
    choice = _choice(one)
    return replace(choice, settings={**choice.settings, **settings})


STATEMENT_FIELDS = ("input", "actual_output", "expected_output", "retrieval_context")


def missing_fields(example: Example, choice: JudgeChoice) -> str | None:
    """A sentence that names what the judge needs and the example has not; `None` if it has all.

    A judge of statements needs all four fields of an example, as its document says. Of judges that
    are not installed here nothing is known: the desk says what they lack.
    """
    judge = choice.made_here
    if judge is None:
        return None
    lacks = judge.lacks(example.as_core(1))
    missing = _missing(example, judge)
    if not judge.uses_statements and lacks is None:
        return None
    if not missing:
        return lacks
    fields = f"field {missing[0]}" if len(missing) == 1 else f"fields {', '.join(missing)}"
    return f"The example lacks the {fields}, which {choice.name} needs."


def _missing(example: Example, judge: Judge) -> list[str]:
    """The fields that judges of this family usually need and the example does not have."""
    if judge.uses_statements:
        return [name for name in STATEMENT_FIELDS if not example.has(name)]
    owed = [] if _has_ground_truth(example) else ["expected_contexts"]
    if example.has("retrieval_context"):
        return owed
    if judge.formula is Formula.PASSAGE:
        found = [] if example.has("actual_output") else ["retrieval_context (or actual_output)"]
        return [*owed, *found]
    return [*owed, "retrieval_context"]


def _has_ground_truth(example: Example) -> bool:
    return example.has("expected_contexts") or example.has("ground_truth")
