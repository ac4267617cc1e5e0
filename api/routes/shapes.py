"""What comes back, as models: the document is made from them, and most answers are made by them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, RootModel


class EvidenceShape(BaseModel):
    """Where the support for a verdict stands; offsets count Unicode characters."""

    rank: int | None
    start: int | None
    end: int | None
    quote: str
    located: bool


class UnitShape(BaseModel):
    """What the judge said of one unit."""

    kind: str
    index: int
    text: str
    score: float | None
    reasoning: str
    evidence: list[EvidenceShape]
    error_type: str | None = None
    similarity: float | None = None
    probability: float | None = None
    spread: float | None = None
    marks: list[str] = []


class CostShape(BaseModel):
    """What it cost."""

    currency: str
    amount: float


class ResultShape(BaseModel):
    """What one judge says about one example; `score` is null unless `status` is processed."""

    id: str
    status: str
    score: float | None
    passed: bool | None
    label: str | None
    details: str
    error_type: str | None
    cost: CostShape | None
    raw_response: str | None
    traceback: list[str]
    warnings: list[str]
    units: list[UnitShape]


class Results(RootModel[list[ResultShape]]):
    """One result an example, in the order of the request."""


class JudgeShape(BaseModel):
    """A judge, how it is set and what it takes."""

    name: str
    version: int
    title: str
    help: str
    path: str
    scale: list[float]
    asks_a_model: bool
    lexical_screen: bool
    settings: dict[str, Any]
    data: dict[str, Any]


class Judges(RootModel[list[JudgeShape]]):
    """Every judge, in alphabetical order."""
