"""What Python answers the desk: each act stored once, in order, and the examples it lacks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from db.engine import Engine
from pages.components.review_desk.answering import (
    FIRST,
    READING_TROUBLE,
    STORAGE_TROUBLE,
    Asked,
    Settled,
    asked_of,
    items_for,
    items_or_trouble,
    settle,
)
from pages.components.review_desk.lists import ReviewList
from recall_core.types import Action
from tests.db.reviewing import E1, E2, Desk, desk, told

NOTHING_DONE = Settled((), frozenset())


@pytest.fixture
def run(engine: Engine) -> Desk:
    return desk(engine, told("a", [5, 4], [3]), told("b", [2]))


def act(
    run: Desk, seq: int, unit: str = "E1", *, example: str = "a", **more: Any
) -> dict[str, Any]:
    """One entry of the outbox, as the browser writes it; by default it sets 3."""
    kinds = {"E": "essential", "B": "bonus"}
    return {
        "client": "tab",
        "seq": seq,
        "judgement": run.judgements[example],
        "kind": kinds[unit[0]],
        "index": int(unit[1:]),
        "action": "set",
        "score": "3",
        **more,
    }


def settled(run: Desk, now: datetime, *entries: dict[str, Any], known: Any = None) -> Settled:
    asked = asked_of({"entries": entries})
    assert len(asked.entries) == len(entries)
    return settle(run.engine, asked.entries, reviewer="Mara", now=now, known=known or {})


def listed(*ids: int) -> ReviewList:
    return ReviewList(ids, "All examples")


def statuses(outcome: Settled) -> list[str]:
    return [answer["status"] for answer in outcome.answers]


def test_acts_are_stored_in_their_order_and_answered_one_by_one(run: Desk, now: datetime) -> None:
    outcome = settled(run, now, act(run, 1), act(run, 2, "E2", action="confirm", score=None))

    assert statuses(outcome) == ["saved", "saved"]
    assert [a["seq"] for a in outcome.answers] == [1, 2]
    stored = run.detail("a").decisions
    assert [d["id"] for a in outcome.answers for d in a["decisions"]] == [d.id for d in stored]
    assert [(d.unit, d.action) for d in stored] == [(E1, Action.SET), (E2, Action.CONFIRM)]
    assert outcome.changed == frozenset()


def test_an_act_sent_again_is_stored_once_and_answered_the_same(run: Desk, now: datetime) -> None:
    first = settled(run, now, act(run, 1))
    again = settled(run, now, act(run, 1), act(run, 2, "E2"))

    assert again.answers[0] == first.answers[0]
    assert len(run.detail("a").decisions) == 2


def test_a_known_answer_is_given_without_the_database(run: Desk, now: datetime) -> None:
    first = settled(run, now, act(run, 1))
    run.engine.dispose()

    again = settled(run, now, act(run, 1), act(run, 2, follows="tab/1"), known=first.saved)

    assert statuses(again) == ["saved", "saved"]


def test_an_act_on_an_own_unanswered_one_sees_that_one(run: Desk, now: datetime) -> None:
    outcome = settled(
        run,
        now,
        act(run, 1),
        act(run, 2, score="2", follows="tab/1"),
        act(run, 3, action="undo", score=None, follows="tab/2"),
    )

    assert statuses(outcome) == ["saved"] * 3
    assert run.detail("a").unit(E1).state.score == 3


def test_an_overtaken_act_and_what_was_built_on_it_are_not_written(
    run: Desk, now: datetime
) -> None:
    run.set("a", E1, 2, by="Jonas")

    outcome = settled(
        run, now, act(run, 1), act(run, 2, score="1", follows="tab/1"), act(run, 3, "E2")
    )

    assert statuses(outcome) == ["changed", "changed", "saved"]
    assert outcome.changed == {run.judgements["a"]}
    assert run.detail("a").unit(E1).state.score == 2


def test_a_score_off_the_scale_is_refused_with_a_sentence(run: Desk, now: datetime) -> None:
    outcome = settled(run, now, act(run, 1, score="6"), act(run, 2, score="9e99999"))

    assert statuses(outcome) == ["refused", "refused"]
    assert outcome.answers[0]["sentence"].startswith("Not written. 6 is not a score")
    assert run.detail("a").decisions == ()


def test_a_database_that_fails_answers_nothing_of_the_rest_and_says_so(
    run: Desk, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    _break(run.engine)

    outcome = settled(run, now, act(run, 1))

    assert (outcome.answers, outcome.trouble) == ((), STORAGE_TROUBLE)
    asked = Asked(order_key="k", want=(1,))
    assert items_or_trouble(run.engine, asked, outcome, listed(1), 1, "Mara") == (
        [],
        READING_TROUBLE,
    )
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


def test_what_no_desk_sends_counts_as_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert asked_of(None) == Asked()
    assert asked_of({"entries": [{"client": "x"}]}) == Asked()
    assert "unreadable" in caplog.text


def test_a_desk_that_has_just_opened_gets_the_window_from_its_example_on(engine: Engine) -> None:
    run = desk(engine, *(told(f"e{i}", [3]) for i in range(FIRST + 9)))
    order = list(run.judgements.values())

    items = items_for(engine, Asked(), NOTHING_DONE, listed(*order), order[5], "Mara")

    assert [item["id"] for item in items] == order[5 : 5 + FIRST]


def test_what_is_asked_for_comes_in_that_order_and_nothing_of_another_list(run: Desk) -> None:
    a, b = run.judgements["a"], run.judgements["b"]

    items = items_for(
        run.engine, Asked(order_key="k", want=(b, 999, a)), NOTHING_DONE, listed(a, b), a, "Mara"
    )

    assert [item["id"] for item in items] == [b, a]


def test_an_answer_stays_within_its_budget_but_never_empty(engine: Engine) -> None:
    long = "long " * 150_000
    run = desk(engine, *(told(f"e{i}", [3], question=long) for i in range(4)))
    order = list(run.judgements.values())

    items = items_for(
        engine, Asked(order_key="k", want=tuple(order)), NOTHING_DONE, listed(*order), 0, "Mara"
    )

    assert [item["id"] for item in items] == order[:1]


def test_the_example_on_screen_comes_again_when_somebody_else_decided_on_it(
    run: Desk, now: datetime
) -> None:
    a = run.judgements["a"]
    mine = settled(run, now, act(run, 1))
    asked = Asked(order_key="k", at=a, newest=0)
    assert items_for(run.engine, asked, mine, listed(a), a, "Mara") == []

    run.set("a", E2, 1, by="Jonas")

    (item,) = items_for(run.engine, asked, mine, listed(a), a, "Mara")
    assert [d["reviewer"] for d in item["decisions"]] == ["Mara", "Jonas"]


def test_a_judgement_deleted_meanwhile_is_said_in_its_place(run: Desk) -> None:
    (item,) = items_for(
        run.engine, Asked(order_key="k", want=(404,)), NOTHING_DONE, listed(404), 404, "Mara"
    )

    assert "no longer kept" in item["sentence"]


def test_another_order_has_another_key() -> None:
    assert listed(1, 2).key == listed(1, 2).key != listed(2, 1).key


def _break(engine: Engine) -> None:
    """Take the tables away, as a damaged disk would."""
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = off")
        connection.exec_driver_sql("ALTER TABLE judgement RENAME TO gone")
