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


def lacks_passages(example: Example, which: ScoredText) -> str | None:
    """What an example lacks to have its ground-truth passages scored, or `None`."""
    if example.ground_truth is None:
        return "The example has no ground-truth passages (field ground_truth)."
    if not example.essential:
        return "The example has no essential passage, and both formulas divide by their number."
    for passages in (example.essential, example.bonus):
        for number, passage in enumerate(passages, 1):
            if not passage.text.strip():
                name = f"{passage.kind.value.capitalize()} passage {number}"
                return f"{name} is empty, so there is nothing to look for. Fill it or leave it out."
    return missing_text(which) if texts_to_score(example, which) is None else None
