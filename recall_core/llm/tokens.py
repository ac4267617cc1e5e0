"""How many tokens a text will be, without the model's own table: an estimate, and a sure bound.

The tables of OpenAI's tokenizers are not part of a package and cannot always be fetched, and other
models have others. So tokens are estimated from the kinds of signs in the text. The weights were
set on English, twelve other languages, code, JSON and numbers against `o200k_base`: within 5 %
on English prose, 20 % on most of the rest. `high` also covers `cl100k_base`, and with it models
whose tokenizers cut other scripts than Latin into single signs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from recall_core.llm.types import ChatRequest

PER_MESSAGE = 8
"""What a chat template adds around a message, generously."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A number of tokens that is not known exactly."""

    low: int
    expected: int
    high: int

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def scaled(self, by: Fraction) -> Tokens:
        return Tokens(round(self.low * by), round(self.expected * by), round(self.high * by))


NO_TOKENS = Tokens(0, 0, 0)

_PIECES = re.compile(
    r"(?P<short>[A-Za-z']{1,7}(?![A-Za-z']))|(?P<word>[A-Za-z']+)|(?P<digits>\d+)"
    r"|(?P<blank>\ )|(?P<breaks>\s+)"
    r"|(?P<dense>[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]+)"
    r"|(?P<letters>[^\W\d_]+)|(?P<sign>[!-~])|(?P<mark>[\u0080-\u1fff])|(?P<symbol>.)",
    re.DOTALL,
)


def _per_sign(low: float, expected: float, high: float) -> Callable[[int], tuple[float, ...]]:
    return lambda length: (length * low, length * expected, length * high)


def _each(low: float, expected: float, high: float) -> Callable[[int], tuple[float, ...]]:
    return lambda length: (low, expected, high)


_WEIGHTS: dict[str, Callable[[int], tuple[float, ...]]] = {
    "short": _each(0.9, 1, 1.2),
    "word": _per_sign(1 / 6.5, 1 / 5.5, 1 / 4),
    "digits": lambda length: (math.ceil(length / 3),) * 3,
    "blank": _each(0, 0, 0),
    "breaks": _each(0.5, 1, 1),
    "dense": _per_sign(0.65, 0.75, 1.15),
    "letters": _per_sign(0.25, 0.33, 1),
    "sign": _each(0.7, 0.8, 1),
    "mark": _each(0.25, 0.35, 1),
    "symbol": _each(1, 2, 3),
}


def estimate_tokens(text: str) -> Tokens:
    """The tokens of a text; a megabyte takes a quarter of a second."""
    low = expected = high = 0.0
    for piece in _PIECES.finditer(text):
        weights = _WEIGHTS[piece.lastgroup or "symbol"](piece.end() - piece.start())
        low, expected, high = low + weights[0], expected + weights[1], high + weights[2]
    return Tokens(math.floor(low), math.ceil(expected), math.ceil(high))


def most_tokens(text: str) -> int:
    """A number of tokens that no model passes: tokenizers fall back to bytes, never below."""
    return len(text.encode("utf-8", "surrogatepass"))


def prompt_tokens(request: ChatRequest) -> Tokens:
    """The tokens of what is sent, the schema included."""
    schema = _schema_length(request)
    total = Tokens(schema // 6, schema // 4, schema // 2)
    for message in request.messages:
        around = Tokens(PER_MESSAGE // 2, PER_MESSAGE, 2 * PER_MESSAGE)
        total = total + estimate_tokens(message.content) + around
    return total


def most_prompt_tokens(request: ChatRequest) -> int:
    """The sure bound for what is sent."""
    return 2 * _schema_length(request) + sum(
        most_tokens(m.content) + 4 * PER_MESSAGE for m in request.messages
    )


def _schema_length(request: ChatRequest) -> int:
    return len(json.dumps(request.schema))
