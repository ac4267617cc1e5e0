"""A run's headline from what is kept: draws, choices, failures, and who saw what when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from sqlalchemy import Engine, event

from db.audits import draw_audit
from db.datasets import save_dataset
from db.details import run_facts
from db.engine import reading, transaction
from db.estimating import headline, headlines
from db.judged_finals import judged_finals
from db.reviews import decide, read_judgement, undo
from db.runs import RunOptions, create_run
from db.tables import RunRow
from recall_core.estimation import Method
from recall_core.headline import Standing
from recall_core.judges import make_judge
from recall_core.types import (
    Action,
    Example,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
    UnitRef,
)
from tests.db.making import (
    NOW,
    Found,
    examples,
    judge_everything,
    kept_dataset,
    queued_run,
)
from tests.db.reviewing import E1, E2, Desk, desk, told


@dataclass
class Audit:
    """A judged run and one reviewer whose every act is a minute later than the one before."""

    run: Desk
    minute: int = 0

    def now(self) -> datetime:
        self.minute += 1
        return NOW + timedelta(minutes=self.minute)

    @property
    def name_of(self) -> dict[int, str]:
        return {number: name for name, number in self.run.judgements.items()}

    def draw(self, score: int | None) -> str:
        """Draw the next example, and put each of its units at the score (or leave it waiting)."""
        drawn = draw_audit(self.run.engine, self.run.run_id, reviewer="Mara", now=self.now())
        assert drawn is not None
        name = self.name_of[drawn.judgement_id]
        if score is not None:
            self.review(name, score)
        return name

    def review(self, name: str, score: int, *units: UnitRef, by: str = "Mara") -> None:
        """Put the units (all by default) at the score."""
        detail = read_judgement(self.run.engine, self.run.judgements[name], by)
        for unit in units or [e.ref for e in detail.effective]:
            decide(
                self.run.engine,
                detail.id,
                unit,
                Action.SET,
                score=Fraction(score),
                seen=self.run.view(name, by).newest.get(unit, 0),
                **{**self.run.write(by), "now": self.now()},
            )

    def choose(self, scores: Iterable[int]) -> None:
        """Review examples that nobody has drawn or reviewed, the last of the dataset first."""
        for score in scores:
            left = [n for n in self.run.judgements if not self._touched(n)]
            self.review(left[-1], score)

    def _touched(self, name: str) -> bool:
        return bool(self.run.detail(name).decisions)


def audit_of(engine: Engine, *examples: Example, options: RunOptions | None = None) -> Audit:
    run = desk(engine, *examples, options=options or RunOptions(audit_seed=3))
    with transaction(engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    return Audit(run)


def plain(count: int) -> list[Example]:
    return [told(f"e{i}", [4]) for i in range(count)]


def test_an_unreviewed_run_is_the_judges_word(engine: Engine) -> None:
    audit = audit_of(engine, *plain(20))

    found = headline(engine, audit.run.run_id)

    assert found.standing is Standing.JUDGE_ONLY
    assert (found.number, found.grounds.examples) == ("4.00", 20)


def test_audit_reviews_make_an_estimate(engine: Engine) -> None:
    audit = audit_of(engine, *plain(20))
    for score in (3, 3, 4, 3, 2, 3):
        audit.draw(score)

    found = headline(engine, audit.run.run_id)

    assert found.estimate is not None
    assert found.estimate.method is Method.AUDIT
    assert found.estimate.point == pytest.approx(3.0)
    assert (found.grounds.audited, found.grounds.chosen, found.grounds.pending) == (6, 0, 0)
    assert float(found.judge.value or 0) == 4
    assert found.grounds.reachable is not None
    assert found.grounds.reachable.low == pytest.approx((18 + 14 * 1) / 20)


def test_a_draw_that_waits_is_pending(engine: Engine) -> None:
    audit = audit_of(engine, *plain(20))
    audit.draw(None)
    for _ in range(5):
        audit.draw(3)

    found = headline(engine, audit.run.run_id)

    assert (found.grounds.audited, found.grounds.pending) == (5, 1)
    assert found.estimate is not None
    assert found.estimate.provisional


def test_reviews_chosen_before_during_and_after_the_audit_are_told_apart(engine: Engine) -> None:
    audit = audit_of(engine, *plain(30))
    run_id = audit.run.run_id

    audit.choose([1, 1])
    for _ in range(5):
        audit.draw(3)
    before = headline(engine, run_id).estimate
    audit.choose([1])
    after = headline(engine, run_id).estimate
    audit.draw(3)
    among = headline(engine, run_id).estimate

    assert before is not None
    assert after is not None
    assert among is not None
    assert before.method is Method.CHOSEN_FIRST
    assert before.point == pytest.approx((2 * 1 + 28 * 3) / 30)
    assert after.method is Method.CHOSEN_FIRST
    assert after.point == pytest.approx(before.point)
    assert among.method is Method.INTERLEAVED
    assert among.grounds.chosen == 3


def test_an_example_begun_by_choice_and_then_drawn_is_an_audit_review(engine: Engine) -> None:
    audit = audit_of(engine, *(told(f"e{i}", [4, 4]) for i in range(8)))
    for i in range(8):
        audit.review(f"e{i}", 3, E1)
    for _ in range(5):
        name = audit.draw(None)
        audit.review(name, 3, E2)

    found = headline(engine, audit.run.run_id)

    assert (found.grounds.audited, found.grounds.chosen) == (5, 0)


def test_a_chosen_review_taken_back_and_made_again_was_known_from_its_first_time(
    engine: Engine,
) -> None:
    audit = audit_of(engine, *plain(30))
    audit.choose([1])
    audit.run.undo("e29", E1)
    audit.run.set("e29", E1, 2)
    for _ in range(5):
        audit.draw(3)

    found = headline(engine, audit.run.run_id).estimate

    assert found is not None
    assert found.method is Method.CHOSEN_FIRST


def test_what_was_chosen_and_taken_back_is_unreviewed_again(engine: Engine) -> None:
    audit = audit_of(engine, *plain(30))
    audit.choose([1])
    for _ in range(5):
        audit.draw(3)
    detail = audit.run.detail("e29")
    undo(
        engine,
        detail.id,
        E1,
        seen=detail.newest[E1],
        **{**audit.run.write("Mara"), "now": audit.now()},
    )

    found = headline(engine, audit.run.run_id).estimate

    assert found is not None
    assert (found.method, found.grounds.chosen) == (Method.AUDIT, 0)


def test_failures_are_drawn_first_and_count_by_people_alone(engine: Engine) -> None:
    failed = [told(f"f{i}", [None], fails="timeout") for i in range(2)]
    audit = audit_of(engine, *plain(20), *failed)
    assert {audit.draw(1), audit.draw(1)} == {"f0", "f1"}

    early = headline(engine, audit.run.run_id)
    for _ in range(5):
        audit.draw(3)
    found = headline(engine, audit.run.run_id)

    assert "2 of them on examples that the judge failed on" in early.sentence
    assert found.estimate is not None
    assert found.estimate.point == pytest.approx((20 * 3 + 2 * 1) / 22)
    assert (found.grounds.failed, found.grounds.failed_reviewed) == (2, 2)


def test_what_is_void_or_skipped_is_not_in_the_mean(engine: Engine) -> None:
    bonus_only = Example("b", question="?", ground_truth=(), retrieved=())
    audit = audit_of(engine, *plain(6), bonus_only)
    audit.run.decide("e5", E1, Action.EXCLUDE)

    assert headline(engine, audit.run.run_id).grounds.examples == 5


def test_disputed_reviews_of_independent_people_wait(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2, audit_seed=3)
    audit = audit_of(engine, *plain(9), options=options)
    for by, score in (("Mara", 2), ("Jonas", 5)):
        audit.review("e0", score, by=by)
    for _ in range(5):
        name = audit.draw(3)
        audit.review(name, 3, by="Jonas")

    found = headline(engine, audit.run.run_id).estimate

    assert found is not None
    assert found.method is Method.CHOSEN_FIRST
    assert (found.grounds.audited, found.grounds.chosen) == (5, 0)
    assert found.grounds.reachable is not None


def test_the_lexical_screen_counts_by_its_probabilities_before_they_are_cut(
    engine: Engine,
) -> None:
    texts = ("the library is closed", "cats sleep on the warm roof", "rain falls")
    kinds = (PassageKind.ESSENTIAL, PassageKind.ESSENTIAL, PassageKind.BONUS)
    row = Example(
        "one",
        ground_truth=tuple(map(GroundTruthPassage, kinds, texts)),
        retrieved=(RetrievedPassage(1, "the library is open and cats sleep"),),
    )
    judge = make_judge("passage_recall_lexical")
    dataset = save_dataset(
        engine, "lexical", [row], content_hash="c" * 64, source="", author="Ana", now=NOW
    )
    run_id = create_run(
        engine,
        dataset_id=dataset,
        judge=judge,
        name="first",
        options=RunOptions(),
        author="Ana",
        now=NOW,
    )
    judge_everything(engine, run_id, judge)  # type: ignore[arg-type]

    with reading(engine) as session:
        finals = judged_finals(run_facts(session, run_id), parts=True)
        found = session.execute(finals.select()).one()
        judgement_id = found.judgement_id

    p = [v.probability or 0 for v in read_judgement(engine, judgement_id).verdicts]
    essential, bonus = 1 + 4 * (p[0] + p[1]) / 2, 5 * p[2] / (2 * 1 * 2)
    assert (found.essential, found.bonus) == pytest.approx((essential, bonus))
    assert found.final == pytest.approx(min(5, essential + bonus))


def test_a_share_is_estimated_on_its_own_scale(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(3)))
    judge_everything(engine, run_id, Found())

    found = headline(engine, run_id)

    assert found.grounds.reachable is not None
    assert (found.grounds.reachable.low, found.grounds.reachable.high) == (0, 1)


def test_the_headlines_of_many_runs_are_those_of_each(engine: Engine) -> None:
    audit = audit_of(engine, *plain(9))

    assert headlines(engine, [audit.run.run_id])[audit.run.run_id] == headline(
        engine, audit.run.run_id
    )


def queries_for(engine: Engine, run_id: int) -> int:
    """How many statements the headline takes."""
    asked: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", count)
    headline(engine, run_id)
    event.remove(engine, "before_cursor_execute", count)
    return len(asked)


def test_a_longer_run_takes_no_more_queries(engine: Engine) -> None:
    short, long = (audit_of(engine, *plain(size)).run.run_id for size in (6, 30))

    assert queries_for(engine, long) == queries_for(engine, short)
