"""Examples that a judge can take, and those that it cannot for want of a field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recall_client.choosing import JudgeChoice, missing_fields
from recall_client.examples import Example
from recall_client.results import Result, lacking


@dataclass(frozen=True, slots=True)
class Split:
    """What of `examples` goes to the judge, by its place from 0, and the results of the others."""

    choice: JudgeChoice
    examples: tuple[Example, ...]
    complete: tuple[int, ...]
    lacking: tuple[Result, ...]

    def together(self, judged: Sequence[Result]) -> list[Result]:
        """The results of all examples, in order; `judged` are those of the complete ones."""
        return sorted((*judged, *self.lacking), key=lambda result: result.number)


def split(choice: JudgeChoice, examples: Sequence[Example]) -> Split:
    """Who needs what is the judge's to say; nobody is asked about an example that lacks it."""
    complete: list[int] = []
    without: list[Result] = []
    for place, example in enumerate(examples):
        sentence = missing_fields(example, choice)
        if sentence is None:
            complete.append(place)
        else:
            without.append(lacking(example, place + 1, choice, sentence))
    return Split(choice, tuple(examples), tuple(complete), tuple(without))
