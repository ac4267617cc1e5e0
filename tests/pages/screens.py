"""What the tests of pages see and do: screens in one process, with a database of their own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from streamlit.testing.v1 import AppTest

from db.claims import claim_run
from db.engine import Engine
from db.owners import new_owner
from db.working import Pace, judge_claimed
from recall_core.judges import make_judge


class Screens:
    """The dashboard as one person sees it."""

    def __init__(self, frame: str, engine: Engine) -> None:
        self.engine = engine
        self._app = AppTest.from_file(frame, default_timeout=60)

    def open(self, file: str = "overview", /, **address: object) -> AppTest:
        """Open a page by its file's name, with the words of its address and no others."""
        self._app.query_params.clear()
        self._app.run()
        self._app.switch_page(f"{file}.py")
        for name, value in address.items():
            self._app.query_params[name] = str(value)
        return self._app.run()


def texts(app: AppTest) -> str:
    """Everything a person can read on the page, line by line."""
    return "\n".join(_said(app))


def _said(app: AppTest) -> Iterator[str]:
    for kind in ("title", "header", "markdown", "caption", "text", "error", "html"):
        for element in app.get(kind):
            yield str(getattr(element, "value", None) or element.proto.body)
    for button in app.button:
        yield button.label
    for table in tables(app):
        for line in table["rows"]:
            yield " | ".join(words(cell) for cell in line["cells"])


def tables(app: AppTest) -> list[dict[str, Any]]:
    """What the lists on the page were given to draw."""
    return [
        json.loads(element.proto.json)
        for element in app.get("bidi_component")
        if element.proto.component_name == "recall_rows"
    ]


def words(cell: dict[str, Any]) -> str:
    """What a cell says, its second line included."""
    if cell["type"] == "bar":
        return f"{cell['done']} of {cell['total']}"
    main = str(cell.get("main", cell.get("label", "")))
    return f"{main} ({cell['below']})" if cell.get("below") else main


def column(table: dict[str, Any], title: str) -> list[str]:
    """What one column of a list says, from top to bottom."""
    place = [c["title"] for c in table["columns"]].index(title)
    return [words(line["cells"][place]) for line in table["rows"]]


def work_off(engine: Engine) -> None:
    """Do the worker's part: judge every run that waits."""
    owner = new_owner()
    while claim := claim_run(engine, owner, datetime.now(UTC)):
        judge_claimed(
            engine,
            claim,
            stop=threading.Event(),
            clock=lambda: datetime.now(UTC),
            make=make_judge,
            pace=Pace(),
        )
