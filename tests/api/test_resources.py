"""What people do in the dashboard, done by programs over HTTP, and seen by both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from db.datasets import list_datasets
from db.engine import Engine
from db.reviews import read_judgement
from db.runs import get_run
from db.tokens import Scope
from recall_core.judges import make_judge
from tests.api.calling import Program
from tests.db.making import judge_everything

ROWS = [
    {
        "id": f"q{number}",
        "question": "When?",
        "essential": ["Open on Sundays.", "Closed on Mondays."],
        "bonus": ["Free on Fridays."],
        "retrieved_contexts": ["Open on Sundays.", "Closed in winter."],
        "topic": "hours",
    }
    for number in (1, 2, 3)
]
SCREEN = "passage_recall_lexical"


def bring(program: Program, rows: Any = None, **params: Any) -> Any:
    """The answer to a dataset that is brought in."""
    content = json.dumps(ROWS if rows is None else rows).encode()
    return program("POST", "/api/v1/datasets", content=content, params={"name": "facts", **params})


def judged_run(program: Program, **options: Any) -> int:
    """A run over `ROWS` that is judged to its end."""
    dataset = bring(program).json()["dataset"]["id"]
    body = {"dataset_id": dataset, "judge": SCREEN, "name": "first", "options": options}
    run = int(program.post("/api/v1/runs", body).json()["id"])
    assert program.lifecycle.engine is not None
    judge: Any = make_judge(SCREEN)
    judge_everything(program.lifecycle.engine, run, judge)
    return run


def first_of(program: Program, run: int) -> Any:
    """The run's first result."""
    return program.get(f"/api/v1/runs/{run}/results").json()["results"][0]


def test_a_file_becomes_a_dataset_that_the_dashboard_has_as_well(
    program: Program, engine: Engine
) -> None:
    answer = bring(program, filename="facts.json")

    assert answer.status_code == 201
    made = answer.json()
    assert (made["good"], made["errors"], made["metadata"]) == (3, 0, ["topic"])
    assert made["dataset"]["created_by"] == "admin"
    (card,) = list_datasets(engine)
    assert (card.name, card.source, card.examples) == ("facts", "facts.json", 3)


def test_csv_and_json_lines_are_told_from_their_content(program: Program) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    table = b"id;question;expected_output\n1;Wann?;Sonntags\n"

    for content, examples in ((lines, 3), (table, 1)):
        answer = program("POST", "/api/v1/datasets", content=content, params={"name": "x"})
        assert answer.json()["dataset"]["examples"] == examples


def test_bad_rows_refuse_the_file_unless_they_may_be_left_out(
    program: Program, engine: Engine
) -> None:
    rows = [ROWS[0], {"id": "bad", "retrieved_contexts": {"no": "list"}}]

    refused = bring(program, rows)

    assert refused.status_code == 422
    assert "1 of 2 rows are bad" in refused.json()["detail"]
    assert refused.json()["errors"][0]["path"].startswith("row 2")
    assert list_datasets(engine) == []
    assert bring(program, rows, skip_bad="true").json()["dataset"]["examples"] == 1


def test_a_dry_run_saves_nothing_and_says_what_each_judge_could_take(
    program: Program, engine: Engine
) -> None:
    answer = bring(program, dry_run="true")

    assert (answer.status_code, answer.json()["dataset"]) == (200, None)
    takes = {judge["name"]: judge["takes"] for judge in answer.json()["judges"]}
    assert takes[SCREEN] == 3
    assert list_datasets(engine) == []


def test_examples_come_page_by_page_as_they_were_brought(program: Program) -> None:
    dataset = bring(program).json()["dataset"]["id"]

    page = program.get(f"/api/v1/datasets/{dataset}/examples", offset=1, limit=1).json()

    assert (page["total"], page["offset"]) == (3, 1)
    (example,) = page["examples"]
    assert example["id"] == "q2"
    assert [p["kind"] for p in example["ground_truth"]] == ["essential", "essential", "bonus"]
    assert example["retrieved"][0] == {"rank": 1, "text": "Open on Sundays.", "id": None}
    assert example["metadata"] == {"topic": "hours"}


def test_a_dataset_is_renamed_put_away_and_deleted(program: Program, engine: Engine) -> None:
    path = f"/api/v1/datasets/{bring(program).json()['dataset']['id']}"

    changed = program("PATCH", path, json={"name": "new", "archived": True}).json()
    assert (changed["name"], changed["archived_at"] is None) == ("new", False)
    assert program.get("/api/v1/datasets").json() == []
    assert len(program.get("/api/v1/datasets", archived="true").json()) == 1

    deleted = program("DELETE", path)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert program.get(path).status_code == 404


