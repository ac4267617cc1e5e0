"""What a judge is: one class whose docstring is its help and whose fields are its settings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from recall_core.types import Example, Formula, Outcome, Rounding, Unit, UnitKind
from recall_core.units import numbered, passage_units, statement_units


class Judge(BaseModel, ABC):
    """Settings are the fields: the dashboard's form, the stored JSON and the command-line options
    are all made from them. `version` goes up when old scores stop being comparable.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]
    version: ClassVar[int]
    title: ClassVar[str]
    """What people call it, in a few words."""
    formula: ClassVar[Formula]
    uses_statements: ClassVar[bool] = False
    """Whether it reads `Example.statements`, which a run then freezes once for the dataset."""
    screen: ClassVar[bool] = False
    """Whether it is a lexical screen, which sees neither paraphrase nor contradiction."""

    pass_at: float | None = Field(
        default=None,
        allow_inf_nan=False,
        title="Pass at",
        description="An example passes when its final score is at least this. Empty: no pass mark.",
    )

    @property
    def rounding_rule(self) -> Rounding:
        """How printed formulas are rounded; judges with a rounding setting override this."""
        return Rounding.HALF_UP

    @property
    def prompt_hash(self) -> str | None:
        """A hash of the words with which it asks a model; `None` where it asks none."""
        return None

    @property
    def pass_mark(self) -> Fraction | None:
        """The final score from which an example passes, or `None`."""
        return None if self.pass_at is None else Fraction(str(self.pass_at))

    def scored_texts(self, example: Example) -> tuple[str, ...]:
        """The texts that units are looked for in: the retrieved passages unless a judge differs.

        Runs that scored the same texts share their units (`unit_key`).
        """
        return tuple(p.text for p in example.retrieved or ())

    def units(self, example: Example) -> tuple[Unit, ...]:
        """What it gives verdicts about, so that people can score these where it fails."""
        if self.formula is Formula.PASSAGE:
            return passage_units(example)
        if self.uses_statements:
            return statement_units(example)
        return numbered(UnitKind.EXPECTED_CONTEXT, (p.text for p in example.essential))

    @abstractmethod
    def lacks(self, example: Example) -> str | None:
        """A sentence that says what the example lacks for this judge, or `None` if it can judge."""


class LocalJudge(Judge):
    """A judge that needs nothing but the example: no model, no key, no network."""

    @abstractmethod
    def judge(self, example: Example) -> Outcome:
        """Judge one example; called only when `lacks` says `None`. Must be free of side effects."""
