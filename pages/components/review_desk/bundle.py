"""Joins the desk's JavaScript modules and style sheets into the one of each that Streamlit takes.

The modules import each other by name, so that they can be read and tested alone. Joined they share
one scope: imports fall away, exports become plain declarations, and each name exists once.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
ENTRY = "desk.js"
STYLES = (
    "controls.css",
    "desk.css",
    "strip.css",
    "units.css",
    "scorekeys.css",
    "people.css",
    "passages.css",
    "sums.css",
    "panels.css",
)

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<module>[a-z_]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


def javascript(entry: str = ENTRY) -> str:
    """One module: what the entry needs first, the entry (the desk has a default export) last."""
    parts = [_IMPORT.sub("", _EXPORT.sub("", _read(name))) for name in modules(entry)]
    return "\n".join(parts)


def style_sheet() -> str:
    """The frame's rules, then those of what stands in it."""
    return "\n".join((HERE / "css" / name).read_text("utf-8") for name in STYLES)


def modules(entry: str = ENTRY) -> list[str]:
    """The names of the entry and the modules it needs, each after those that it imports."""
    ordered: list[str] = []

    def add(name: str) -> None:
        for found in _IMPORT.finditer(_read(name)):
            if found["module"] not in ordered:
                add(found["module"])
        ordered.append(name)

    add(entry)
    return ordered


def _read(name: str) -> str:
    return (HERE / "js" / name).read_text("utf-8")
