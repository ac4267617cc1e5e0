"""Parameters that several routes take, and types that addresses and bodies are made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from recall_core.ingest.storing import steers, visible

LARGEST_ID = 2**63 - 1

Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Seen = Annotated[int, Field(ge=0, le=LARGEST_ID)]


def _readable(value: str) -> str:
    if not visible(value):
        raise PydanticCustomError("unseen", "It needs a character that can be seen")
    if any(map(steers, value)):
        raise PydanticCustomError(
            "control", "It may hold no control characters, nor any that turn the direction"
        )
    return value


Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S"), AfterValidator(_readable)]


def _flag(value: Any) -> Any:
    """Only the words that JSON has: pydantic would take "on", "t" and "1" as well."""
    known = {"true": True, "false": False}
    if isinstance(value, str):
        if value not in known:
            raise PydanticCustomError("flag", "Input should be true or false")
        return known[value]
    return value


Flag = Annotated[bool, BeforeValidator(_flag)]


class Params(BaseModel):
    """What stands in an address."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetId(Params):
    dataset_id: Id


class RunId(Params):
    run_id: Id


class JudgementId(Params):
    judgement_id: Id


class Shape(BaseModel):
    """What comes back; made from values with the same names."""

    model_config = ConfigDict(from_attributes=True)


class Body(BaseModel):
    """What comes in."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Number = Annotated[float, BeforeValidator(lambda value: value if value is None else float(value))]
"""An exact score, as JSON writes it."""
