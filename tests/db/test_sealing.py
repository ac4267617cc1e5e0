"""A run sealed in one file: it verifies anywhere, and is only made of what may be shown."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from sqlalchemy import Engine, text

from db.engine import transaction
from db.errors import NotKept, NotPossibleNow
from db.estimating import headline
from db.policies import save_policy
from db.resolving import resolve
from db.results import list_judgements
from db.runs import RunOptions
from db.sealing import seal_run
from db.tables import PolicyRow, RunRow
from recall_core.estimation import Method
from recall_core.judges import make_judge
from recall_core.policy import AS_IT_IS, Policy
from recall_core.sealing import verify_package
from recall_core.sealing.container import MEMBERS, unpacked
from recall_core.sealing.package import Package, package_of
from recall_core.types import Action, Cause, RetrievedPassage, Rounding
from tests.db.making import NOW, judge_everything, kept_dataset, queued_run
from tests.db.making import examples as facts
from tests.db.reviewing import B1, E1, E2, Desk, desk, told
from tests.db.sealing import GOLDEN, at, audited, done, draw_and_review, golden_run, review


def sealed(run: Desk) -> Package:
    data = seal_run(run.engine, run.run_id).content
    verified = verify_package(data)
    assert verified.breaks == ()
    return package_of(unpacked(data))


def test_what_people_changed_excluded_moved_and_took_back_is_computed_again(engine: Engine) -> None:
    run = done(
        desk(
            engine,
            told("a", [4, 3], [2]),
            told("b", [5, 5], [2, 3]),
            told("failed", [4], fails="timeout"),
            told("gap", [4, None]),
            told("none", []),
        )
    )
    run.set("a", E2, 5, cause=Cause.JUDGE_WRONG, note="“clearly” there\n")
    run.decide("a", B1, Action.EXCLUDE, by="Jonas")
    run.decide("b", B1, Action.MOVE, to_kind=E1.kind)
    run.set("b", E1, 2)
    run.undo("b", E1)
    run.set("failed", E1, 3)

    package = sealed(run)

    assert [j.final for j in package.judgements] == ["9/2", "9/2", "3", None, None]
    assert len(package.ledger) == 6


def test_the_headline_of_the_package_is_the_one_on_the_screens(engine: Engine) -> None:
    run = audited(engine, reviews=6)

    numbers = sealed(run).numbers

    shown = headline(engine, run.run_id)
    assert shown.interval
    for name, value in shown.as_json().items():
        close = isinstance(value, float | list)
        assert numbers.headline[name] == (pytest.approx(value, abs=1e-9) if close else value)


def test_chosen_reviews_before_and_amid_an_audit_are_told_apart(engine: Engine) -> None:
    before = audited(engine, reviews=0)
    review(before, before.judgements["e11"], now=at(0))
    draw_and_review(before, 6, first=1)
    amid = audited(engine, reviews=3)
    left = [n for n in before.judgements if not amid.detail(n).decisions]
    review(amid, amid.judgements[left[0]], now=at(3))
    draw_and_review(amid, 4, first=4)

    methods = [sealed(run).numbers.headline["method"] for run in (before, amid)]

    assert methods == [Method.CHOSEN_FIRST.value, Method.INTERLEAVED.value]


def test_saved_policies_go_with_what_they_make_of_the_run(engine: Engine) -> None:
    run = audited(engine, reviews=3)
    rules = Policy(pass_mark=Fraction(3), rounding=Rounding.UP, bonus_weight=Fraction(1, 2))
    save_policy(engine, run.run_id, "strict", rules, author="Ana", now=NOW)
    other = save_policy(engine, run.run_id, "other", AS_IT_IS, author="Ana", now=NOW)
    with transaction(engine) as session:
        session.get_one(PolicyRow, other).values = {"judge_run": 99}

    other_judge, strict = sealed(run).policies

    assert strict.mean is not None
    assert (strict.mean.n, strict.passed) == (12, 6)
    assert (other_judge.mean, other_judge.passed) == (None, None)


def test_the_same_run_makes_the_same_bytes(engine: Engine) -> None:
    run = audited(engine, reviews=2)

    first, second = (seal_run(engine, run.run_id) for _ in range(2))

    assert first == second


def test_only_hashes_are_sealed_if_texts_are_not_to_leave(engine: Engine) -> None:
    run = audited(engine, told("a", [4], secret="Zanzibar"), told("b", [3]), reviews=1)

    data = seal_run(engine, run.run_id, texts=False).content

    assert verify_package(data).breaks == ()
    for word in (b"Zanzibar", b"essential 1 of", b"as told", b"What of"):
        assert word not in data


def test_a_run_that_still_judges_cannot_be_sealed(engine: Engine) -> None:
    run = audited(engine, reviews=1)
    with transaction(engine) as session:
        session.get_one(RunRow, run.run_id).state = "paused"

    with pytest.raises(NotPossibleNow, match="it can be sealed when it is done"):
        seal_run(engine, run.run_id)


def test_a_run_that_somebody_scores_blind_is_sealed_when_they_are_done(engine: Engine) -> None:
    run = done(desk(engine, told("a", [4]), options=RunOptions(blind=True)))

    with pytest.raises(NotPossibleNow, match="those on 1 example are kept"):
        seal_run(engine, run.run_id)

    run.set("a", E1, 3)
    run.commit("a")
    sealed(run)


def test_what_independent_reviewers_must_not_see_yet_is_not_sealed(engine: Engine) -> None:
    apart = RunOptions(mode="independent", reviewers_needed=2)
    run = done(desk(engine, told("a", [4]), told("b", [3]), options=apart))
    sealed(run)
    run.set("a", E1, 3)

    with pytest.raises(NotPossibleNow, match="on 1 example reviewers must not see"):
        seal_run(engine, run.run_id)

    run.set("a", E1, 5, by="Jonas")
    with pytest.raises(NotPossibleNow, match="reviewers must not see"):
        seal_run(engine, run.run_id)

    seen = run.detail("a").newest[E1]
    by_ana = run.write("Ana")
    resolve(engine, run.judgements["a"], E1, score=Fraction(4), seen=seen, **by_ana)
    assert [j.final for j in sealed(run).judgements] == ["4", "3"]


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE decision SET after_score = '1' WHERE id = 1", "ledger.jsonl, decision 1"),
        ("UPDATE decision SET hash = previous_hash WHERE id = 2", "ledger.jsonl, decision 2"),
        ("UPDATE dataset SET content_hash = '%s'" % ("d" * 64), "examples.jsonl"),
    ],
)
def test_a_database_that_was_tampered_with_is_not_sealed(
    engine: Engine, statement: str, where: str
) -> None:
    run = audited(engine, reviews=2)
    with transaction(engine) as session:
        session.execute(text("DROP TRIGGER decision_never_changes"))
        session.execute(text(statement))

    with pytest.raises(NotPossibleNow, match=f"does not verify. {where}"):
        seal_run(engine, run.run_id)


@pytest.mark.parametrize("value", ["abc", "3/0"])
def test_a_value_that_no_program_writes_is_not_sealed(engine: Engine, value: str) -> None:
    run = audited(engine, reviews=1)
    with transaction(engine) as session:
        session.execute(text("UPDATE verdict SET score = :value"), {"value": value})

    with pytest.raises(NotPossibleNow, match="was not written by this program"):
        seal_run(engine, run.run_id)


def test_a_run_that_is_gone_cannot_be_sealed(engine: Engine) -> None:
    with pytest.raises(NotKept):
        seal_run(engine, 9)


def test_a_package_is_written_as_it_was_when_others_were_made(engine: Engine) -> None:
    """A change of the format goes with a new version: `python -m tests.db.sealing` makes it."""
    run = golden_run(engine)

    files = unpacked(seal_run(engine, run.run_id).content)

    golden = unpacked(GOLDEN.read_bytes())
    assert {name: files[name] for name in MEMBERS} == {name: golden[name] for name in MEMBERS}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("passage_recall_lexical", {}),
        ("contextual_recall_lexical", {}),
        ("context_recall", {"distance_measure": "jaro"}),
    ],
)
def test_estimates_from_a_screens_probabilities_are_computed_again(
    engine: Engine, name: str, settings: dict[str, str]
) -> None:
    judge = make_judge(name, settings)
    rows = [replace(e, retrieved=(RetrievedPassage(1, words(i)),)) for i, e in enumerate(facts(9))]
    run_id = queued_run(engine, kept_dataset(engine, rows), judge=judge)
    judge_everything(engine, run_id, judge)  # type: ignore[arg-type]
    lines = list_judgements(engine, run_id, size=100).rows
    run = done(Desk(engine, run_id, {line.example_id: line.id for line in lines}))

    draw_and_review(run, 6)

    numbers = sealed(run).numbers
    assert numbers.headline["method"] == Method.AUDIT.value
    assert numbers.headline["low"] is not None


def words(number: int) -> str:
    """Three, two, one or none of what the fact of that number says."""
    return " ".join(("Two is two.", "One is", f"Fact {number + 1}.", "Rain")[number % 4 :])
