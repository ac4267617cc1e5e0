"""Data in a prompt: numbered sections, each closed by a mark that no text can know beforehand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from recall_core.scored_text import TextToScore
from recall_core.types import Unit, UnitKind

_TITLES = {
    UnitKind.ESSENTIAL: "essential passage",
    UnitKind.BONUS: "bonus passage",
    UnitKind.STATEMENT: "statement",
    UnitKind.EXPECTED_CONTEXT: "expected context",
}


def boundary_of(texts: Iterable[str]) -> str:
    """Twelve hexadecimal digits that nobody who wrote one of the texts could know.

    They are a hash over all of them. So the same question has the same mark (and a kept answer is
    found again), and no passage can hold the mark of the question that it ends up in: putting it
    in would give another one.
    """
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()[:12]


def unit_sections(units: Sequence[Unit], boundary: str) -> str:
    """A section a unit, under its label."""
    return "\n\n".join(_section(u.ref.label, _TITLES[u.ref.kind], u.text, boundary) for u in units)


def text_sections(texts: Sequence[TextToScore], boundary: str) -> str:
    """A section a text, under its rank; the actual output is the only one and has the rank 1."""
    return "\n\n".join(
        _section(f"passage {1 if t.rank is None else t.rank}", "", t.text, boundary) for t in texts
    )


def named_section(name: str, text: str | None, boundary: str) -> str:
    """A section of its own, or nothing where there is no text."""
    return _section(name, "", text, boundary) if text and text.strip() else ""


def _section(name: str, what: str, text: str, boundary: str) -> str:
    head = f"{name}: {what}" if what else name
    return f"=== {head} === {boundary}\n{text}\n=== end of {name} === {boundary}"
