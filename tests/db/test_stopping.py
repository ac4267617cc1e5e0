"""The stop rule of a run that is being reviewed, and what goes with a run that is deleted."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select

from db.assignments import assign
from db.audits import draw_audit
from db.comments import comment
from db.engine import reading, transaction
from db.flags import flag
from db.policies import save_policy
from db.results import run_summary
from db.runs import delete_run
from db.stopping import stop_rule
from db.tables import Base, RunRow
from recall_core.policy import Policy
from recall_core.stop_rule import Reach
from recall_core.types import Action
from tests.db.making import NOW, example, judge_everything, kept_dataset, queued_run
from tests.db.reviewing import B1, E1, E2, desk, told


def test_the_reach_narrows_with_every_review_until_the_mean_is_settled(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3], fails="timeout"), pass_at=3)

    assert stop_rule(engine, run.run_id).reach == Reach(Fraction(1), Fraction(5))
    run.set("a", E1, 5)
    narrower = stop_rule(engine, run.run_id)
    assert narrower.reach == Reach(Fraction(3), Fraction(5))
    assert (narrower.mark, narrower.decided, narrower.open_examples) == (3, True, 1)
    assert "No unreviewed example can move this run across 3.00" in narrower.sentence
    assert stop_rule(engine, run.run_id, Fraction(4)).decided is False
    run.set("b", E1, 4)
    settled = stop_rule(engine, run.run_id)
    assert settled.sentence == "Every unit is reviewed: the mean is 4.5."


def test_what_is_out_of_the_mean_for_good_has_no_part_in_it(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("void", [1]), told("nothing", []))
    run.set("a", E1, 4)
    run.decide("void", E1, Action.EXCLUDE)

    rule = stop_rule(engine, run.run_id)

    assert (rule.n, rule.reach) == (1, Reach(Fraction(4), Fraction(4)))


def test_examples_that_are_still_to_be_judged_may_get_any_final(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, [example(1)])
    run_id = queued_run(engine, dataset_id)

    assert stop_rule(engine, run_id).reach == Reach(Fraction(0), Fraction(1))
    judge_everything(engine, run_id)
    assert stop_rule(engine, run_id).n == 1


scores = st.fixed_dictionaries(
    {(name, unit): st.integers(1, 5) for name in "abc" for unit in (E1, E2, B1)}
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(said=scores, first=st.sets(st.sampled_from([(n, u) for n in "abc" for u in (E1, E2, B1)])))
def test_whatever_people_say_next_the_mean_ends_within_the_reach(
    engine: Engine, said: dict[tuple[str, object], int], first: set[tuple[str, object]]
) -> None:
    run = desk(engine, told("a", [4, 2], [5]), told("b", [5, 5], [0]), told("c", [None, 2], [1]))
    for name, unit in first:
        run.set(name, unit, said[name, unit])  # type: ignore[arg-type]
    reach = stop_rule(engine, run.run_id).reach

    for name, unit in said.keys() - first:
        run.set(name, unit, said[name, unit])  # type: ignore[arg-type]

    mean = run_summary(engine, run.run_id).mean.value
    assert reach is not None
    assert mean is not None
    assert reach.lowest <= mean <= reach.highest
    assert stop_rule(engine, run.run_id).reach == Reach(mean, mean)


def test_a_deleted_run_leaves_nothing_of_its_reviewing_behind(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    number = run.judgements["a"]
    with transaction(engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    draw_audit(engine, run.run_id, reviewer="Mara", now=NOW)
    run.set("a", E1, 4)
    flag(engine, number, by="Ben", now=NOW)
    assign(engine, [number], ["Cleo"], by="Ana", now=NOW)
    comment(engine, number, "Look.", author="Ben", now=NOW, client_id="c", client_seq=1)
    save_policy(engine, run.run_id, "strict", Policy(), author="Ana", now=NOW)

    delete_run(engine, run.run_id, author="Ana", now=NOW)

    tables = ("flag", "comment", "notice", "assignment", "audit_draw", "review", "policy", "unit")
    with reading(engine) as session:
        counts = {
            name: session.scalar(select(func.count()).select_from(Base.metadata.tables[name]))
            for name in tables
        }
    assert counts == dict.fromkeys(tables, 0)
