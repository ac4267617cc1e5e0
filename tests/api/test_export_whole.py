"""A file that `export` writes is whole, or what stood there before is."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.api.commanding import Run
from tests.db.reviewing import desk, told
from tests.db.tampering import tampering


@pytest.mark.parametrize("format_", ["csv", "jsonl", "txt", "langfuse"])
def test_an_export_that_is_broken_off_leaves_the_file_of_before(
    engine: Engine, run: Run, tmp_path: Path, format_: str
) -> None:
    judged = desk(engine, told("a", [3]), told("b", [4]))
    file = tmp_path / "out"
    export = ("export", judged.run_id, "--format", format_, "--output", file)
    assert run(*export).status == 0
    before = file.read_bytes()
    with tampering(engine) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE verdict SET score = 'five' WHERE id = 2")

    broken = run(*export)

    assert broken.status != 0
    assert file.read_bytes() == before
    assert [*tmp_path.glob("*.unfinished")] == []


def test_a_link_goes_on_leading_to_what_is_written(
    engine: Engine, run: Run, tmp_path: Path
) -> None:
    judged = desk(engine, told("a", [3]))
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)

    run("export", judged.run_id, "--output", link)

    assert link.is_symlink()
    assert target.read_text("utf-8-sig").startswith("run")


def test_a_pipe_is_written_into(engine: Engine, run: Run, tmp_path: Path) -> None:
    judged = desk(engine, told("a", [3]))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8-sig")))
    reader.start()

    run("export", judged.run_id, "--output", pipe)
    reader.join()

    assert read[0].startswith("run")
