"""One example as the body of an `evaluate` request, in the words of the judge's family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from recall_core.ingest.tagged import read_tagged
from recall_core.ingest.trouble import CellError
from recall_core.judges.base import Judge
from recall_core.types import (
    Example,
    Formula,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
)


class ExampleData(BaseModel, ABC):
    """What the families have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str | None = Field(
        default=None, description="Comes back with the result; else its number in the list."
    )

    @abstractmethod
    def example(self, number: int) -> Example:
        """The example that this describes; `number` counts from 1 in the request."""


class ContextsData(ExampleData):
    """Which contexts were expected, and which came back."""

    contexts: list[str] = Field(description="The texts that were retrieved, in their order.")
    expected_contexts: list[str] = Field(description="The texts that ought to be retrieved.")
    bonus: list[str] = Field(
        default_factory=list, description="Texts that count only where include_bonus is set."
    )

    def example(self, number: int) -> Example:
        return Example(
            self.id or str(number),
            ground_truth=_owed(self.expected_contexts, self.bonus),
            retrieved=_ranked(self.contexts),
        )


class StatementsData(ExampleData):
    """An expected output, and the texts that ought to support what it says."""

    input: str | None = Field(default=None, description="The question.")
    actual_output: str | None = Field(default=None, description="Kept; the score never reads it.")
    expected_output: str = Field(description="The ideal answer, whose statements are looked for.")
    retrieval_context: list[str] = Field(description="The texts that were retrieved.")

    def example(self, number: int) -> Example:
        return Example(
            self.id or str(number),
            question=self.input,
            actual_output=self.actual_output,
            expected_output=self.expected_output,
            retrieved=_ranked(self.retrieval_context),
        )


def _has_markers(text: str) -> str:
    try:
        read_tagged(text)
    except CellError as error:
        raise PydanticCustomError("passages", "{reason}", {"reason": str(error)}) from None
    return text


class PassagesData(ExampleData):
    """Essential and bonus passages, as lists or as one text, and what came back."""

    question: str | None = Field(default=None, description="Given to judges that ask a model.")
    essential: list[str] | None = Field(
        default=None, description="Passages that ought to come back."
    )
    bonus: list[str] | None = Field(default=None, description="Passages that would be extra.")
    contexts: list[str] | None = Field(default=None, description="The texts that came back.")
    actual_output: str | None = Field(
        default=None, description="Scored where no contexts are given."
    )
    passage_gt: Annotated[str, AfterValidator(_has_markers)] | None = Field(
        default=None,
        description=(
            "Instead of essential and bonus: one text in which [ESSENTIAL PASSAGE] and "
            "[BONUS PASSAGE], each alone on a line, start the passages."
        ),
    )
    passage_llm: str | None = Field(
        default=None, description="Instead of contexts: the returned text, as one passage."
    )

    @model_validator(mode="after")
    def _one_way_each(self) -> Self:
        if self.passage_gt is not None and (self.essential or self.bonus):
            raise PydanticCustomError(
                "twice", "Give passage_gt, or essential and bonus, but not both"
            )
        if self.passage_llm is not None and self.contexts is not None:
            raise PydanticCustomError("twice", "Give passage_llm or contexts, but not both")
        return self

    def example(self, number: int) -> Example:
        return Example(
            self.id or str(number),
            question=self.question,
            ground_truth=self._ground_truth(),
            retrieved=self._retrieved(),
            actual_output=self.actual_output,
        )

    def _ground_truth(self) -> tuple[GroundTruthPassage, ...] | None:
        if self.passage_gt is not None:
            return read_tagged(self.passage_gt)
        if self.essential is None and self.bonus is None:
            return None
        return _owed(self.essential or (), self.bonus or ())

    def _retrieved(self) -> tuple[RetrievedPassage, ...] | None:
        if self.passage_llm is not None:
            return _ranked([self.passage_llm])
        return None if self.contexts is None else _ranked(self.contexts)


def data_of(judge: type[Judge]) -> type[ExampleData]:
    """The words in which examples are given to this judge: what it scores decides."""
    if judge.formula is Formula.PASSAGE:
        return PassagesData
    return StatementsData if judge.uses_statements else ContextsData


def _owed(
    essential: list[str] | tuple[()], bonus: list[str] | tuple[()]
) -> tuple[GroundTruthPassage, ...]:
    kinds = ((PassageKind.ESSENTIAL, essential), (PassageKind.BONUS, bonus))
    return tuple(GroundTruthPassage(kind, text) for kind, texts in kinds for text in texts)


def _ranked(texts: list[str]) -> tuple[RetrievedPassage, ...]:
    return tuple(RetrievedPassage(rank, text) for rank, text in enumerate(texts, 1))
