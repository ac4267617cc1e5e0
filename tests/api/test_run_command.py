"""`run` and what follows it: judge, keep, hold against a bar, report, take away, copy."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from api.cli import app
from db.engine import Engine
from db.runs import list_runs
from tests.api.commanding import Run
from tests.llm_server import Answer, LlmServer, Received, error
from tests.model_answers import LAB, asked, judging

Write = Callable[..., Path]

HIT = {"id": "hit", "question": "q1", "contexts": ["alpha"], "expected_contexts": ["alpha"]}
MISS = {"id": "miss", "question": "q2", "contexts": ["a"], "expected_contexts": ["omega nine"]}
LACKING = {"id": "lacking", "question": "q3", "contexts": ["a"]}
BAR = ("--judge", "context_recall")


@pytest.fixture(autouse=True)
def migrated_already(migrated: Path, tmp_path: Path) -> None:
    """Making the tables takes longer than everything else in these tests."""
    shutil.copyfile(migrated, tmp_path / "recall.db")


def test_a_file_is_judged_kept_and_told(run: Run, write: Write, engine: Engine) -> None:
    answer = run("run", write(HIT, MISS), *BAR, "--name", "first", "--json")

    assert answer.status == 0
    assert answer.json["mean"] == {"value": 0.5, "n": 2, "of": 2}
    assert (answer.json["name"], answer.json["state"]) == ("first", "done")
    assert [r.name for r in list_runs(engine)] == ["first"]


def test_the_same_file_is_one_dataset_and_a_dataset_has_a_name_and_a_number(
    run: Run, write: Write, engine: Engine
) -> None:
    run("run", write(HIT, MISS), *BAR)
    again = run("run", write(HIT, MISS), *BAR)
    by_name = run("run", "rows", *BAR)
    by_number = run("run", "1", *BAR)

    assert "has exactly these examples" in again.err
    assert (by_name.status, by_number.status) == (0, 0)
    assert {r.dataset_id for r in list_runs(engine)} == {1}


@pytest.mark.parametrize(
    ("rows", "bar", "status", "why"),
    [
        ([HIT, MISS], ["--at-least", "0.5"], 0, "The mean is at least 0.5."),
        ([HIT, MISS], ["--at-least", "0.51"], 1, "The mean is below 0.51."),
        ([HIT, LACKING], ["--at-least", "0.5"], 0, "The mean is at least 0.5."),
        ([HIT, LACKING], ["--at-least", "0.9"], 3, "hangs on examples without a score: 1 skipped"),
        ([MISS, LACKING], ["--at-least", "0.6"], 1, "The mean is below 0.6."),
        ([HIT, LACKING], ["--at-least", "0.9", "--min-coverage", "0.5"], 0, "at least 0.9"),
        ([HIT, LACKING], ["--min-coverage", "0.6"], 3, "1 of 2 examples have a score; 0.6"),
        ([HIT, LACKING], ["--at-least", "0", "--min-coverage", "0.6"], 3, "1 of 2 examples"),
        ([LACKING], ["--at-least", "0.1", "--min-coverage", "0"], 3, "hangs on examples"),
    ],
)
def test_the_exit_status_says_good_below_or_incomplete(
    run: Run, write: Write, rows: list[dict[str, object]], bar: list[str], status: int, why: str
) -> None:
    answer = run("run", write(*rows), *BAR, *bar)

    assert answer.status == status
    assert why in answer.err
    assert "Recall:" in answer.out


def test_a_run_that_fell_against_the_last_one_is_below_the_bar(run: Run, write: Write) -> None:
    worse = {**HIT, "contexts": ["nothing of it"]}
    run("run", write(HIT, MISS), *BAR, "--name", "main")

    first = run("run", write(worse, MISS), *BAR, "--against", "last", "--json")
    allowed = run("run", write(worse, MISS), *BAR, "--against", "main", "--may-fall", "0.5")

    assert first.status == 1
    assert first.json["against"] == {
        "run": 1,
        "name": "main",
        "shared": 2,
        "change": -0.5,
        "fell": 1,
        "rose": 0,
    }
    assert first.json["reason"] == "Recall fell by 0.5 against run 1, main, on 2 shared examples."
    assert allowed.status == 0


def test_the_first_run_has_nothing_to_be_held_against(run: Run, write: Write) -> None:
    answer = run("run", write(HIT), *BAR, "--against", "last")

    assert answer.status == 0
    assert "no finished run of context_recall before this one" in answer.err


def test_a_run_with_failed_examples_is_incomplete(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses_one(received: Received) -> Answer:
        if asked(received).question == "q2":
            return error(400, "no")
        return judging()(received)

    rows = [{**row, "expected_output": "It rains."} for row in (HIT, MISS)]
    monkeypatch.delenv("RECALL_ENDPOINTS", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    with LlmServer(refuses_one) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        answer = run(
            "run", write(*rows), "--judge", "contextual_recall", "--model", "large", "--json"
        )

    assert answer.status == 3
    assert answer.json["counts"]["failed"] == 1
    assert answer.json["settings"]["model"] == "large"


def test_a_run_that_could_not_go_on_is_incomplete_and_says_why(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RECALL_ENDPOINTS"):
        monkeypatch.delenv(name, raising=False)
    rows = write({**HIT, "expected_output": "It rains."})

    answer = run("run", rows, "--judge", "contextual_recall", "--model", "m", "--at-least", "0")

    assert answer.status == 3
    assert "OPENAI_API_KEY is not set" in answer.err


def test_a_run_stops_at_its_budget_and_is_incomplete(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**HIT, "id": str(n), "expected_output": f"It rains {n} times."} for n in range(9)]
    model = ("--judge", "contextual_recall", "--set", "endpoint=lab", "--model", "large")
    with LlmServer(judging()) as server:
        (tmp_path / "endpoints.toml").write_text(LAB.format(url=server.url))
        monkeypatch.setenv("RECALL_ENDPOINTS", str(tmp_path / "endpoints.toml"))
        answer = run("run", write(*rows), *model, "--budget", "0.04", "--at-least", "0.9")

    assert answer.status == 3
    assert "budget" in answer.err
    assert "not judged yet" in answer.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere", *BAR], "There is no dataset named 'nowhere'."),
        (["99", *BAR], "There is no dataset 99."),
        (["1", "--judge", "none"], "There is no judge named 'none'."),
        (["1", *BAR, "--model", "m"], "context_recall asks no model, so --model says nothing"),
        (["1", *BAR, "--at-least", "6"], "'--at-least'"),
        (["1", *BAR, "--min-coverage", "95"], "'--min-coverage'"),
    ],
)
def test_a_wrong_use_is_a_sentence_and_nothing_is_judged(
    run: Run, engine: Engine, arguments: list[str], complaint: str
) -> None:
    answer = run("run", *arguments)

    assert answer.status == 2
    assert complaint in answer.err
    assert list_runs(engine) == []


def test_bad_rows_refuse_a_file_unless_they_are_left_out(run: Run, write: Write) -> None:
    refused = run("run", write(HIT, '{"id": '), *BAR)
    taken = run("run", write(HIT, '{"id": '), *BAR, "--skip-bad", "--json")

    assert refused.status == 2
    assert taken.json["mean"]["n"] == 1


# runs, show, export, report


def test_runs_are_listed_with_their_means_whole_also_in_a_pipe(run: Run, write: Write) -> None:
    name = "a name that is longer than any terminal is wide, " * 4
    run("run", write(HIT, MISS), *BAR, "--name", name)

    assert name.strip() in run("runs").out
    listed = run("runs", "--json").json
    assert (listed[0]["name"], listed[0]["mean"]["value"]) == (name.strip(), 0.5)
    assert run("runs", "--dataset", "rows", "--json").json == listed


def test_no_run_is_said_on_standard_error(run: Run) -> None:
    assert run("runs").out == ""
    assert run("show", "last").status == 2


def test_a_run_is_shown_by_number_name_or_as_the_last(run: Run, write: Write) -> None:
    run("run", write(HIT, MISS), *BAR, "--name", "first")

    shown = [run("show", wanted).out for wanted in ("1", "first", "last")]

    assert len(set(shown)) == 1
    assert "Recall: 0.5 (2 of 2)" in shown[0]
    assert [r["id"] for r in run("show", "last", "--results").lines] == ["hit", "miss"]


def test_a_name_that_several_runs_have_asks_for_a_number(run: Run, write: Write) -> None:
    for _ in range(2):
        run("run", write(HIT), *BAR, "--name", "same")

    answer = run("show", "same")

    assert answer.status == 2
    assert "Give a number: 2, 1." in answer.err


def test_an_export_goes_to_standard_output_or_to_a_file(
    run: Run, write: Write, tmp_path: Path
) -> None:
    run("run", write(HIT, MISS), *BAR)

    printed = run("export", "last", "--format", "csv").out.removeprefix("\ufeff")
    run("export", "last", "--format", "xlsx", "--output", tmp_path / "run.xlsx")

    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [row["example_id"] for row in rows] == ["hit", "miss"]
    assert (tmp_path / "run.xlsx").read_bytes()[:2] == b"PK"


def test_a_report_is_a_page_or_a_table_for_a_comment(
    run: Run, write: Write, tmp_path: Path
) -> None:
    run("run", write(HIT, MISS), *BAR, "--name", "main")
    run("run", write({**HIT, "contexts": ["no"]}, MISS), *BAR, "--name", "branch")

    page = run("report", "last", "--output", tmp_path / "report.html", "--json")
    table = run("report", "last", "--format", "md", "--against", "last")

    assert "<html" in (tmp_path / "report.html").read_text("utf-8")
    assert page.json["file"] == str(tmp_path / "report.html")
    assert "| `hit` `q1` | 1 | 0 | −1 |" in table.out
    assert run("report", "last", "--against", "last").status == 2


# backup and restore


def test_a_backup_comes_back_when_nobody_has_the_database_open(
    run: Run, write: Write, tmp_path: Path
) -> None:
    run("import", write(HIT), "--name", "kept")
    made = run("backup", tmp_path / "copy.db", "--json")
    run("import", write(MISS), "--name", "later")

    restored = run("restore", tmp_path / "copy.db", "--json")

    assert made.json["bytes"] == (tmp_path / "copy.db").stat().st_size
    assert Path(restored.json["kept"]).is_file()
    assert [d["name"] for d in run("datasets", "--json").json] == ["kept"]


def test_a_restore_is_refused_while_the_app_has_the_database_open(
    run: Run, engine: Engine, tmp_path: Path
) -> None:
    list_runs(engine)
    run("backup", tmp_path / "copy.db")

    answer = run("restore", tmp_path / "copy.db")

    assert answer.status == 2
    assert "is open: the app, a worker or a command is using it" in answer.err


def test_help_lists_every_command_with_what_it_does(run: Run) -> None:
    listed = run("--help").out

    for name, command in typer.main.get_command(app).commands.items():
        assert re.search(rf"^  {name}  ", listed, re.MULTILINE), name
        assert command.help


def test_every_command_speaks_json(run: Run) -> None:
    assert run("recount", "--json").json == {"judgements": 0, "differences": []}
    assert run("verify", "--json").out == ""
    commands = [name for name in typer.main.get_command(app).commands if name != "token"]
    assert len(commands) > 12
    for command in commands:
        assert "--json" in run(command, "--help").out, command


@pytest.mark.parametrize(
    ("format", "part"),
    [
        ("langwatch", '"evaluations"'),
        ("langfuse", '"traceId": "hit"'),
        ("mlflow", '"assessment_name": "context_recall"'),
        ("nuggets", '"assignment": "support"'),
        ("jsonl", '"judge_score": 1'),
    ],
)
def test_a_run_is_written_for_other_tools(
    run: Run, write: Write, tmp_path: Path, format: str, part: str
) -> None:
    run("run", write(HIT, MISS), *BAR)

    run("export", "last", "--format", format, "--output", tmp_path / "file")

    assert part in (tmp_path / "file").read_text("utf-8")


@pytest.mark.parametrize("format", ["csv", "jsonl", "ragas", "deepeval", "nuggets"])
def test_a_dataset_is_written_so_that_it_can_be_imported(
    run: Run, write: Write, tmp_path: Path, format: str
) -> None:
    run("import", write(HIT, MISS), "--name", "mine")

    run("export", "--dataset", "mine", "--format", format, "--output", tmp_path / "file")

    answer = run("import", tmp_path / "file", "--name", "again", "--json")
    assert answer.json["examples"] == 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "Name a run, or a dataset by --dataset."),
        (["last", "--dataset", "1"], "Name a run, or a dataset by --dataset."),
        (["last", "--format", "ragas"], "ragas holds examples, so it goes with --dataset."),
        (["--dataset", "1", "--format", "mlflow"], "A dataset is written as csv, jsonl"),
    ],
)
def test_an_export_that_cannot_be_is_refused(
    run: Run, write: Write, arguments: list[str], complaint: str
) -> None:
    run("run", write(HIT), *BAR)

    answer = run("export", *arguments)

    assert answer.status == 2
    assert complaint in answer.err
