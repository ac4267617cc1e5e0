"""The command line as people start it: a process of its own, its streams and its exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(
    *arguments: str | Path, database: str = "sqlite:////dev/null/none.db"
) -> subprocess.CompletedProcess[str]:
    # Neither the terminal's width nor its encoding may matter.
    environment = {**os.environ, "RECALL_DATABASE_URL": database, "COLUMNS": "20", "LC_ALL": "C"}
    return subprocess.run(
        [sys.executable, "-m", "api", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_score_prints_the_formula_lines_and_nothing_else() -> None:
    done = run("score", "--essential", "4,3", "--bonus", "4,0")

    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "RECALL_Essential_Formula: (4 + 3) / 2 = 3.5",
        "RECALL_Bonus_Formula: (4 + 0) / (2 * 2 * 2) = 0.5",
        "RECALL_Combined_Formula: 3.5 + 0.5 = 4",
        "RECALL_Final_Score_Calculation: min(5, 4) = 4",
        "RECALL_Final_Score: 4",
    ]


def test_judge_prints_one_object_a_row_in_the_files_order_without_a_database(
    tmp_path: Path,
) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        '{"id": "hit", "contexts": ["The gate is locked."], "expected_contexts": ["The gate is'
        ' locked."]}',
        '{"id": "broken", "contexts": [',
        '{"id": "lacking", "contexts": ["a"]}',
        '{"id": "多语\\u2028言", "contexts": [], "expected_contexts": ["a"]}',
    ]
    file.write_text("\n".join(rows), encoding="utf-8")

    done = run("judge", file, "--judge", "context_recall", "--format", "jsonl")

    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["status"] for r in results] == ["processed", "error", "skipped", "processed"]
    assert [r["id"] for r in results] == ["hit", "row-2", "lacking", "多语\u2028言"]
    assert [r["score"] for r in results] == [1, None, None, 0]
    assert "Traceback" not in done.stderr
    assert "Mean 0.5 over 2 of 4: 2 processed, 1 skipped, 1 in error." in done.stderr
    assert done.returncode == 3


def test_a_wrong_use_is_a_sentence_and_status_2(tmp_path: Path) -> None:
    done = run("judge", tmp_path / "absent.csv", "--judge", "context_recall")

    assert done.returncode == 2
    assert done.stdout == ""
    assert "absent.csv" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_stops_early_ends_the_command_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    row = json.dumps({"contexts": ["word " * 400], "expected_contexts": ["word " * 400]})
    file.write_text(f"{row}\n" * 400, encoding="utf-8")
    command = [sys.executable, "-m", "api", "judge", file, "--judge", "context_recall"]

    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = json.loads(process.stdout.readline())
        process.stdout.close()
        complaint = process.stderr.read()

    assert first["id"] == "row-1"
    assert "Traceback" not in complaint
    assert "Exception" not in complaint


@pytest.mark.parametrize(("presses", "status"), [(1, 130), (2, -signal.SIGINT)])
def test_ctrl_c_stops_after_the_examples_in_work_and_a_second_one_at_once(
    tmp_path: Path, presses: int, status: int
) -> None:
    file = tmp_path / "long.jsonl"
    row = {"contexts": ["word " * 2000] * 3, "expected_contexts": ["other " * 2000] * 3}
    file.write_text(f"{json.dumps(row)}\n" * 300, encoding="utf-8")
    command = [sys.executable, "-m", "api", "judge", file, "--judge", "context_recall"]

    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["id"] == "row-1"
        for _ in range(presses):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)  # two signals at once would be one
        results, complaint = process.communicate(timeout=60)

    assert process.returncode == status
    assert len(results.splitlines()) < 299
    assert "Traceback" not in complaint


def test_import_stores_a_dataset_that_another_process_lists(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'recall.db'}"

    imported = run("import", ROOT / "examples" / "demo.jsonl", "--name", "demo", database=database)
    listed = run("datasets", "--json", database=database)

    assert imported.returncode == 0
    assert imported.stdout == "Dataset 1: demo, 12 examples.\n"
    assert "12 rows: 12 good, 0 with warnings, 0 in error." in imported.stderr
    (dataset,) = json.loads(listed.stdout)
    assert (dataset["name"], dataset["examples"]) == ("demo", 12)
