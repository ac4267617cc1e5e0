"""A run's recall is said the same by commands, over HTTP and by the Python client."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.estimating import headline
from recall_core.headline import Headline
from tests.api.calling import Program
from tests.api.commanding import Run
from tests.db.reviewing import Desk
from tests.db.sealing import audited, plain


@pytest.fixture
def made(engine: Engine) -> Desk:
    """A run with seven audit reviews of twelve examples."""
    return audited(engine, reviews=7)


@pytest.fixture
def said(made: Desk) -> Headline:
    found = headline(made.engine, made.run_id)
    assert found.estimate is not None
    return found


def test_commands_give_the_estimate_with_its_interval(made: Desk, said: Headline, run: Run) -> None:
    words = f"{said.number} ({said.interval}), 7 audited"

    assert words in run("runs").out
    assert f"Recall: {words}\n" in run("show", made.run_id).out
    assert run("runs", "--json").json[0]["recall"] == said.as_json()
    assert run("show", made.run_id, "--json").json["recall"] == said.as_json()


def test_an_unreviewed_run_is_said_to_be_the_judges_word_alone(engine: Engine, run: Run) -> None:
    made = audited(engine, *plain(3), reviews=0)

    assert "judge only, unreviewed" in run("runs").out
    assert run("runs", "--json").json[0]["recall"]["low"] is None
    assert "judge only, unreviewed" in run("show", made.run_id).out


def test_programs_are_given_the_same_object(made: Desk, said: Headline, program: Program) -> None:
    summary = program.get(f"/api/v1/runs/{made.run_id}/summary").json()

    assert summary["recall"] == {**said.as_json(), "gate": None}


@pytest.mark.parametrize(
    ("beyond", "status", "gate", "words"),
    [
        ("low", 0, "passed", "The recall is at least"),
        ("point", 3, "inconclusive", "cannot be told yet"),
        ("high", 1, "failed", "The recall is below"),
    ],
)
def test_at_least_is_held_against_the_ends_of_the_interval(
    made: Desk,
    said: Headline,
    run: Run,
    program: Program,
    beyond: str,
    status: int,
    gate: str,
    words: str,
) -> None:
    mark = getattr(said.estimate, beyond) + (0.01 if beyond == "high" else -0.01)

    answer = run("show", made.run_id, "--at-least", f"{mark:.9f}")
    summary = program.get(f"/api/v1/runs/{made.run_id}/summary", at_least=f"{mark:.9f}").json()

    assert answer.status == status
    assert words in answer.err
    assert summary["recall"]["gate"] == gate
