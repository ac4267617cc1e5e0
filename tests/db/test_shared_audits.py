"""One audit for two runs."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.audits import audit_draws, draw_audit
from db.comparing import compare
from db.errors import NotPossibleNow
from db.estimating import headline
from db.queues import queue_ids
from db.runs import RunOptions
from db.shared_audits import Together, draw_together
from recall_core.estimation import Estimate, Method
from recall_core.queues import Queue
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, desk, told
from tests.db.test_estimating import Audit, audit_of, plain


def two(engine: Engine, count: int = 20) -> tuple[Audit, Audit]:
    return (
        audit_of(engine, *plain(count), options=RunOptions(audit_seed=1)),
        audit_of(engine, *plain(count), options=RunOptions(audit_seed=2)),
    )


def together(a: Audit, b: Audit, count: int, reviewer: str = "Mara") -> Together:
    now = max(a.now(), b.now())
    return draw_together(
        a.run.engine, a.run.run_id, b.run.run_id, count=count, reviewer=reviewer, now=now
    )


def drawn(audit: Audit) -> list[str]:
    return [audit.name_of[d.judgement_id] for d in audit_draws(audit.run.engine, audit.run.run_id)]


def waiting(audit: Audit, reviewer: str = "Mara") -> list[str]:
    """The front of the person's audit queue."""
    run = audit.run
    return [audit.name_of[i] for i in queue_ids(run.engine, run.run_id, Queue.AUDIT, reviewer)]


def test_the_same_examples_are_drawn_in_both_runs_at_the_same_moments(engine: Engine) -> None:
    a, b = two(engine)

    assert together(a, b, 6) == Together(6, 0, 0)

    assert drawn(a) == drawn(b)
    rows = [audit_draws(engine, audit.run.run_id) for audit in (a, b)]
    assert [d.drawn_at for d in rows[0]] == [d.drawn_at for d in rows[1]]
    assert [d.undrawn for d in rows[1]] == [20, 19, 18, 17, 16, 15]


def test_they_wait_at_the_front_of_the_persons_queue_in_both_runs(engine: Engine) -> None:
    a, b = two(engine)
    together(a, b, 3)

    assert waiting(a)[:3] == drawn(a)
    assert waiting(b)[:3] == drawn(a)
    assert set(waiting(a, "Jonas")).isdisjoint(drawn(a))


def test_showing_one_of_them_makes_no_other_draw(engine: Engine) -> None:
    a, b = two(engine)
    together(a, b, 3)
    run = a.run

    shown = draw_audit(engine, run.run_id, reviewer="Mara", now=NOW)
    named = draw_audit(
        engine, run.run_id, reviewer="Mara", now=NOW, expected=run.judgements[drawn(a)[1]]
    )

    assert shown is not None
    assert named is not None
    assert [a.name_of[shown.judgement_id], a.name_of[named.judgement_id]] == drawn(a)[:2]
    assert len(drawn(a)) == 3


def test_what_one_run_has_drawn_or_reviewed_is_drawn_in_the_other_alone(engine: Engine) -> None:
    a, b = two(engine, count=8)
    first = a.draw(3)
    b.choose([2])

    assert together(a, b, 99) == Together(6, 1, 1)

    assert drawn(a).count(first) == 1
    assert sorted(drawn(a)) == [f"e{i}" for i in range(8)]
    assert sorted(drawn(b)) == [f"e{i}" for i in range(7)]


def test_examples_that_one_dataset_lacks_take_their_turn(engine: Engine) -> None:
    a = audit_of(engine, *plain(9))
    b = audit_of(engine, *plain(6), told("other", [2]))

    assert together(a, b, 99) == Together(6, 3, 1)


def test_the_order_is_not_that_of_either_runs_own_audit(engine: Engine) -> None:
    a, b = two(engine)
    own = [waiting(audit) for audit in (a, b)]

    together(a, b, 20)

    assert drawn(a) not in own


def test_reviews_of_a_shared_audit_bear_choices_in_between(engine: Engine) -> None:
    a, b = two(engine)
    for count in (4, 4):
        together(a, b, count)
        for audit, score in ((a, 2), (b, 3)):
            for name in drawn(audit):
                if not audit.run.detail(name).decisions:
                    audit.review(name, score)
        a.choose([2])
        b.choose([3])

    found = compare(engine, a.run.run_id, b.run.run_id)

    assert isinstance(found.final.estimated, Estimate)
    assert found.final.estimated.method is Method.INTERLEAVED
    assert found.final.estimated.point == pytest.approx(1, abs=0.01)
    alone = headline(engine, a.run.run_id).estimate
    assert alone is not None
    assert alone.grounds.audited == 8


def test_a_run_that_still_judges_is_not_audited(engine: Engine) -> None:
    a = audit_of(engine, *plain(3))
    b: Desk = desk(engine, *plain(3))
    b.set("e0", E1, 3)

    with pytest.raises(NotPossibleNow, match="begins when the run is done"):
        draw_together(engine, a.run.run_id, b.run_id, count=1, reviewer="Mara", now=NOW)
    with pytest.raises(NotPossibleNow, match="not with itself"):
        draw_together(engine, a.run.run_id, a.run.run_id, count=1, reviewer="Mara", now=NOW)
    assert audit_draws(engine, a.run.run_id) == ()
