"""What the desk is sent when a person asks for it: comments, memory, what an undo would do."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest

from db.comments import unread
from db.engine import Engine
from db.runs import RunOptions
from db.second_looks import second_looks_due, set_second_looks
from pages.components.review_desk.answering import (
    ReviewList,
)
from pages.components.review_desk.panels import OTHERS_LATER, WITHHELD
from recall_core.second_look import AFTER, ONE_IN, comes_back
from recall_core.types import Cause, RetrievedPassage
from tests.db.reviewing import E1, E2, Desk, desk, told
from tests.pages.desk_wire import acts, opened, said, sent


@pytest.fixture
def run(engine: Engine) -> Desk:
    return desk(engine, told("a", [5, 5]), told("b", [3]))


def test_reading_comments_marks_their_notices_read(run: Desk) -> None:
    said(run, "Mine", "Mara")
    said(run, "Is E1 right?", "Jonas")
    assert unread(run.engine, "Mara") == 1

    body = opened(run, "comments")["body"]

    assert [(c["author"], c["text"]) for c in body["comments"]] == [
        ("Mara", "Mine"),
        ("Jonas", "Is E1 right?"),
    ]
    assert body["withheld"] is None
    assert unread(run.engine, "Mara") == 0
    assert sent(run)["comments"] == 2


def test_comments_that_wait_for_a_blind_score_stay_unread(engine: Engine) -> None:
    run = desk(engine, told("a", [5]), options=RunOptions(blind=True))
    said(run, "Mine", "Mara")
    said(run, "The judge's 5 is too kind", "Jonas")

    body = opened(run, "comments")["body"]

    assert [c["text"] for c in body["comments"]] == ["Mine"]
    assert body["withheld"] == OTHERS_LATER
    assert unread(engine, "Mara") == 1


def test_a_comment_that_is_sent_twice_is_kept_once_and_brings_the_example_anew(
    run: Desk, now: datetime
) -> None:
    act = {"what": "comment", "text": "Look at E2 <b>again</b>"}

    first, second = acts(run, now, act), acts(run, now, act)

    assert [a["status"] for a in (*first.answers, *second.answers)] == ["saved", "saved"]
    assert first.changed == {run.judgements["a"]}
    assert sent(run)["comments"] == 1


def test_what_taking_a_decision_back_would_do_is_said_before_it_is_done(run: Desk) -> None:
    (first,) = run.set("a", E1, 1).decisions
    run.set("a", E2, 2)

    words = opened(run, "revert", decision=first.id)["body"]["words"]

    assert words == (
        "Without it the final goes from 1.5 to 3.5, and the run's mean goes from 2.25 to 3.25."
    )
    assert run.detail("a").unit(E1).state.score == 1


def test_the_mean_of_a_run_stays_hidden_where_a_part_of_it_is_scored_blind(engine: Engine) -> None:
    run = desk(engine, told("a", [5]), told("b", [2]), options=RunOptions(blind=True))
    (decision,) = run.set("a", E1, 1).decisions
    assert opened(run, "revert", decision=decision.id)["trouble"] == WITHHELD
    run.commit("a")

    words = opened(run, "revert", decision=decision.id)["body"]["words"]

    assert words == "Without it the final goes from 1 to 5."


def test_a_decision_of_another_example_is_not_looked_at_here(run: Desk) -> None:
    (elsewhere,) = run.set("b", E1, 1).decisions

    assert "not on this example" in opened(run, "revert", decision=elsewhere.id)["trouble"]


def judged_again(run: Desk) -> Desk:
    """The same examples in another run."""
    return desk(run.engine, told("a", [5, 5]), told("b", [3]))


def test_what_was_decided_in_another_run_is_offered_with_who_when_and_why(run: Desk) -> None:
    run.set("a", E1, 2, by="Jonas", cause=Cause.JUDGE_WRONG, note="It is not there")
    again = judged_again(run)

    first, second = sent(again)["units"]

    assert second["memory"] is None
    offer = first["memory"]
    assert (offer["state"]["score"], offer["reviewer"], offer["same"]) == ("2", "Jonas", True)
    assert (offer["cause"], offer["note"]) == ("judge wrong", "It is not there")
    assert offer["judgement"] == run.judgements["a"]


def test_a_changed_text_is_sent_as_its_difference(run: Desk) -> None:
    run.set("a", E1, 2)
    other = replace(told("a", [5, 5]), retrieved=(RetrievedPassage(1, "text of a, longer"),))
    again = desk(run.engine, other)

    offer = sent(again)["units"][0]["memory"]

    assert not offer["same"]
    (change,) = offer["changes"]
    assert (change["before"], change["now"]) == (1, 1)
    assert "".join(text for kind, text in change["pieces"] if kind != "gone") == (
        "text of a, longer"
    )


def test_taking_over_is_a_persons_act_marked_and_undone_like_any_other(
    run: Desk, now: datetime
) -> None:
    (decision,) = run.set("a", E1, 2, by="Jonas").decisions
    again = judged_again(run)
    unit = {"kind": "essential", "index": 1}

    outcome = acts(again, now, {"what": "recall"} | unit)
    (taken,) = outcome.answers[0]["decisions"]
    acts(again, now, {"seq": 9, "action": "undo", "seen": taken["id"]} | unit)

    assert (taken["recalled"], taken["after"]["score"]) == (decision.id, "2")
    assert again.detail("a").unit(E1).decision is None


def test_all_of_a_run_is_counted_taken_over_and_taken_back_as_one(run: Desk, now: datetime) -> None:
    for example, unit in (("a", E1), ("a", E2), ("b", E1)):
        run.set(example, unit, 2, by="Jonas")
    again = judged_again(run)
    counted = opened(again, "memory")["body"]

    (done,) = acts(again, now, {"what": "recall_run", "run": again.run_id}).answers
    taken = [again.detail(name).trace.final for name in ("a", "b")]
    undo = {"what": "undo_bulk", "run": again.run_id, "text": done["bulk"]["batch"], "seq": 2}
    (back,) = acts(again, now, undo).answers

    assert counted == {"examples": 2, "units": 3, "changed_units": 0}
    assert (done["bulk"]["units"], done["bulk"]["examples"], taken) == (3, 2, [2, 2])
    assert back["bulk"]["units"] == 3
    assert [again.detail(name).trace.final for name in ("a", "b")] == [5, 3]


def test_an_example_that_comes_back_is_scored_as_if_it_were_new(
    engine: Engine, now: datetime
) -> None:
    run = desk(engine, *(told(f"x{i}", [5]) for i in range(AFTER + 1)), told("a", [5]))
    name = next(n for n in map(str, range(999)) if comes_back(n, run.judgements["x0"]))
    set_second_looks(engine, name, True)
    for i in range(AFTER + 1):
        run.set(f"x{i}", E1, 3, by=name, note="seen before")
    back = second_looks_due(engine, run.run_id, name, now=now)
    every = tuple(run.judgements.values())
    listed = ReviewList(every, "All").with_second_looks(back)
    run.judgements["a"] = run.judgements["x0"]

    first = sent(run, name)
    panel = opened(run, "calls", name)
    unit = {"kind": "essential", "index": 1}
    outcome = acts(run, now, {"action": "set", "score": "2"} | unit, {"what": "commit"}, by=name)
    last = sent(run, name)

    assert listed.ids.index(back[0]) == ONE_IN - 1
    assert sorted(listed.ids) == sorted(every)
    assert (first["units"][0]["score"], first["decisions"]) == (None, [])
    assert panel["trouble"] == WITHHELD
    assert "seen before" not in json.dumps(first)
    assert [a["status"] for a in outcome.answers] == ["saved", "saved"]
    assert (last["twice"], last["units"][0]["score"]) == ({"units": 1, "same": 0}, "5")
    assert run.detail("x0").unit(E1).state.score == 3
