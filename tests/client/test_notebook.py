"""The notebook in examples/ runs from its first cell to its last, inside a running loop."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "evaluating.ipynb"


async def run_cells(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Run the code cells as a kernel does: one after the other, in one namespace, in the loop."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        code = compile(source, f"cell {number}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        done = eval(code, namespace)
        if inspect.iscoroutine(done):
            await done
    return namespace


def test_the_notebook_runs_and_what_it_evaluates_is_kept(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("RECALL_URL", raising=False)
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]

    made = asyncio.run(run_cells(cells))

    assert [r.score for r in made["evaluation"]] == [1, None]
    assert "expected_output" in made["evaluation"][1].error
    assert made["kept"].runs[0].url == "/examples?run=1"
    assert len(made["fell"])
    assert "contextual_recall_lexical gives 0" in capsys.readouterr().out


def test_the_notebook_is_kept_without_what_it_printed() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]

    assert all(not cell.get("outputs") for cell in cells)