def test_a_run_is_started_stopped_and_resumed(program: Program, engine: Engine) -> None:
    dataset = bring(program).json()["dataset"]["id"]
    body = {"dataset_id": dataset, "judge": "context_recall", "name": "first"}
    body |= {"settings": {"threshold": 0.7}, "options": {"blind": True}}

    started = program.post("/api/v1/runs", body)

    assert started.status_code == 201
    run = started.json()
    assert (run["state"], run["settings"]["threshold"], run["options"]["blind"]) == (
        "queued",
        0.7,
        True,
    )
    assert run["progress"]["left"] == 3
    assert run["page"] == f"/examples?run={run['id']}"
    path = f"/api/v1/runs/{run['id']}"
    assert program.post(f"{path}/pause").json()["state"] == "paused"
    assert program.post(f"{path}/resume").json()["state"] == "queued"
    assert program.post(f"{path}/cancel").json()["state"] == "cancelled"
    again = program.post(f"{path}/pause")
    assert (again.status_code, again.json()["title"]) == (409, "Conflict")
    assert get_run(engine, run["id"]).created_by == "admin"


@pytest.mark.parametrize(
    ("change", "status", "path"),
    [
        ({"judge": "nobody"}, 422, "judge"),
        ({"settings": {"thresold": 1}}, 422, "settings"),
        ({"name": " "}, 422, "name"),
        ({"dataset_id": 99}, 404, None),
        ({"options": {"mode": "alone"}}, 422, "options.mode"),
    ],
)
def test_a_run_that_cannot_be_started_says_which_field_is_wrong(
    program: Program, change: Any, status: int, path: str | None
) -> None:
    dataset = bring(program).json()["dataset"]["id"]
    body = {"dataset_id": dataset, "judge": "context_recall", "name": "first", **change}

    answer = program.post("/api/v1/runs", body)

    assert answer.status_code == status
    if path is not None:
        assert answer.json()["errors"][0]["path"] == path


def test_results_come_by_page_with_what_counts_and_where_people_review_it(
    program: Program,
) -> None:
    run = judged_run(program)

    page = program.get(f"/api/v1/runs/{run}/results", page=2, size=2).json()

    assert (page["total"], page["page"], len(page["results"])) == (3, 2, 1)
    (result,) = page["results"]
    assert result["id"] == "q3"
    assert [unit["unit"] for unit in result["units"]] == ["E1", "E2", "B1"]
    assert result["page"] == f"/review?run={run}&judgement={result['judgement']}"
    assert result["formulas"][-1].startswith("RECALL_Final_Score")


def test_a_decision_over_http_is_a_decision_like_any_other(
    program: Program, engine: Engine
) -> None:
    run = judged_run(program)
    first = first_of(program, run)
    reviewer = program.named("Mara", Scope.REVIEW)
    path = f"/api/v1/judgements/{first['judgement']}"
    body = {"unit": "E2", "action": "set", "score": 4, "seen": 0, "cause": "judge wrong"}

    answer = reviewer.post(f"{path}/decisions", {**body, "note": "It is there."})

    assert answer.status_code == 200
    (decision,) = answer.json()["decisions"]
    assert (decision["reviewer"], decision["after"]["score"]) == ("Mara", 4)
    detail = read_judgement(engine, first["judgement"])
    assert detail.decisions[0].note == "It is there."
    unit = answer.json()["judgement"]["units"][1]
    assert (unit["score"], unit["override"], unit["reviewer"]) == (4, True, "Mara")
    assert unit["newest"] == decision["id"]


def test_a_decision_that_did_not_see_the_newest_one_is_a_conflict_and_says_what_stands(
    program: Program,
) -> None:
    first = first_of(program, judged_run(program))
    path = f"/api/v1/judgements/{first['judgement']}/decisions"
    body = {"unit": "E1", "action": "set", "score": 4, "seen": 0}
    made = program.post(path, body).json()["decisions"][0]

    late = program.named("Mara", Scope.REVIEW).post(path, {**body, "score": 2})

    assert late.status_code == 409
    assert late.json()["current"] == {"unit": "E1", "now": "4", "newest": made["id"]}
    seen = {**body, "score": 2, "seen": made["id"]}
    assert program.post(path, seen).status_code == 200


