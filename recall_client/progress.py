"""How far an evaluation is, for the person who waits for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the judge's name, how many examples are judged, and how many there are."""


def progress_of(given: bool | Progress | None) -> Progress:
    """The function to call: your own, a line on standard error, or nothing.

    Unless somebody says, the line is there in terminals and notebooks and not in logs.
    """
    if callable(given):
        return given
    shown = _somebody_looks() if given is None else given
    return _line if shown else _nothing


def _somebody_looks() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _line(judge: str, done: int, of: int) -> None:
    end = "\n" if done >= of else ""
    sys.stderr.write(f"\r{judge}: {done} of {of}{end}")
    sys.stderr.flush()


def _nothing(judge: str, done: int, of: int) -> None:
    """Nobody looks."""
