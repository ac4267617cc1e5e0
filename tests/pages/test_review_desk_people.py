"""What the desk is sent about other people, and what it is not sent while somebody scores blind."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from db.comments import comment, unread
from db.engine import Engine
from db.flags import flag
from db.runs import RunOptions
from db.second_looks import second_looks_due, set_second_looks
from db.sights import set_blind
from pages.components.review_desk.answering import (
    Asked,
    ReviewList,
    Settled,
    asked_of,
    items_for,
    settle,
)
from pages.components.review_desk.panels import OTHERS_LATER, WITHHELD, PanelAsked, panel_of
from pages.components.review_desk.standing import BLIND, read_standing
from recall_core.second_look import AFTER, ONE_IN, comes_back
from recall_core.types import Action, Cause, Example, FailureKind, RetrievedPassage
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, desk, told

NOTHING_DONE = Settled((), frozenset())
ALONE = RunOptions(mode="independent", reviewers_needed=2)


@pytest.fixture
def run(engine: Engine) -> Desk:
    return desk(engine, told("a", [5, 5]), told("b", [3]))


def sent(run: Desk, viewer: str = "Mara", example: str = "a") -> dict[str, Any]:
    """The one item that goes to the browser, as the browser gets it."""
    (item,) = _sent(run, viewer, run.judgements[example])
    return item


def _sent(run: Desk, viewer: str, *ids: int) -> list[dict[str, Any]]:
    items = items_for(run.engine, Asked(), NOTHING_DONE, ReviewList(ids, "All"), ids[0], viewer)
    return json.loads(json.dumps(items))


def acts(run: Desk, now: datetime, *entries: dict[str, Any], by: str = "Mara") -> Settled:
    base = {"client": f"{by}'s tab", "judgement": run.judgements["a"]}
    asked = asked_of({"entries": [base | {"seq": i} | e for i, e in enumerate(entries, 1)]})
    assert len(asked.entries) == len(entries)
    return settle(run.engine, asked.entries, reviewer=by, now=now, known={})


def telling() -> Example:
    """An example on which the judge said as much as a judge can."""
    return told(
        "a",
        ["7/2", 4],
        warns=["E1: the judge's reply was repaired", "the whole reply was odd"],
        marks={"E1": "contradiction"},
        spreads={"E2": 2},
    )


def test_nothing_of_the_judge_goes_over_the_wire_before_a_blind_score_is_committed(
    engine: Engine, now: datetime
) -> None:
    run = desk(engine, telling(), options=RunOptions(blind=True))
    run.set("a", E1, 2)
    comment(
        engine,
        run.judgements["a"],
        "The judge's 4 is too kind",
        author="Jonas",
        now=now,
        client_id="j",
        client_seq=1,
    )

    flag(engine, run.judgements["a"], by="Jonas", now=now, note="too kind by 3")

    item = sent(run)

    assert (item["flag"]["by"], item["flag"]["note"]) == ("Jonas", "")
    for unit in item["units"]:
        assert unit["score"] is unit["failure"] is unit["measure"] is unit["memory"] is None
        assert (unit["reasoning"], unit["evidence"], unit["marks"]) == ("", [], [])
        assert (unit["spread"], unit["remarks"], unit["counts"]) == (None, [], None)
    assert (item["warnings"], item["mismatches"], item["raw"]) == ([], [], None)
    assert (item["others"], item["comments"], item["sentence"]) == (0, 0, None)
    assert [d["before"]["score"] for d in item["decisions"]] == [None]
    wire = json.dumps(item)
    for secret in ("7/2", "as told", "repaired", "odd", "too kind", "contradiction"):
        assert secret not in wire
    assert run.detail("a").unit(E1).verdict.reasoning == "as told"


@pytest.mark.parametrize("kind", ["calls", "judges"])
def test_no_panel_opens_the_judges_word_to_who_scores_blind(engine: Engine, kind: str) -> None:
    run = desk(engine, telling(), options=RunOptions(blind=True))

    asked = PanelAsked.model_validate({"kind": kind, "judgement": run.judgements["a"]})

    assert panel_of(engine, asked, "Mara", NOW)["trouble"] == WITHHELD


def test_who_scores_blind_is_not_told_how_the_run_stands(engine: Engine) -> None:
    run = desk(engine, telling(), options=RunOptions(blind=True))

    assert read_standing(engine, run.run_id, "Mara")["stop"] == {"words": BLIND, "decided": None}

    run.set("a", E1, 2)
    run.set("a", E2, 2)
    run.commit("a")
    assert "mean" in read_standing(engine, run.run_id, "Mara")["stop"]["words"]


def test_that_the_judge_failed_is_hidden_too(engine: Engine) -> None:
    failed = told("a", [4], fails=FailureKind.TIMEOUT.value)
    answered = told("b", [4])
    run = desk(engine, failed, answered, options=RunOptions(blind=True))

    one, other = sent(run), sent(run, example="b")

    for key in ("status", "sentence", "raw", "repeatable", "again", "units"):
        texts = [json.dumps(item[key]).replace("of b", "of a") for item in (one, other)]
        assert texts[0] == texts[1], key


def test_a_commit_shows_the_judge_and_keeps_what_was_said_before(
    engine: Engine, now: datetime
) -> None:
    run = desk(engine, told("a", [5, 4]), options=RunOptions(blind=True))

    early = acts(run, now, {"what": "commit"})
    run.set("a", E1, 3)
    run.set("a", E2, 4)
    outcome = acts(run, now, {"what": "commit"})
    run.set("a", E1, 4)
    item = sent(run)

    (refused,) = early.answers
    assert (refused["status"], "E1, E2" in refused["sentence"]) == ("refused", True)
    assert [a["status"] for a in outcome.answers] == ["saved"]
    assert outcome.changed == {run.judgements["a"]}
    assert [u["score"] for u in item["units"]] == ["5", "4"]
    assert [u["first"]["score"] for u in item["units"]] == ["3", "4"]
    assert not item["sight"]["judge_hidden"]


def test_who_sets_themselves_blind_gets_what_they_have_not_opened_without_the_judge(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [5]), told("b", [4]))
    run.set("a", E1, 2)

    set_blind(engine, "Mara", blind=True)

    opened, fresh = _sent(run, "Mara", run.judgements["a"], run.judgements["b"])
    assert (opened["units"][0]["score"], fresh["units"][0]["score"]) == ("5", None)
    assert sent(run, "Jonas", "b")["units"][0]["score"] == "4"


def test_independent_reviewers_get_nothing_of_each_other_before_all_are_done(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [5, 4]), options=ALONE)
    run.set("a", E1, 2, by="Jonas", note="It is not there")
    run.set("a", E2, 4, by="Jonas")

    item = sent(run)

    assert item["decisions"] == []
    assert "Jonas" not in json.dumps(item)
    assert "It is not there" not in json.dumps(item)
    assert (item["sight"]["reviewers_done"], item["sight"]["done"]) == (1, False)
    assert [u["counts"] for u in item["units"]] == [None, None]


def test_where_they_differ_both_values_and_notes_come_without_names(
    engine: Engine, now: datetime
) -> None:
    run = desk(engine, told("a", [5, 4], [1]), options=ALONE)
    for unit in (E1, E2, B1):
        run.set("a", unit, 2, by="Jonas", note="It is not there")
    run.set("a", E1, 3, note="Half of it")
    run.set("a", E2, 2)
    before = sent(run)
    outcome = acts(run, now, {"kind": "bonus", "index": 1, "action": "set", "score": "0"})
    item = sent(run)

    assert before["sight"]["others_hidden"]
    assert outcome.changed == {run.judgements["a"]}
    assert before["judged"] != item["judged"]
    assert [u["counts"]["basis"] for u in item["units"]] == ["disputed", "agreed", "disputed"]
    opinions = item["units"][0]["counts"]["opinions"]
    assert {(o["reviewer"], o["state"]["score"], o["note"]) for o in opinions} == {
        ("Reviewer A", "2", "It is not there"),
        ("Mara", "3", "Half of it"),
    }
    assert "Jonas" not in json.dumps(item)


def test_keeping_one_value_and_setting_a_third_settle_differences(
    engine: Engine, now: datetime
) -> None:
    run = desk(engine, told("a", [5, 4]), options=ALONE)
    for name, score in (("Jonas", 2), ("Mara", 3)):
        for unit in (E1, E2):
            run.set("a", unit, score, by=name)
    disputed = sent(run, "Lena")["units"]
    keep = next(o for o in disputed[0]["counts"]["opinions"] if o["state"]["score"] == "2")
    seen = [run.view("a", "Lena").newest[unit] for unit in (E1, E2)]
    act = {"what": "resolve", "kind": "essential", "action": "resolve"}

    outcome = acts(
        run,
        now,
        act | {"index": 1, "keep": keep["decision"], "seen": seen[0]},
        act | {"index": 2, "score": "1", "seen": seen[1], "note": "Neither"},
        by="Lena",
    )

    assert [a["status"] for a in outcome.answers] == ["saved", "saved"]
    counts = [u["counts"] for u in sent(run, "Lena")["units"]]
    assert [(c["basis"], c["state"]["score"]) for c in counts] == [
        ("resolved", "2"),
        ("resolved", "1"),
    ]
    assert {o["reviewer"] for o in counts[0]["opinions"]} == {"Jonas", "Mara"}


def test_a_duplicate_that_names_no_other_unit_is_refused(engine: Engine, now: datetime) -> None:
    run = desk(engine, told("a", [5, 4]))
    act = {"kind": "essential", "index": 1, "action": "exclude", "cause": "duplicate"}

    outcome = acts(run, now, act | {"twin": "E1"}, act | {"twin": "no label"}, act | {"twin": "E2"})

    assert [a["status"] for a in outcome.answers] == ["refused", "refused", "saved"]
    (decision,) = run.detail("a").decisions
    assert (decision.action, decision.twin) == (Action.EXCLUDE, E2)
    assert sent(run)["decisions"][0]["twin"] == "E2"


def opened(run: Desk, kind: str, viewer: str = "Mara", **more: Any) -> dict[str, Any]:
    """A panel as the browser gets it."""
    asked = PanelAsked.model_validate({"kind": kind, "judgement": run.judgements["a"]} | more)
    panel = panel_of(run.engine, asked, viewer, NOW)
    assert panel is not None
    return json.loads(json.dumps(panel))


def said(run: Desk, text: str, author: str, seq: int = 1) -> None:
    comment(
        run.engine,
        run.judgements["a"],
        text,
        author=author,
        now=NOW,
        client_id=f"{author}'s tab",
        client_seq=seq,
    )


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
