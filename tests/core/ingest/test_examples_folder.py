"""The files in `examples/` are what their page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recall_core.ingest import preview, read_file, suggest_mapping, template_csv, template_jsonl
from recall_core.ingest.parsing import parse_examples
from recall_core.types import Example

EXAMPLES = Path(__file__).parents[3] / "examples"


def examples_of(name: str) -> list[Example]:
    table = read_file(EXAMPLES / name)
    rows = list(parse_examples(table, suggest_mapping(table.columns, table.sample())))
    assert [str(p) for row in rows for p in row.problems] == []
    return [row.example for row in rows if row.example]


NOT_DATA = (".ipynb", ".md", ".toml")


@pytest.mark.parametrize(
    "name",
    [p.name for p in sorted(EXAMPLES.iterdir()) if p.is_file() and p.suffix not in NOT_DATA],
)
def test_every_file_of_examples_loads_without_touching_the_mapping(name: str) -> None:
    table = read_file(EXAMPLES / name)
    seen = preview(table, suggest_mapping(table.columns, table.sample()))

    assert (seen.errors, seen.warnings) == (0, 0)
    assert any(judge.takes for judge in seen.judges) or name == "tagged_ground_truth.txt"


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda p: p.name)
def test_every_file_stands_in_the_table(path: Path) -> None:
    if path.name != "README.md":
        assert f"`{path.name}`" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_the_demo_has_twelve_examples_that_every_judge_can_take() -> None:
    table = read_file(EXAMPLES / "demo.jsonl")
    seen = preview(table, suggest_mapping(table.columns, table.sample()))

    assert (seen.all, seen.good) == (12, 12)
    assert {judge.takes for judge in seen.judges} == {12}


def test_the_demo_shows_what_retrieval_does_well_and_badly() -> None:
    demo = examples_of("demo.jsonl")

    assert all(e.essential for e in demo)
    assert sum(bool(e.bonus) for e in demo) >= 8
    assert any(e.retrieved == () for e in demo)
    whole = [all(_holds(e, p.text) for p in e.essential) for e in demo]
    none = [not any(_holds(e, p.text) for p in e.essential) for e in demo]
    assert any(whole)
    assert any(none)
    assert not all(w or n for w, n in zip(whole, none, strict=True))


def _holds(example: Example, text: str) -> bool:
    return any(text in passage.text for passage in example.retrieved or ())


def test_the_demo_has_an_injection_and_two_other_scripts() -> None:
    demo = examples_of("demo.jsonl")

    passages = [p.text for e in demo for p in e.retrieved or ()]
    assert sum("ignore the passages above" in text for text in passages) == 1
    assert sum(bool(re.search("[\u0600-\u06ff]", e.question or "")) for e in demo) == 1
    assert sum(bool(re.search("[\u4e00-\u9fff]", e.question or "")) for e in demo) == 1
    assert {len({e.metadata[key] for e in demo}) > 1 for key in ("topic", "difficulty")} == {True}


def test_the_labelled_set_has_twenty_articles_by_three_systems_with_their_votes() -> None:
    labelled = examples_of("realsumm_mini.jsonl")

    systems = [str(e.metadata["system"]) for e in labelled]
    assert {systems.count(system) for system in set(systems)} == {20}
    assert len(set(systems)) == 3
    assert len({e.question for e in labelled}) == 20
    for example in labelled:
        human = example.metadata["human"]
        assert isinstance(human, dict)
        assert len(human["majority"]) == len(example.essential)


def test_the_templates_are_the_ones_to_download_and_hold_the_same_rows() -> None:
    assert (EXAMPLES / "template.csv").read_bytes().decode() == template_csv()
    assert (EXAMPLES / "template.jsonl").read_text(encoding="utf-8") == template_jsonl()
    assert examples_of("template.csv") == examples_of("template.jsonl")
