"""Which text of an example the ground truth is compared with; shared by the passage judges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from recall_core.types import Example


class ScoredText(StrEnum):
    """The setting: `auto` takes the retrieved passages where the field is there (even empty)."""

    AUTO = "auto"
    RETRIEVED = "retrieved"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class TextToScore:
    """One text with its rank; `None` is the actual output."""

    rank: int | None
    text: str

    @property
    def name(self) -> str:
        return "the actual output" if self.rank is None else f"retrieved passage {self.rank}"


def texts_to_score(example: Example, which: ScoredText) -> tuple[TextToScore, ...] | None:
    """The texts in rank order, empty if nothing was retrieved, `None` if the field is missing."""
    if which is not ScoredText.OUTPUT and example.retrieved is not None:
        return tuple(TextToScore(p.rank, p.text) for p in example.retrieved)
    if which is not ScoredText.RETRIEVED and example.actual_output is not None:
        return (TextToScore(None, example.actual_output),)
    return None


def missing_text(which: ScoredText) -> str:
    """The sentence for an example where `texts_to_score` gives `None`."""
    if which is ScoredText.RETRIEVED:
        return "The example has no retrieved passages (field retrieved)."
    if which is ScoredText.OUTPUT:
        return "The example has no actual output (field actual_output)."
    return (
        "The example has nothing to score: neither retrieved passages (field retrieved) "
        "nor an actual output (field actual_output)."
    )
