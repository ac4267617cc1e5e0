"""Replies of a scripted model that read what they were asked: a verdict on every unit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.llm_server import Answer, Received, Respond, reply

_PASSAGE = re.compile(
    r"=== passage (\d+) === (\w+)\n(.*?)\n=== end of passage \1 === \2", re.DOTALL
)
_QUESTION = re.compile(r"=== question === (\w+)\n(.*?)\n=== end of question === \1", re.DOTALL)
_UNITS = re.compile(r"^=== ([EBS]\d+): ", re.MULTILINE)

Entry = dict[str, Any]
Change = Callable[[Entry], Entry]


@dataclass(frozen=True)
class Asked:
    """What stood in a judge's question."""

    question: str
    units: tuple[str, ...]
    passages: Mapping[int, str]


def asked(received: Received) -> Asked:
    """The parts of a judge's prompt."""
    prompt = received.prompt
    question = _QUESTION.search(prompt)
    return Asked(
        question[2] if question else "",
        tuple(dict.fromkeys(_UNITS.findall(prompt))),
        {int(rank): text for rank, _, text in _PASSAGE.findall(prompt)},
    )


def judging(
    changes: Mapping[str, Change] | None = None,
    *,
    instead: Callable[[Asked], Answer | None] = lambda _asked: None,
    tokens: tuple[int, int] | None = (900, 120),
    after: float = 0.0,
) -> Respond:
    """A model that supports every unit with the first sentence of passage 1 (score 4, or true).

    `changes` rewrite the entry of a unit by its label; `instead` answers a question by itself.
    """

    def respond(received: Received) -> Answer:
        what = asked(received)
        other = instead(what)
        if other is not None:
            return other
        if not what.units:
            return reply('{"works": true}', tokens=tokens, after=after)
        entries = [(changes or {}).get(u, dict)(_entry(u, what)) for u in what.units]
        return reply(json.dumps({_list_name(what): entries}), tokens=tokens, after=after)

    return respond


def _list_name(what: Asked) -> str:
    return "verdicts" if what.units[0].startswith("S") else "passages"


def _entry(unit: str, what: Asked) -> Entry:
    first = what.passages.get(1, "").split(". ")[0]
    entry: Entry = {
        "reasoning": f"Passage 1 says what {unit} says, in other words.",
        "quotes": [{"rank": 1, "quote": first}],
    }
    if unit.startswith("S"):
        return {"statement": unit, **entry, "supported": True}
    return {"passage": unit, **entry, "score": 4}


def passage_example(
    name: str, essential: Iterable[str], retrieved: Iterable[str], bonus: Iterable[str] = ()
) -> Example:
    """An example with these texts; its question names it."""
    owed = {PassageKind.ESSENTIAL: essential, PassageKind.BONUS: bonus}
    return Example(
        name,
        question=f"What of {name}?",
        ground_truth=tuple(
            GroundTruthPassage(kind, text) for kind, texts in owed.items() for text in texts
        ),
        retrieved=tuple(RetrievedPassage(rank, text) for rank, text in enumerate(retrieved, 1)),
    )


LAB = """
[endpoints.lab]
base_url = "{url}"
models."large" = {{ window = 32_768, input = 2.0, output = 8.0 }}
models."small" = {{ window = 5_500 }}

[endpoints.office]
base_url = "https://llm.example.org/v1"
key_env = "OFFICE_KEY"
"""
"""An operator's `endpoints.toml`: a server without a key, and one whose key is not set."""
