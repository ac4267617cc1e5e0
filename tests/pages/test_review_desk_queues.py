"""What the desk keeps about how an example was shown, and what it says of the queues."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from db.audits import audit_draws, draw_audit
from db.engine import Engine, reading, transaction
from db.flags import flag, flags_of
from db.tables import ReviewRow, RunRow
from pages.components.review_desk.answering import Asked, Settled, asked_of, items_for, settle
from pages.components.review_desk.gathering import items_of
from pages.components.review_desk.lists import ReviewList, queue_list
from pages.components.review_desk.standing import next_queue, standing, valuable
from pages.components.session import NAME_KEY
from recall_core.queues import Queue
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, desk, told
from tests.pages.screens import Screens, texts


@pytest.fixture
def run(engine: Engine) -> Desk:
    return done(desk(engine, *(told(f"e{i}", [3]) for i in range(4))))


def done(run: Desk) -> Desk:
    """The run with its judging done, so that its audit can begin."""
    with transaction(run.engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    return run


def shown(run: Desk, seq: int, judgement: int, queue: str | None) -> dict[str, Any]:
    what = {"what": "show", "judgement": judgement, "run": run.run_id, "queue": queue}
    return {"client": "tab", "seq": seq, **what}


def sets_five(seq: int, judgement: int) -> dict[str, Any]:
    unit = {"kind": "essential", "index": 1, "action": "set", "score": "5"}
    return {"client": "tab", "seq": seq, "judgement": judgement, **unit}


def settled(run: Desk, *entries: dict[str, Any]) -> Settled:
    asked = asked_of({"entries": entries})
    return settle(run.engine, asked.entries, reviewer="Mara", now=NOW, known={})


def selections(run: Desk) -> dict[int, str]:
    with reading(run.engine) as session:
        return {r.judgement_id: r.selection for r in session.query(ReviewRow)}


def test_the_queue_that_showed_an_example_is_kept_when_it_is_decided_on_at_once(run: Desk) -> None:
    a = run.judgements["e0"]

    outcome = settled(run, shown(run, 1, a, "stake"), sets_five(2, a))

    assert [answer["status"] for answer in outcome.answers] == ["saved", "saved"]
    assert selections(run) == {a: "stake"}
    assert outcome.moved


def test_what_is_only_shown_moves_no_counts(run: Desk) -> None:
    outcome = settled(run, shown(run, 1, run.judgements["e0"], "chosen"))

    assert (outcome.moved, outcome.changed) == (False, frozenset())


def test_another_draw_than_the_one_shown_is_named_and_sent_along(run: Desk) -> None:
    listed = queue_list(run.engine, run.run_id, Queue.AUDIT, "Mara")
    first, second = listed.ids[:2]
    draw_audit(run.engine, run.run_id, reviewer="Jonas", now=NOW)

    outcome = settled(run, shown(run, 1, first, "audit"))

    assert [answer["drawn"] for answer in outcome.answers] == [second]
    items = items_for(run.engine, Asked(order_key="k"), outcome, listed, first, "Mara")
    assert [item["id"] for item in items] == [second]
    assert selections(run)[second] == "audit"


def test_shown_in_an_audit_that_has_nothing_left_to_draw_counts_as_chosen(run: Desk) -> None:
    for _ in range(4):
        draw_audit(run.engine, run.run_id, reviewer="Jonas", now=NOW)
    a = run.judgements["e0"]

    outcome = settled(run, shown(run, 1, a, "audit"))

    assert [answer["drawn"] for answer in outcome.answers] == [None]
    with reading(run.engine) as session:
        mine = session.query(ReviewRow).filter_by(reviewer="Mara").one()
        assert (mine.judgement_id, mine.selection) == (a, "chosen")


def test_what_was_shown_by_no_queue_is_refused(run: Desk) -> None:
    outcome = settled(run, shown(run, 1, run.judgements["e0"], None))

    assert [answer["status"] for answer in outcome.answers] == ["refused"]


def test_flags_come_and_go_with_the_item(run: Desk) -> None:
    a = run.judgements["e0"]

    settled(run, {"client": "tab", "seq": 1, "judgement": a, "what": "flag"})
    (item,) = items_of(run.engine, [a], "Jonas")
    settled(run, {"client": "tab", "seq": 2, "judgement": a, "what": "unflag"})

    assert item["flag"] == {"by": "Mara", "at": NOW.isoformat(), "note": ""}
    assert flags_of(run.engine, [a]) == {}


def test_an_audit_begins_with_what_the_person_has_done_of_it(run: Desk) -> None:
    first, *rest = queue_list(run.engine, run.run_id, Queue.AUDIT, "Mara").ids
    settled(run, shown(run, 1, first, "audit"), sets_five(2, first))

    listed = queue_list(run.engine, run.run_id, Queue.AUDIT, "Mara")

    assert listed.ids == (first, *rest)
    assert (listed.behind, listed.first, listed.empty) == (1, rest[0], False)
    assert [d.state for d in audit_draws(run.engine, run.run_id)] == ["done"]


def test_a_link_to_an_example_outside_the_queue_brings_it_as_a_guest() -> None:
    listed = ReviewList((1, 2, 3), "Audit", Queue.AUDIT, behind=1)

    assert listed.with_guest(3) is listed is listed.with_guest(None)
    assert (listed.with_guest(9).ids, listed.with_guest(9).guest) == ((1, 9, 2, 3), 9)


def test_an_example_that_the_desk_was_brought_is_sent_though_the_list_lacks_it(run: Desk) -> None:
    a, b = run.judgements["e0"], run.judgements["e1"]
    listed = ReviewList((a,), "Stake", Queue.STAKE)
    asked = Asked(order_key="k", want=(b,))

    def sent(asked: Asked) -> list[int]:
        items = items_for(run.engine, asked, Settled((), frozenset()), listed, a, "Mara")
        return [item["id"] for item in items]

    assert (sent(asked), sent(asked.bringing(b))) == ([], [b])


def test_the_standing_is_counted_at_most_once_a_second_and_says_when_it_is_old(
    run: Desk, now: datetime
) -> None:
    def at(seconds: float, before: Any, stored: bool = False) -> Any:
        moment = now + timedelta(seconds=seconds)
        facts: Any = {"before": before, "stored": stored, "now": moment}
        return standing(run.engine, run.run_id, "Mara", **facts)

    first = at(0, None)
    run.set("e0", E1, 5)

    soon = at(0.5, first, stored=True)
    later = at(1.2, soon)

    stakes = [
        next(q["count"] for q in s.body["queues"] if q["name"] == "stake")
        for s in (first, soon, later)
    ]
    assert stakes == [4, 4, 3]
    assert [s.old for s in (first, soon, later)] == [False, True, False]
    assert later.body["stop"]["words"] == (
        "Unreviewed units can still bring the mean anywhere between 2.00 and 5.00."
    )
    assert at(20, later) == later


def test_a_database_that_does_not_answer_leaves_the_standing_as_it_was(
    run: Desk, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    with run.engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = off")
        connection.exec_driver_sql("ALTER TABLE judgement RENAME TO gone")

    assert standing(run.engine, run.run_id, "Mara", before=None, stored=True, now=now) is None
    assert "could not be counted" in caplog.text


def test_the_most_valuable_is_another_one_than_that_on_screen(run: Desk) -> None:
    a, b = run.judgements["e0"], run.judgements["e1"]

    assert valuable(run.engine, run.run_id, "Mara", a) == {"after": a, "id": b, "queue": "stake"}
    for name in ("e1", "e2", "e3"):
        run.set(name, E1, 4)
    assert valuable(run.engine, run.run_id, "Mara", a) == {"after": a, "id": None}


def test_a_queue_that_is_done_leads_to_the_first_other_one_that_holds_anything() -> None:
    counts = dict.fromkeys(Queue, 0) | {Queue.STAKE: 3, Queue.AUDIT: 2, Queue.CHOSEN: 9}

    assert next_queue(counts, Queue.FLAGGED) is Queue.AUDIT
    assert next_queue(counts, Queue.AUDIT) is Queue.STAKE
    assert next_queue({**counts, Queue.STAKE: 0}, Queue.AUDIT) is None


def as_mara(screens: Screens, **address: object) -> str:
    """What the review page says to Mara."""
    page = screens.open()
    page.session_state[NAME_KEY] = "Mara"
    return texts(screens.open("review", **address)).replace("\\", "")


def test_an_audit_waits_until_all_is_judged(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [3]))

    assert "begins when the run is done" in as_mara(screens, run=run.run_id, queue="audit")


def test_an_audit_that_is_done_says_how_much_it_was_and_what_comes_next(screens: Screens) -> None:
    run = done(desk(screens.engine, told("a", [3]), told("b", [3])))
    for _ in range(2):
        drawn = draw_audit(run.engine, run.run_id, reviewer="Mara", now=NOW)
        settled(run, sets_five(drawn.position, drawn.judgement_id))
    flag(run.engine, run.judgements["b"], by="Jonas", now=NOW)

    said = as_mara(screens, run=run.run_id, queue="audit")

    assert said.startswith("Audit done: 2 of 2\nThe recall is 5.00. Next: Flagged, 1.")
    assert "To Flagged, 1" in said


def test_when_every_queue_is_empty_the_results_come_next(screens: Screens) -> None:
    run = done(desk(screens.engine, told("a", [3])))
    settled(run, sets_five(1, run.judgements["a"]))

    said = as_mara(screens, run=run.run_id, queue="stake")

    assert said.startswith("Stake: nothing waits for you\nNo other queue of first holds anything")
    assert "To the results" in said