def test_decisions_are_confirmed_excluded_moved_and_undone(program: Program) -> None:
    first = first_of(program, judged_run(program))
    path = f"/api/v1/judgements/{first['judgement']}"

    def act(unit: str, action: str, **more: Any) -> Any:
        found = {u["unit"]: u for u in program.get(path).json()["units"]}
        body = {"unit": unit, "action": action, "seen": found[unit]["newest"], **more}
        answer = program.post(f"{path}/decisions", body)
        assert answer.status_code == 200, answer.text
        return {u["unit"]: u for u in answer.json()["judgement"]["units"]}[unit]

    assert act("E1", "confirm")["reviewed"]
    assert act("E2", "exclude", cause="duplicate", twin="E1")["excluded"]
    assert not act("E2", "undo")["excluded"]
    assert act("B1", "move", to_kind="essential", score=3)["kind_now"] == "essential"
    left = program.post(f"{path}/confirm", {"seen": {"E2": 2}})
    assert left.status_code == 409
    newest = {u["unit"]: u["newest"] for u in program.get(path).json()["units"]}
    assert program.post(f"{path}/confirm", {"seen": {"E2": newest["E2"]}}).status_code == 200
    people = program.get(f"/api/v1/runs/{first_run(program)}/reviews").json()
    assert [(p["reviewer"], p["decisions"]) for p in people] == [("admin", 4)]


def first_run(program: Program) -> int:
    return int(program.get("/api/v1/runs").json()[0]["id"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"unit": "E1", "action": "set", "seen": 0}, "needs a score"),
        ({"unit": "E1", "action": "set", "seen": 0, "score": 0}, "1 to 5"),
        ({"unit": "E9", "action": "confirm", "seen": 0}, "E9"),
        ({"unit": "X1", "action": "confirm", "seen": 0}, "unit"),
        ({"unit": "E1", "action": "set", "score": 4}, "seen"),
        ({"unit": "E1", "action": "burn", "seen": 0}, "action"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_with_the_reason(
    program: Program, body: Any, said: str
) -> None:
    first = first_of(program, judged_run(program))

    answer = program.post(f"/api/v1/judgements/{first['judgement']}/decisions", body)

    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_only_an_administrator_writes_in_another_name(program: Program) -> None:
    first = first_of(program, judged_run(program))
    path = f"/api/v1/judgements/{first['judgement']}/decisions"
    body = {"unit": "E1", "action": "confirm", "seen": 0, "author": "Zoë"}

    refused = program.named("Mara", Scope.REVIEW).post(path, body)
    done = program.post(path, body)

    assert refused.status_code == 403
    assert done.json()["decisions"][0]["reviewer"] == "Zoë"


def test_what_is_kept_from_a_blind_reviewer_is_kept_from_a_token_of_that_name(
    program: Program,
) -> None:
    run = judged_run(program, blind=True)
    mara = program.named("Mara", Scope.REVIEW)
    whole = first_of(program, run)
    path = f"/api/v1/judgements/{whole['judgement']}"

    hidden = first_of(mara, run)

    assert whole["score"] is not None
    assert (hidden["status"], hidden["score"], hidden["judge_score"]) == ("skipped", None, None)
    assert {u["judge_score"] for u in hidden["units"]} == {None}
    assert all(u["reasoning"] == "" and u["evidence"] == [] for u in hidden["units"])
    assert mara.get(f"/api/v1/runs/{run}/results", order="final").json()["blind"]
    exported = mara.get(f"/api/v1/runs/{run}/export", format="jsonl").text
    assert "Withheld" in exported
    for unit in ("E1", "E2", "B1"):
        body = {"unit": unit, "action": "set", "score": 3, "seen": 0}
        assert mara.post(f"{path}/decisions", body).status_code == 200
    seen = mara.post(f"{path}/commit", {}).json()
    assert seen["judge_score"] == whole["judge_score"]


def test_a_reader_may_not_write_and_a_reviewer_may_not_delete(program: Program) -> None:
    run = judged_run(program)
    first = first_of(program, run)
    decision = {"unit": "E1", "action": "confirm", "seen": 0}
    reader = program.named("reader", Scope.READ)
    reviewer = program.named("Mara", Scope.REVIEW)

    path = f"/api/v1/judgements/{first['judgement']}/decisions"
    assert reader.post(path, decision).status_code == 403
    assert reviewer("DELETE", f"/api/v1/runs/{run}").status_code == 403
    assert reviewer.post("/api/v1/runs", {}).status_code == 403
    assert program("DELETE", f"/api/v1/runs/{run}").status_code == 204


def test_a_run_s_numbers_say_how_much_they_cover_and_whether_they_pass(program: Program) -> None:
    run = judged_run(program)

    summary = program.get(f"/api/v1/runs/{run}/summary", at_least=1).json()

    assert (summary["mean"]["n"], summary["mean"]["of"]) == (3, 3)
    assert summary["counts"]["scored"] == 3
    assert summary["gate"] == "passed"


@pytest.mark.parametrize("format_", ["csv", "jsonl", "xlsx", "txt", "html"])
def test_a_run_can_be_taken_away_in_every_format(program: Program, format_: str) -> None:
    run = judged_run(program)

    answer = program.get(f"/api/v1/runs/{run}/export", format=format_)

    assert answer.status_code == 200
    assert answer.content
    assert f".{format_}" in answer.headers["content-disposition"]


def test_people_and_programs_talk_in_the_same_comments(program: Program) -> None:
    first = first_of(program, judged_run(program))
    path = f"/api/v1/judgements/{first['judgement']}/comments"

    program.post(path, {"text": "Look at E2."})

    (said,) = program.get(path).json()
    assert (said["author"], said["text"]) == ("admin", "Look at E2.")


def test_a_queue_and_the_audit_are_the_dashboard_s(program: Program) -> None:
    run = judged_run(program)
    _finish(program, run)

    waiting = program.get(f"/api/v1/runs/{run}/queue", queue="chosen").json()["judgements"]
    drawn = program.post(f"/api/v1/runs/{run}/audit").json()["draw"]

    assert len(waiting) == 3
    assert drawn["judgement_id"] in waiting
    assert (drawn["position"], drawn["drawn_by"]) == (1, "admin")


def _finish(program: Program, run: int) -> None:
    assert program.lifecycle.engine is not None
    with program.lifecycle.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE run SET state = 'done'")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/runs/0", 422),
        ("/api/v1/runs/-1", 422),
        ("/api/v1/runs/x", 422),
        (f"/api/v1/runs/{2**63}", 422),
        (f"/api/v1/runs/{2**63 - 1}", 404),
        ("/api/v1/runs/1/results?page=0", 422),
        ("/api/v1/runs/1/results?size=1000", 422),
        ("/api/v1/runs/1/results?colour=red", 422),
        ("/api/v1/runs?archived=yes", 422),
        ("/api/v1/runs?archived=true&archived=true", 422),
        ("/api/v1/runs?run_id=1", 422),
        ("/api/v1/judgements/1", 404),
    ],
)
def test_an_address_that_leads_nowhere_is_said_to(program: Program, path: str, status: int) -> None:
    assert program.get(path).status_code == status


