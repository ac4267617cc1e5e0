"""What the desk is sent about other people, and what it is not sent while somebody scores blind."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from db.comments import comment
from db.engine import Engine
from db.flags import flag
from db.runs import RunOptions
from db.sights import set_blind
from pages.components.review_desk.panels import WITHHELD, PanelAsked, panel_of
from pages.components.review_desk.standing import BLIND, read_standing
from recall_core.types import Action, Example, FailureKind
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, desk, told
from tests.pages.desk_wire import acts, all_sent, sent

ALONE = RunOptions(mode="independent", reviewers_needed=2)


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

    opened, fresh = all_sent(run, "Mara", run.judgements["a"], run.judgements["b"])
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
