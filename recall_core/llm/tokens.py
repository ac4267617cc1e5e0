"""How many tokens a text will be, without the model's own table: an estimate, and a sure bound."""

from __future__ import annotations

import json
import math
import re

from recall_core.llm.types import ChatRequest

PER_MESSAGE = 8
"""What a chat template adds around a message, generously."""
_PIECES = re.compile(
    r"(?P<word>[A-Za-z']+)|(?P<digits>\d+)|(?P<blank>\s+)"
    r"|(?P<dense>[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]+)"
    r"|(?P<letters>[^\W\d_]+)|(?P<sign>.)",
    re.DOTALL,
)


def estimate_tokens(text: str) -> int:
    """The expected number of tokens of a text."""
    total = 0.0
    for piece in _PIECES.finditer(text):
        length = piece.end() - piece.start()
        match piece.lastgroup:
            case "word":
                total += 1 if length <= 7 else length / 5.5
            case "digits":
                total += math.ceil(length / 3)
            case "blank":
                total += 0 if piece[0] == " " else 1
            case "dense":
                total += length * 0.8
            case "letters":
                total += length / 2.8
            case _:
                total += 0.8
    return math.ceil(total)


def most_tokens(text: str) -> int:
    """A number of tokens that no model passes: tokenizers fall back to bytes, never below."""
    return len(text.encode("utf-8", "surrogatepass"))


def prompt_tokens(request: ChatRequest) -> int:
    """The expected number of tokens of what is sent, the schema included."""
    return _schema_length(request) // 4 + sum(
        estimate_tokens(m.content) + PER_MESSAGE for m in request.messages
    )


def most_prompt_tokens(request: ChatRequest) -> int:
    """The sure bound for what is sent."""
    return _schema_length(request) + sum(
        most_tokens(m.content) + 2 * PER_MESSAGE for m in request.messages
    )


def _schema_length(request: ChatRequest) -> int:
    return len(json.dumps(request.schema))