def test_another_method_is_told_which_ones_there_are(program: Program) -> None:
    answer = program("PUT", "/api/v1/runs")

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, POST"


def test_an_example_is_flagged_and_the_flag_taken_down(program: Program) -> None:
    first = first_of(program, judged_run(program))
    path = f"/api/v1/judgements/{first['judgement']}/flag"

    up = program.post(path, {"note": "Odd."}).json()
    down = program.post(path, {"flagged": False}).json()

    assert up == {"flagged": True, "by": "admin", "note": "Odd."}
    assert down == {"flagged": False, "by": None, "note": None}


def test_people_are_asked_for_examples_of_the_run_or_share_it_out(program: Program) -> None:
    run = judged_run(program)
    first = first_of(program, run)
    path = f"/api/v1/runs/{run}/assignments"

    named = program.post(path, {"reviewers": ["Mara"], "judgements": [first["judgement"]]})
    shared = program.post(path, {"reviewers": ["Mara", "Zoë"]})
    foreign = program.post(path, {"reviewers": ["Mara"], "judgements": [999]})

    assert named.json() == {"Mara": 1}
    assert sum(shared.json().values()) == 2
    assert (foreign.status_code, "999" in foreign.json()["detail"]) == (422, True)
    people = program.get(f"/api/v1/runs/{run}/reviews").json()
    assert sum(person["assigned"] for person in people) == 3


REPLY = """RECALL_Reasoning: [ESSENTIAL PASSAGE] 1: There. Score: 5
[ESSENTIAL PASSAGE] 2: Partly. Score: 3
[BONUS PASSAGE] 1: Nothing. Score: 0
RECALL_Final_Score: 5"""


def test_replies_that_somebody_has_become_a_run_to_review(program: Program) -> None:
    dataset = bring(program).json()["dataset"]["id"]
    body = {
        "name": "theirs",
        "replies": [{"text": REPLY, "example_id": "q1"}, {"text": REPLY, "example_id": "nobody"}],
    }

    made = program.post(f"/api/v1/datasets/{dataset}/replies", body)

    assert made.status_code == 201
    assert (made.json()["taken"], made.json()["left_out"][0]["number"]) == (1, 2)
    result = first_of(program, made.json()["run_id"])
    assert result["score"] == 4
    assert any("5" in warning for warning in result["warnings"])
    neither = {"name": "x", "replies": [{"text": REPLY}]}
    assert program.post(f"/api/v1/datasets/{dataset}/replies", neither).status_code == 422
