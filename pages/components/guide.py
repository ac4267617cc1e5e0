"""A page of the docs cut into its parts, so that a figure can open the one that explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class Part:
    """A heading (its `level` from 1, and what addresses name it by) and the text up to the next."""

    level: int
    title: str
    body: str

    @property
    def anchor(self) -> str:
        """`Mean absolute error` is `mean-absolute-error`, as on the pages that show Markdown."""
        return re.sub(r"[^\w -]", "", self.title.lower()).strip().replace(" ", "-")


def parts_of(markdown: str) -> list[Part]:
    """The parts in order; headings inside code are code."""
    return list(_parts(markdown.splitlines()))


def with_its_own(parts: Sequence[Part], anchor: str) -> list[Part]:
    """The part of that name with the deeper ones that belong to it; empty if there is none."""
    start = next((i for i, part in enumerate(parts) if part.anchor == anchor), None)
    if start is None:
        return []
    own = takewhile(lambda part: part.level > parts[start].level, parts[start + 1 :])
    return [parts[start], *own]


def _parts(lines: Sequence[str]) -> Iterator[Part]:
    level, title, body, in_code = 1, "", list[str](), False
    for line in lines:
        in_code ^= line.startswith("```")
        heading = None if in_code else re.match(r"(#+) (.*)", line)
        if heading is None:
            body.append(line)
            continue
        if title:
            yield Part(level, title, "\n".join(body).strip("\n"))
        level, title, body = len(heading[1]), heading[2].strip(), []
    if title:
        yield Part(level, title, "\n".join(body).strip("\n"))
