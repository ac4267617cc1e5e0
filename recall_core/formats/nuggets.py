"""TREC-style nuggets: a vital one is an essential passage, an okay one a bonus passage.

One JSON object a line for each topic: `qid`, `query` and `nuggets`, each with `text` and
`importance`; where an answer was assessed also `answer_text`, `run_id` and an `assignment` for each
nugget. Our importer reads both as examples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from recall_core.details import JudgementDetail
from recall_core.errors import UnreadableFile
from recall_core.formats.outside import objects_in, text_of
from recall_core.scoring import SCALES
from recall_core.summary import Mean, mean_of
from recall_core.types import EffectiveScore, Example, Json, PassageKind, UnitKind

IMPORTANCE = {PassageKind.ESSENTIAL: "vital", PassageKind.BONUS: "okay"}


class Assignment(StrEnum):
    """How far an answer supports a nugget; `failed`: the assessor gave no answer."""

    SUPPORT = "support"
    PARTIAL_SUPPORT = "partial_support"
    NOT_SUPPORT = "not_support"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Nugget:
    """A nugget and what an answer was found to do for it; `None`: nobody has looked."""

    text: str
    vital: bool
    assignment: Assignment | None = None


@dataclass(frozen=True, slots=True)
class AssessedTopic:
    """One topic's nuggets, and the answer that they were looked for in."""

    qid: str
    query: str
    nuggets: tuple[Nugget, ...]
    answer: str | None = None
    run_id: str = ""

    def recall(self, *, vital_only: bool = True, partial: Fraction = Fraction(0)) -> Mean:
        """The share of supported nuggets among those that were assessed, with how many of how many
        that is; `partial` is what partial support counts.

        A failed assignment is no answer: it is neither support nor the lack of it, and the mean
        says that it is missing.
        """
        credit = {
            Assignment.SUPPORT: Fraction(1),
            Assignment.PARTIAL_SUPPORT: partial,
            Assignment.NOT_SUPPORT: Fraction(0),
        }
        asked = [n for n in self.nuggets if n.vital or not vital_only]
        given = [credit[n.assignment] for n in asked if n.assignment in credit]
        return mean_of(((one, 1) for one in given), len(asked))


def read_nuggets(text: str) -> list[AssessedTopic]:
    """The topics of a file; `UnreadableFile` says which word or field is wrong."""
    return [
        AssessedTopic(
            text_of(one, "qid", "topic"),
            str(one.get("query") or one.get("text") or ""),
            tuple(_nugget(n) for n in one.get("nuggets", ())),
            one.get("answer_text"),
            str(one.get("run_id") or ""),
        )
        for one in objects_in(text)
    ]


def _nugget(one: object) -> Nugget:
    if not isinstance(one, dict):
        raise UnreadableFile("A nugget is not an object with a text.")
    importance = text_of(one, "importance", "nugget")
    if importance not in IMPORTANCE.values():
        raise UnreadableFile(f"A nugget has the importance {importance!r}: it is vital or okay.")
    said = one.get("assignment")
    try:
        assignment = None if said is None else Assignment(said)
    except ValueError:
        known = ", ".join(Assignment)
        raise UnreadableFile(f"A nugget has the assignment {said!r}: it is {known}.") from None
    return Nugget(text_of(one, "text", "nugget"), importance == "vital", assignment)


def nuggets_jsonl(examples: Iterable[Example]) -> Iterator[str]:
    """The ground-truth passages of each example as nuggets; examples without any are left out."""
    for example in examples:
        if example.ground_truth:
            nuggets: list[Json] = [
                {"text": p.text, "importance": IMPORTANCE[p.kind]} for p in example.ground_truth
            ]
            topic = {"query": example.question or "", "qid": example.id, "nuggets": nuggets}
            yield json.dumps(topic, ensure_ascii=False, allow_nan=False) + "\n"


def assessed_jsonl(details: Iterable[JudgementDetail]) -> Iterator[str]:
    """The passages of a run as assessed nuggets, as they count now.

    The highest score is support, the lowest none, all between partial support; a unit without a
    score is `failed`. Statements and expected contexts are vital. What people excluded is left out.
    """
    for detail in details:
        nuggets: list[Json] = [
            {
                "text": e.verdict.unit.text,
                "importance": "okay" if e.state.kind is UnitKind.BONUS else "vital",
                "assignment": _assignment(e).value,
            }
            for e in detail.effective
            if not e.state.excluded
        ]
        answer = detail.example.actual_output or ""
        topic: dict[str, Json] = {
            "query": detail.example.question or "",
            "qid": detail.example.id,
            "answer_text": answer,
            "response_length": len(answer.split()),
            "run_id": detail.run.name,
            "nuggets": nuggets,
        }
        yield json.dumps(topic, ensure_ascii=False, allow_nan=False) + "\n"


def _assignment(effective: EffectiveScore) -> Assignment:
    score, scale = effective.state.score, SCALES[effective.state.kind]
    if score is None:
        return Assignment.FAILED
    if score >= scale.highest:
        return Assignment.SUPPORT
    return Assignment.NOT_SUPPORT if score <= scale.lowest else Assignment.PARTIAL_SUPPORT
