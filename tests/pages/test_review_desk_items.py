"""A judgement as the desk's JSON: exact scores, JavaScript's offsets, sentences for what failed."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from db.engine import Engine
from pages.components.review_desk.bundle import HERE, javascript, modules, style_sheet
from pages.components.review_desk.items import desk_item, gone_item, utf16_length
from recall_core.types import Action, Cause, FailureKind
from tests.db.reviewing import E1, desk, told


def test_scores_travel_as_exact_text_and_decisions_with_all_that_history_shows(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", ["7/2", 4], [0]))
    run.set("a", E1, 2, cause=Cause.JUDGE_WRONG, note="half of it is missing")

    item = json.loads(json.dumps(desk_item(run.detail("a"))))

    assert [(u["label"], u["kind"], u["score"]) for u in item["units"]] == [
        ("E1", "essential", "7/2"),
        ("E2", "essential", "4"),
        ("B1", "bonus", "0"),
    ]
    (decision,) = item["decisions"]
    assert decision["before"] == {"kind": "essential", "score": "7/2", "excluded": False}
    assert decision["after"] == {"kind": "essential", "score": "2", "excluded": False}
    assert (decision["reviewer"], decision["cause"]) == ("Mara", "judge wrong")
    assert decision["note"] == "half of it is missing"
    assert decision["at"].endswith("+00:00")


def test_only_an_undo_names_what_it_takes_back(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    made = run.set("a", E1, 2).decisions[0]
    run.undo("a", E1)

    first, second = desk_item(run.detail("a"))["decisions"]

    assert (first["undoes"], second["undoes"], second["action"]) == (None, made.id, "undo")


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("abc", 3), ("שלום", 4), ("冲突", 2), ("😀a", 3), ("￿", 1)]
)
def test_offsets_count_as_javascript_counts(text: str, length: int) -> None:
    assert utf16_length(text) == length == len(text.encode("utf-16-le")) // 2


def test_a_judge_that_failed_is_a_sentence_and_every_unit_waits_for_a_person(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4], [1], fails=FailureKind.TIMEOUT.value))

    item = desk_item(run.detail("a"))

    assert item["status"] == "error"
    assert item["sentence"] == (
        "The judge did not answer in time. It did not answer. "
        "Fill the scores in, and the final appears."
    )
    assert [(u["label"], u["score"]) for u in item["units"]] == [("E1", None), ("B1", None)]
    assert item["unscored"] == []


def test_what_a_skipped_example_expected_can_still_be_read(engine: Engine) -> None:
    run = desk(engine, told("a", [], [1]))

    item = desk_item(run.detail("a"))

    assert item["sentence"] == "Not judged: There is no essential passage."
    assert item["units"] == []
    assert item["unscored"] == [{"kind": "bonus", "text": "bonus 1 of a"}]


def test_a_unit_without_a_score_says_why(engine: Engine) -> None:
    run = desk(engine, told("a", [4, None]))

    item = desk_item(run.detail("a"))

    assert item["units"][1]["score"] is None
    assert item["units"][1]["failure"] == "The judge's answer was incomplete."


def test_every_kind_of_failure_has_a_sentence(engine: Engine) -> None:
    run = desk(engine, *(told(kind.value, [4], fails=kind.value) for kind in FailureKind))

    sentences = [desk_item(run.detail(kind.value))["sentence"] for kind in FailureKind]

    assert len({s.split(" It did not answer.")[0] for s in sentences}) == len(FailureKind)


def test_a_judgement_that_is_gone_says_so_in_its_place() -> None:
    item = gone_item(7)

    assert (item["id"], item["units"]) == (7, [])
    assert "no longer kept" in item["sentence"]


def test_no_text_can_become_markup_on_the_desk() -> None:
    source = javascript()

    for door in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert door not in source, door


def test_the_desk_is_made_of_all_its_files_each_after_what_it_needs() -> None:
    names = modules()

    assert sorted(names) == sorted(path.name for path in (HERE / "js").glob("*.js"))
    assert names[-1] == "desk.js"
    assert "import " not in javascript()
    assert javascript().count("\nexport ") == 1
    for path in (HERE / "css").glob("*.css"):
        assert path.read_text("utf-8") in style_sheet()


def test_an_excluded_and_a_moved_state_travel(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3], [2]))
    run.decide("a", E1, Action.EXCLUDE)

    (decision,) = desk_item(run.detail("a"))["decisions"]

    assert decision["after"] == {"kind": "essential", "score": "4", "excluded": True}
    assert run.detail("a").trace.final == Fraction(4)
