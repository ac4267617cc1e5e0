"""Runs that can be sealed: done, and their dataset's hash is that of its examples."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from db.audits import draw_audit
from db.datasets import stream_examples
from db.engine import open_engine, transaction
from db.policies import save_policy
from db.reviews import decide, read_judgement
from db.run_cards import get_run
from db.runs import RunOptions
from db.sealing import seal_run
from db.tables import DatasetRow, RunRow
from recall_core.ingest import content_hash
from recall_core.policy import Policy
from recall_core.scoring import SCALES, Scale
from recall_core.types import Action, Cause, Example
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, desk, told

GOLDEN = Path(__file__).parents[1] / "golden" / "sealed.zip"


def done(run: Desk) -> Desk:
    """The run as a worker leaves it, over a dataset as an import leaves it."""
    dataset = get_run(run.engine, run.run_id).dataset_id
    digest = content_hash(stream_examples(run.engine, dataset))
    with transaction(run.engine) as session:
        session.get_one(DatasetRow, dataset).content_hash = digest
        session.get_one(RunRow, run.run_id).state = "done"
    return run


def audited(
    engine: Engine, *examples: Example, reviews: int = 6, options: RunOptions | None = None
) -> Desk:
    """A run in which so many drawn examples are reviewed, each unit one grade lower or at 2."""
    run = done(desk(engine, *(examples or plain(12)), options=options or RunOptions(audit_seed=3)))
    draw_and_review(run, reviews)
    return run


def draw_and_review(run: Desk, count: int, *, first: int = 0) -> None:
    """Draw so many examples, one a minute from minute `first` on, and review each at once."""
    for minute in range(first, first + count):
        drawn = draw_audit(run.engine, run.run_id, reviewer="Mara", now=at(minute))
        assert drawn is not None
        review(run, drawn.judgement_id, now=at(minute))


def review(run: Desk, judgement_id: int, *, now: datetime = NOW) -> None:
    """Put every unit of the judgement a grade lower than the judge did, or the other way round."""
    for effective in read_judgement(run.engine, judgement_id).effective:
        score = effective.verdict.score
        scale = SCALES[effective.ref.kind]
        decide(
            run.engine,
            judgement_id,
            effective.ref,
            Action.SET,
            score=_lower(scale, score),
            seen=0,
            **{**run.write("Mara"), "now": now},
        )


def _lower(scale: Scale, score: Fraction | None) -> Fraction:
    if scale.highest == 1:
        return 1 - (score or Fraction(0))
    return Fraction(2) if score is None or score < 2 else score - 1


def at(minute: int) -> datetime:
    return NOW + timedelta(minutes=minute)


def plain(count: int) -> Iterable[Example]:
    return [told(f"e{i}", [1 + i % 5, 3], [i % 4]) for i in range(count)]


def golden_run(engine: Engine) -> Desk:
    """The run that `tests/golden/sealed.zip` was made of, with everything that a package holds."""
    examples = [
        *plain(8),
        told("failed", [4, 4], [1], fails="timeout"),
        told("gap", [4, None]),
        told("none", []),
    ]
    run = audited(engine, *examples, reviews=7)
    run.set("e1", E2, 5, cause=Cause.JUDGE_WRONG, note="“clearly” there\n<b>=1+1</b>")
    run.decide("e1", B1, Action.EXCLUDE, by="Jonas", cause=Cause.DUPLICATE)
    run.set("e2", E1, 1)
    run.undo("e2", E1)
    rules = Policy(pass_mark=Fraction(3), bonus_weight=Fraction(1, 2))
    save_policy(engine, run.run_id, "strict", rules, author="Ana", now=NOW)
    return run


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        made = golden_run(open_engine(f"sqlite:///{folder}/recall.db"))
        GOLDEN.write_bytes(seal_run(made.engine, made.run_id).content)
