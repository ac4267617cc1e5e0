"""A score that another tool gave, whatever its file looks like."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recall_core.errors import UnreadableFile


class Source(StrEnum):
    """Who gave a score."""

    HUMAN = "human"
    JUDGE = "judge"
    CODE = "code"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OutsideScore:
    """One score on one example.

    `example` is what the tool knows it by: a trace, a row, a query. `value` is a number, a word or
    a yes or no; `None` where there is no answer, and `error` then says why. `by` names the person
    or the judge.
    """

    example: str
    name: str
    value: float | bool | str | None
    source: Source = Source.UNKNOWN
    by: str = ""
    reason: str = ""
    error: str | None = None


def objects_in(text: str, *wrappers: str) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON text: a list of them, one that wraps the list, one alone, or one a
    line. `UnreadableFile` names the line or the object that is none.
    """
    try:
        found = json.loads(text, parse_constant=lambda _literal: None)
    except ValueError:
        found = [_line(line, n) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if isinstance(found, Mapping):
        wrapped = [found[w] for w in wrappers if isinstance(found.get(w), list)]
        found = wrapped[0] if wrapped else [found]
    if not isinstance(found, list):
        raise UnreadableFile("The file holds neither a list of objects nor objects.")
    for number, one in enumerate(found, 1):
        if not isinstance(one, Mapping):
            raise UnreadableFile(f"Item {number} is not an object with named fields.")
        yield one


def _line(line: str, number: int) -> Any:
    try:
        return json.loads(line, parse_constant=lambda _literal: None)
    except ValueError as error:
        raise UnreadableFile(f"Line {number} is not JSON: {error}.") from None


def text_of(one: Mapping[str, Any], name: str, what: str) -> str:
    """A field that has to be there, as text."""
    value = one.get(name)
    if value is None or value == "" or isinstance(value, list | Mapping):
        raise UnreadableFile(f"A {what} has no {name}.")
    return str(value)
