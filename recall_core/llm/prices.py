"""What models cost and how much they can read; a price nobody knows is `None`, never 0."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from recall_core.errors import InvalidSetting

MILLION = 1_000_000
ANY_MODEL = "*"
"""The name that stands for every model of an endpoint which has no entry of its own."""
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, read and written."""

    input: Decimal
    output: Decimal

    def cost(self, tokens_in: int, tokens_out: int) -> Decimal:
        """What that many tokens cost, exactly."""
        return (self.input * tokens_in + self.output * tokens_out) / MILLION


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model; `window` counts tokens, prompt and answer together."""

    name: str
    window: int | None = None
    price: Price | None = None


def read_models(table: Mapping[str, Any], where: str) -> dict[str, ModelFacts]:
    """Models of a TOML table: a name, then any of `window`, `input` and `output`.

    `where` names the table in errors. TOML numbers must have been read as `Decimal`.
    """
    return {name: _facts(name, entry, f"{where}.{name!r}") for name, entry in table.items()}


def _facts(name: str, entry: object, where: str) -> ModelFacts:
    if not isinstance(entry, Mapping):
        raise InvalidSetting(f"{where} must be a table with window, input and output.")
    unknown = sorted(set(entry) - {"window", "input", "output"})
    if unknown:
        raise InvalidSetting(f"{where} has {', '.join(unknown)}; known are window, input, output.")
    if ("input" in entry) != ("output" in entry):
        raise InvalidSetting(f"{where} needs both input and output, in USD per million tokens.")
    price = None
    if "input" in entry:
        price = Price(_dollars(entry["input"], where), _dollars(entry["output"], where))
    return ModelFacts(name, window_size(entry.get("window"), where), price)


def window_size(value: object, where: str) -> int | None:
    """A context window in tokens, or `None` where none is given."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidSetting(f"{where}: window must be a whole number of tokens, not {value!r}.")
    return value


def _dollars(value: object, where: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not value >= 0:
        raise InvalidSetting(f"{where}: a price must be a number from 0, not {value!r}.")
    return Decimal(value)


def openai_model(name: str) -> ModelFacts | None:
    """What the shipped table knows of a model at OpenAI's own address; a dated name
    (`gpt-4.1-2025-04-14`) is the model of that name."""
    return _openai_models().get(name) or _openai_models().get(_DATED.sub("", name))


def openai_model_names() -> tuple[str, ...]:
    """The models of the shipped table, to suggest; there are more at that address."""
    return tuple(_openai_models())


@cache
def _openai_models() -> Mapping[str, ModelFacts]:
    text = files("recall_core.llm").joinpath("openai_models.toml").read_text("utf-8")
    return read_models(tomllib.loads(text, parse_float=Decimal)["models"], "openai_models.toml")
