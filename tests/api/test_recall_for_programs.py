"""What programs are told of a run's recall: the same object as the screens, with the lower end."""

from __future__ import annotations

import pytest

from api.console import BELOW, GOOD, INCOMPLETE
from db.engine import Engine
from db.estimating import headline
from tests.api.calling import Program
from tests.api.commanding import Run, run
from tests.db.test_estimating import audit_of, plain

__all__ = ["run"]


@pytest.fixture
def audited(engine: Engine) -> int:
    """The judge says 4 of each of 40 examples; an audit of 12 found 3."""
    audit = audit_of(engine, *plain(40))
    for _ in range(12):
        audit.draw(3)
    return audit.run.run_id


def test_a_shown_run_has_its_interval_and_what_it_is_made_from(
    run: Run, engine: Engine, audited: int
) -> None:
    found = headline(engine, audited)

    shown, told = run("show", "last"), run("show", "last", "--json").json

    assert f"Recall: {found.number} ({found.interval}), 12 audited" in shown.out
    assert told["recall"] == found.as_json()


@pytest.mark.parametrize(("mark", "status"), [("2.2", GOOD), ("3", INCOMPLETE), ("3.9", BELOW)])
def test_at_least_holds_the_lower_end_of_the_interval_against_the_mark(
    run: Run, audited: int, mark: str, status: int
) -> None:
    assert run("show", "last", "--at-least", mark).status == status


def test_an_unreviewed_run_is_called_the_judges_and_passes_nothing_people_could_undo(
    run: Run, engine: Engine
) -> None:
    audit_of(engine, *plain(6))

    shown = run("show", "last", "--at-least", "3")

    assert "Recall: 4 (6 of 6), judge only, unreviewed" in shown.out
    assert shown.status == INCOMPLETE
    assert "an interval needs 5" in shown.err


def test_the_summary_over_http_has_the_same_recall(
    program: Program, engine: Engine, audited: int
) -> None:
    found = headline(engine, audited)

    told = program.get(f"/api/v1/runs/{audited}/summary", at_least=3.9).json()["recall"]

    assert told == {**found.as_json(), "gate": "failed"}
