"""Every command's answers and refusals, run inside this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import ClassVar

import pytest

from api.commands.judge import judged_rows
from recall_core.ingest import ParsedRow, RowProblem
from recall_core.judges import judges
from recall_core.judges.context_recall import ContextRecall
from recall_core.types import Example, Judgement
from tests.api.commanding import Answer, Run

HIT = {"id": "hit", "contexts": ["alpha"], "expected_contexts": ["alpha"]}
MISS = {"id": "miss", "contexts": ["alpha"], "expected_contexts": ["omega nine"]}
LACKING = {"id": "lacking", "contexts": ["alpha"]}
BROKEN = '{"id": "broken", '


# score


def test_score_as_json_gives_numbers_and_lines(run: Run) -> None:
    answer = run("score", "--essential", "4,4,3", "--bonus", "0", "--json").json

    assert {k: v for k, v in answer.items() if k != "lines"} == {
        "essential": 3.67,
        "bonus": 0,
        "combined": 3.67,
        "final": 3.67,
    }
    assert answer["lines"][0] == "RECALL_Essential_Formula: (4 + 4 + 3) / 3 = 3.67"


def test_score_rounds_up_when_told_so(run: Run) -> None:
    literal = run("score", "--essential", "1,1,2", "--rounding", "up", "--json").json

    assert literal["final"] == 1.34


@pytest.mark.parametrize("bonus", [[], ["--bonus", ""]])
def test_score_without_bonus_prints_the_empty_term(run: Run, bonus: list[str]) -> None:
    answer = run("score", "--essential", "1, 2", *bonus)

    assert "RECALL_Bonus_Formula: (0) / (2 * 0 * 2) = 0" in answer.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--essential", "6"], "6 is not a score of kind essential: it takes 1 to 5."),
        (["--essential", "0"], "0 is not a score of kind essential"),
        (["--essential", "4", "--bonus", "-1"], "-1 is not a score of kind bonus"),
        (["--essential", "four"], "'four' is not a number."),
        (["--essential", "4,,3"], "'' is not a number."),
        (["--essential", "nan"], "'nan' is not a number that can be a score."),
        (["--essential", "1e999999999"], "is not a number that can be a score."),
        (["--essential", ""], "There is no essential score"),
        ([], "Missing option '--essential'"),
        (["--essential", "4", "--rounding", "down"], "'down' is not one of"),
    ],
)
def test_a_score_that_cannot_be_is_refused_with_a_sentence(
    run: Run, arguments: list[str], complaint: str
) -> None:
    answer = run("score", *arguments)

    assert answer.status == 2
    assert answer.out == ""
    assert complaint in answer.err


# judge


def test_judge_gives_every_field_of_the_result(run: Run, write: Callable[..., Path]) -> None:
    (result,) = run("judge", write(MISS), "--judge", "context_recall").lines

    (unit,) = result.pop("units")
    assert result == {
        "id": "miss",
        "status": "processed",
        "score": 0,
        "passed": None,
        "label": None,
        "details": "0 of 1 expected contexts found: best levenshtein similarity above 0.5.",
        "error_type": None,
        "cost": None,
        "raw_response": None,
        "traceback": [],
        "warnings": [],
    }
    assert unit["kind"] == "expected_context"
    assert unit["index"] == 1
    assert unit["text"] == "omega nine"
    assert unit["score"] == 0
    assert unit["reasoning"].startswith("Best match: context 1, similarity 0.1")
    assert unit["evidence"] == [
        {"rank": 1, "start": 0, "end": 5, "quote": "alpha", "located": True}
    ]


def test_settings_change_the_judge_and_take_the_types_of_its_fields(
    run: Run, write: Callable[..., Path]
) -> None:
    answer = run(
        "judge",
        write(MISS),
        *("--judge", "context_recall"),
        *("--set", "threshold=0.05", "--set", "include_bonus=true", "--set", "pass_at=1"),
    )

    (result,) = answer.lines
    assert (result["score"], result["passed"], result["label"]) == (1, True, "1 of 1 found")


def test_an_empty_setting_means_none(run: Run, write: Callable[..., Path]) -> None:
    answer = run("judge", write(HIT), "--judge", "context_recall", "--set", "pass_at=")

    assert answer.lines[0]["passed"] is None


def test_a_skipped_row_has_its_reason_and_leaves_the_status_good(
    run: Run, write: Callable[..., Path]
) -> None:
    answer = run("judge", write(HIT, LACKING), "--judge", "context_recall")

    assert answer.status == 0
    assert answer.lines[1]["status"] == "skipped"
    assert "no expected contexts" in answer.lines[1]["details"]
    assert answer.lines[1]["score"] is None
    assert "Mean 1 over 1 of 2: 1 processed, 1 skipped, 0 in error." in answer.err


def test_a_row_that_cannot_be_read_is_an_error_in_its_place_and_status_3(
    run: Run, write: Callable[..., Path]
) -> None:
    answer = run("judge", write(BROKEN, HIT, BROKEN), "--judge", "context_recall")

    assert answer.status == 3
    assert [r["status"] for r in answer.lines] == ["error", "processed", "error"]
    assert answer.lines[0]["id"] == "row-1"
    assert answer.lines[0]["error_type"] == "unparseable"
    assert answer.lines[0]["details"].startswith("Row 1")
    assert answer.lines[2]["id"] == "row-3"


def test_a_bad_row_keeps_its_own_id(run: Run, write: Callable[..., Path]) -> None:
    bad = {"id": "mine", "contexts": {"no": "list"}, "expected_contexts": ["a"]}

    answer = run("judge", write(HIT, bad), "--judge", "context_recall")

    assert [r["id"] for r in answer.lines] == ["hit", "mine"]
    assert answer.lines[1]["status"] == "error"


def test_nothing_expected_is_a_one_that_the_mean_leaves_out(
    run: Run, write: Callable[..., Path]
) -> None:
    vacuous = {"id": "v", "contexts": ["a"], "expected_contexts": []}

    answer = run("judge", write(MISS, vacuous), "--judge", "context_recall")

    assert [r["score"] for r in answer.lines] == [0, 1]
    assert "Mean 0 over 1 of 2: 2 processed, 1 of them vacuous" in answer.err


def test_when_no_row_has_a_score_there_is_no_mean_and_no_nan(
    run: Run, write: Callable[..., Path]
) -> None:
    answer = run("judge", write(LACKING), "--judge", "context_recall")

    assert "No mean over 0 of 1" in answer.err
    assert "NaN" not in answer.out


def test_a_column_may_be_mapped_by_hand(run: Run, write: Callable[..., Path]) -> None:
    row = {"what_came": ["alpha"], "what_should": ["alpha"]}

    answer = run(
        "judge",
        write(row),
        *("--judge", "context_recall"),
        *("--map", "retrieved=what_came", "--map", "essential=what_should"),
    )

    assert answer.lines[0]["score"] == 1


def test_a_row_without_a_break_for_lines_stays_on_one_line(
    run: Run, write: Callable[..., Path]
) -> None:
    text = "one\u2028two\u2029three\x85four\nfive"

    answer = run(
        "judge", write({"contexts": [text], "expected_contexts": [text]}), "--judge=context_recall"
    )

    (result,) = answer.lines
    assert result["units"][0]["text"] == text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--judge", "nobody"], "There is no judge named 'nobody'. There are: context_recall"),
        (["--judge", "context_recall", "--set", "distance_measure=cosine"], "'jaro_winkler'"),
        (["--judge", "context_recall", "--set", "threshold"], "--set takes KEY=VALUE"),
        (["--judge", "context_recall", "--set", "colour=red"], "colour"),
        (["--judge", "context_recall", "--map", "wheel=contexts"], "--map takes ROLE=COLUMN"),
        (["--judge", "context_recall", "--map", "essential=gone"], "no column 'gone'"),
        (["--judge", "context_recall", "--references", "both"], "--references takes one of: join"),
        (["--judge", "context_recall", "--split-at", "dot"], "--split-at takes one of"),
        (["--judge", "context_recall", "--format", "xml"], "'xml' is not"),
        (["--judge", "context_recall", "--workers", "0"], "Invalid value for '--workers'"),
        ([], "Missing option '--judge'"),
    ],
)
def test_a_wrong_use_of_judge_is_refused_before_anything_is_printed(
    run: Run, write: Callable[..., Path], arguments: list[str], complaint: str
) -> None:
    answer = run("judge", write(HIT), *arguments)

    assert answer.status == 2
    assert answer.out == ""
    assert complaint in answer.err


def test_a_file_without_rows_says_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.write_text("contexts,expected_contexts\n", encoding="utf-8")

    answer = run("judge", file, "--judge", "context_recall")

    assert answer.status == 2
    assert "no rows" in answer.err


def test_rows_are_judged_as_they_are_read_and_not_all_at_once() -> None:
    read: list[int] = []

    def endless() -> Iterator[ParsedRow]:
        for number in count(1):
            read.append(number)
            bad = number % 3 == 0
            yield ParsedRow(
                number,
                None if bad else Example(f"e{number}"),
                (RowProblem(number, "", "bad"),) if bad else (),
            )

    results = list(islice(judged_rows(ContextRecall(), endless(), workers=2), 9))

    assert [r.id for r in results] == [
        *("e1", "e2", "row-3", "e4", "e5", "row-6", "e7", "e8", "row-9"),
    ]
    assert len(read) < 40


class BreakingJudge(ContextRecall):
    """Breaks on every example."""

    name: ClassVar[str] = "breaking"

    def judge(self, example: Example) -> Judgement:
        raise LookupError("a page is missing")


@pytest.mark.parametrize("debug", [False, True])
def test_a_judge_that_breaks_is_an_internal_error_with_a_traceback_only_for_debugging(
    debug: bool,
) -> None:
    row = ParsedRow(1, Example("a", ground_truth=(), retrieved=()))

    (result,) = judged_rows(BreakingJudge(), [row], workers=1, debug=debug)

    assert result.as_json()["error_type"] == "internal"
    assert "LookupError: a page is missing" in result.details
    assert bool(result.traceback) is debug


# judges, config


def test_judges_lists_every_judge_with_its_settings(run: Run) -> None:
    listed = {judge["name"]: judge for judge in run("judges", "--json").json}

    assert set(listed) == set(judges())
    for name, kind in judges().items():
        assert {s["name"] for s in listed[name]["settings"]} == set(kind.model_fields)
    measure = listed["context_recall"]["settings"][0]
    assert measure["name"] == "distance_measure"
    assert measure["takes"] == "levenshtein, hamming, jaro, jaro_winkler"
    assert measure["default"] == "levenshtein"


def test_judges_prints_what_each_setting_takes(run: Run) -> None:
    text = run("judges").out

    assert "context_recall  Context recall (string distance), version 1" in text
    assert "--set threshold=…  number from 0 to 1; 0.5 unless set" in text


def test_config_names_the_database_and_opens_nothing(
    run: Run, database_url: str, tmp_path: Path
) -> None:
    assert run("config", "--json").json == {
        "database": database_url,
        "named_by": "RECALL_DATABASE_URL",
    }
    assert not (tmp_path / "recall.db").exists()


def test_config_hides_a_password(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_DATABASE_URL", "postgresql://ada:secret@host/recall")

    answer = run("config")

    assert "secret" not in answer.out
    assert "ada" in answer.out


def test_config_shows_the_default_as_an_absolute_path(
    run: Run, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.delenv("RECALL_DATABASE_URL")

    answer = run("config")

    assert answer.out.splitlines() == [
        f"Database: sqlite:///{root}/data/recall.db",
        "Named by: default",
    ]


def test_a_database_address_that_is_none_is_a_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_DATABASE_URL", "not an address")

    for command in ("config", "datasets"):
        answer = run(command)
        assert answer.status == 2
        assert "not a database address" in answer.err


# import, datasets, recount


def test_import_refuses_bad_rows_and_saves_nothing(run: Run, write: Callable[..., Path]) -> None:
    answer = run("import", write(HIT, BROKEN), "--name", "mine")

    assert answer.status == 2
    assert answer.out == ""
    assert "2 rows: 1 good, 0 with warnings, 1 in error." in answer.err
    assert "Row 2" in answer.err
    assert "--skip-bad" in answer.err
    assert run("datasets", "--json").json == []


def test_import_saves_the_good_rows_when_told_and_writes_the_bad_ones(
    run: Run, write: Callable[..., Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"

    answer = run("import", write(HIT, BROKEN), "--skip-bad", "--bad-rows", bad, "--json")

    assert answer.status == 0
    assert answer.json["examples"] == 1
    assert answer.json["left_out"] == 1
    assert answer.json["name"] == "rows"
    assert "broken" in bad.read_text(encoding="utf-8")


def test_import_notices_the_same_examples_again(run: Run, write: Callable[..., Path]) -> None:
    file = write(HIT)
    run("import", file, "--name", "first")

    answer = run("import", file, "--name", "second")

    assert answer.status == 0
    assert "dataset 1, first, has the same examples" in answer.err
    assert answer.out == "Dataset 2: second, 1 example.\n"


def test_a_file_that_is_not_there_is_named_once(run: Run, tmp_path: Path) -> None:
    absent = tmp_path / "absent.csv"

    answer = run("import", absent)

    assert answer.status == 2
    assert answer.err.count("absent.csv") == 1


def test_import_says_who_and_how_many_each_judge_can_take(
    run: Run, write: Callable[..., Path]
) -> None:
    answer = run("import", write(HIT, LACKING), "--author", "Ada")

    assert "context_recall can take 1 of 2" in answer.err
    assert run("datasets", "--json").json[0]["created_by"] == "Ada"


def test_import_says_which_columns_it_reads_and_which_it_keeps_as_metadata(
    run: Run, write: Callable[..., Path]
) -> None:
    answer = run("import", write({**HIT, "asked by": "Ada"}))

    assert "Columns read: id=id, essential=expected_contexts, retrieved=contexts." in answer.err
    assert "Kept as metadata: asked by." in answer.err


def test_import_into_a_folder_that_cannot_be_written_is_a_sentence(
    run: Run, write: Callable[..., Path], tmp_path: Path
) -> None:
    answer = run("import", write(HIT), "--bad-rows", tmp_path / "absent" / "bad.csv")

    assert answer.status == 2
    assert "No such file or directory" in answer.err


def test_import_needs_a_name_that_is_not_blank(run: Run, write: Callable[..., Path]) -> None:
    answer = run("import", write(HIT), "--name", " ")

    assert answer.status == 2
    assert "A name is needed" in answer.err


def test_datasets_says_what_to_do_when_there_is_none(run: Run) -> None:
    answer = run("datasets")

    assert answer.status == 0
    assert answer.out == ""
    assert "There is no dataset yet" in answer.err


def test_datasets_shows_names_as_text_and_not_as_markup(
    run: Run, write: Callable[..., Path]
) -> None:
    run("import", write(HIT), "--name", "[bold]x[/bold]")

    assert "[bold]x[/bold]" in run("datasets").out


def test_verify_says_equal_where_nothing_was_touched(run: Run) -> None:
    assert run("verify") == Answer(0, "equal\n", "")


def test_recount_of_an_empty_database_finds_no_difference(run: Run) -> None:
    assert run("recount").out == "Recounted 0 judgements: 0 differences.\n"


def test_a_fault_of_our_own_is_a_sentence_and_leaves_the_answer_open(
    run: Run, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr("api.commands.judge.make_judge", broken)

    answer = run("judge", write(HIT), "--judge", "context_recall")

    assert answer.status == 3
    assert answer.err == "This is a fault of Recall Desk: RuntimeError: a wheel came off\n"
