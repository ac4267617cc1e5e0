"""What programs write is kept as text that people can read and every database can keep."""

from __future__ import annotations

import pytest

from tests.api.calling import Program
from tests.api.test_resources import first_of, judged_run


@pytest.mark.parametrize(
    "name", ["\0", "a\0b", "\u200b", "\u202e\u2066", "a\u202eb", "two\nlines", "\x1b[31m"]
)
def test_a_name_that_nobody_can_read_is_refused(program: Program, name: str) -> None:
    run = judged_run(program)
    comments = f"/api/v1/judgements/{first_of(program, run)['judgement']}/comments"

    renamed = program("PATCH", f"/api/v1/runs/{run}", json={"name": name})
    said = program.post(comments, {"text": "Look.", "author": name})

    assert (renamed.status_code, said.status_code) == (422, 422)
    assert [error["path"] for error in said.json()["errors"]] == ["author"]


def test_marks_of_joining_and_direction_stay_in_names_that_need_them(program: Program) -> None:
    run = judged_run(program)

    answer = program("PATCH", f"/api/v1/runs/{run}", json={"name": "می\u200cخواهم"})

    assert answer.json()["name"] == "می\u200cخواهم"


def test_what_no_database_keeps_is_left_out_of_notes_and_comments(program: Program) -> None:
    judgement = f"/api/v1/judgements/{first_of(program, judged_run(program))['judgement']}"
    decision = {"unit": "E1", "action": "set", "score": 2, "seen": 0, "note": "a\0b"}

    noted = program.post(f"{judgement}/decisions", decision).json()["decisions"][-1]
    said = program.post(f"{judgement}/comments", {"text": "c\0d"}).json()
    unseen = program.post(f"{judgement}/comments", {"text": "\u200b\0"})

    assert (noted["note"], said["text"]) == ("ab", "cd")
    assert unseen.status_code == 422
