"""Commands and programs that the documents show can be typed as they stand."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from api.cli import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*")
COMMANDS: dict[str, Any] = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
OUR_PACKAGES = ("recall_client", "recall_core")


def shown() -> list[tuple[str, str]]:
    """Every `python -m api …` of the documents, in blocks and in lines, with its page."""
    found = []
    for page in PAGES:
        text = re.sub(r"\s*\n\s+--", " --", page.read_text("utf-8"))
        for rest in re.findall(r"python -m api ([^`\n|>&]*)", text):
            found.append((page.name, rest.strip()))
    return found


@pytest.mark.parametrize(("page", "line"), shown())
def test_a_command_in_the_documents_exists_with_its_options(page: str, line: str) -> None:
    name, *rest = line.split(" ")
    if name in ("…", "--help", ""):
        return
    command = COMMANDS[name]
    if hasattr(command, "commands"):
        command = command.commands[rest[0]]
    known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)}

    assert set(OPTION.findall(line)) <= known | {"--help"}, f"{page}: python -m api {line}"


def blocks() -> list[tuple[str, str]]:
    return [
        (page.name, code)
        for page in PAGES
        for language, code in BLOCK.findall(page.read_text("utf-8"))
        if language == "python"
    ]


@pytest.mark.parametrize(("page", "code"), blocks())
def test_a_program_in_the_documents_imports_what_there_is(page: str, code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in OUR_PACKAGES:
            module = __import__(str(node.module), fromlist=["*"])
            for alias in node.names:
                assert hasattr(module, alias.name), f"{page}: {alias.name}"
