"""What the documents say is so."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import recall_core.types
from recall_core.scoring import passage_trace, trace
from recall_core.types import FailureKind, Formula, Mark, Rounding, UnitKind

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
GLOSSARY_ROW = re.compile(r"^\| (\w+) \| (.+?) \| .*?\| `([\w.]+)` \|$", re.MULTILINE)
TRACE_BLOCK = re.compile(r"^```trace (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def glossary() -> dict[str, str]:
    text = (DOCS / "glossary.md").read_text("utf-8")
    return {word: place for word, _, place in GLOSSARY_ROW.findall(text)}


def public_types() -> set[str]:
    return {
        name
        for name, value in vars(recall_core.types).items()
        if not name.startswith("_")
        and (getattr(value, "__module__", None) == "recall_core.types" or name in ALIASES)
    }


ALIASES = {"Json", "Outcome"}


def test_every_public_type_stands_in_the_glossary() -> None:
    words = glossary()

    assert public_types() - set(words) == set()


def test_every_word_of_the_glossary_exists_where_it_says() -> None:
    for word, place in glossary().items():
        module, _, name = place.rpartition(".")

        assert name in vars(importlib.import_module(module)), place
        assert name.removesuffix("Row") == word, place


def test_the_printed_traces_are_what_the_code_prints() -> None:
    blocks = TRACE_BLOCK.findall((DOCS / "how-scores-are-computed.md").read_text("utf-8"))

    for settings, printed in blocks:
        assert printed_lines(settings) == printed.splitlines(), settings
    assert len(blocks) >= 6


def printed_lines(settings: str) -> list[str]:
    given = dict(part.split("=") for part in settings.split())
    scores = {
        name: [Fraction(s) for s in given.get(name, "").split(",") if s]
        for name in ("essential", "bonus", "found")
    }
    if "found" in given:
        units = [(UnitKind.STATEMENT, f"S{i}", s) for i, s in enumerate(scores["found"], 1)]
        return [str(line) for line in trace(Formula.SHARE, units).lines]
    rounding = Rounding(given.get("rounding", "half_up"))
    made = passage_trace(scores["essential"], scores["bonus"], rounding=rounding)
    return [str(line) for line in made.lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_every_decision_is_in_the_list_of_decisions() -> None:
    listed = set(LINK.findall((DOCS / "decisions" / "README.md").read_text("utf-8")))

    assert listed == {p.name for p in (DOCS / "decisions").glob("0*.md")}


@pytest.fixture
def checkout_with_the_judge(tmp_path: Path) -> Path:
    """A copy of the project with the file of `adding-a-judge.md` in it and nothing else changed."""
    for folder in ("recall_core", "api", "db", "pages"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    text = (DOCS / "adding-a-judge.md").read_text("utf-8")
    (name,) = re.findall(r"`(recall_core/judges/\w+\.py)`", text)
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / name).write_text(code, "utf-8")
    return tmp_path


def python(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_judge_has_a_form_by_itself(checkout_with_the_judge: Path) -> None:
    code = (
        "from recall_core.judges import judge_named\n"
        "from pages.components.settings_form import form_fields\n"
        "judge = judge_named('verbatim_recall')\n"
        "print(judge.__doc__)\n"
        "print(*[(f.name, f.label, f.default) for f in form_fields(judge)], sep='\\n')\n"
    )

    shown = python(checkout_with_the_judge, "-c", code)

    assert "stand word for word" in shown
    assert "('ignore_case', 'Ignore case', False)" in shown


def test_a_new_judge_has_command_line_options_by_itself(checkout_with_the_judge: Path) -> None:
    file = checkout_with_the_judge / "two.jsonl"
    rows = [
        {"id": "a", "question": "q", "essential": ["Keys expire"], "contexts": ["all keys expire"]},
        {"id": "b", "question": "q", "essential": ["Keys expire"], "contexts": ["nothing"]},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    command = ["-m", "api", "judge", str(file), "--judge", "verbatim_recall", "--format", "jsonl"]

    listed = python(checkout_with_the_judge, "-m", "api", "judges")
    strict = python(checkout_with_the_judge, *command)
    relaxed = python(checkout_with_the_judge, *command, "--set", "ignore_case=true")

    assert "verbatim_recall" in listed
    assert "ignore_case" in listed
    assert [json.loads(line)["score"] for line in strict.splitlines()] == [0.0, 0.0]
    assert [json.loads(line)["score"] for line in relaxed.splitlines()] == [1.0, 0.0]
    found = json.loads(relaxed.splitlines()[0])["units"][0]["evidence"][0]
    assert (found["rank"], found["start"], found["end"]) == (1, 4, 15)


def test_every_kind_of_failure_and_every_mark_stands_in_the_list_of_faults() -> None:
    text = (DOCS / "faults.md").read_text("utf-8")

    assert {kind for kind in FailureKind if f"`{kind.value}`" not in text} == set()
    assert {m for m in Mark if f"*{m.value.replace('_', ' ')}*" not in text} == set()
    named = set(re.findall(r"`([a-z_]+)`", text)) - {"temperature", "max_tokens"}
    assert named <= {kind.value for kind in FailureKind}
