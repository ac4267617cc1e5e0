"""Evaluating at a desk, over HTTP or in this process: what programs do, people see and review."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from db.datasets import list_datasets
from db.engine import Engine
from db.runs import RunState, list_runs, pause_run
from recall_client import Client, DeskError, judge
from recall_core.errors import InvalidSetting
from tests.client.conftest import Served
from tests.client.samples import socks

SCREEN = "contextual_recall_lexical"


@pytest.fixture(params=["http", "in process"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    if request.param == "http":
        desk: Served = request.getfixturevalue("desk")
        made = desk.client()
    else:
        made = request.getfixturevalue("in_process")
    yield made
    made.close()


def test_each_judge_is_a_run_that_people_can_open(client: Client, engine: Engine) -> None:
    evaluation = client.run_evaluation(
        [socks(id="a"), socks(id="b")], [judge(SCREEN, threshold=0.8), "context_recall"], name="n"
    )

    runs = {run.judge: run for run in list_runs(engine)}
    assert [link.judge for link in evaluation.runs] == [SCREEN, "context_recall"]
    for link in evaluation.runs:
        run = runs[link.judge]
        assert (run.id, run.name, run.state, run.processed) == (link.id, "n", RunState.DONE, 2)
        assert link.url
        assert link.url.endswith(f"/examples?run={run.id}")
    assert runs[SCREEN].settings["threshold"] == 0.8
    assert f"/review?run={runs[SCREEN].id}" in (evaluation[0].url or "")


def test_results_are_those_that_judging_here_gives(client: Client) -> None:
    examples = [socks(id="a"), socks(id="b", retrieval_context=[]), socks(id="c", input=None)]
    judges = [judge(SCREEN, threshold=0.5), "context_recall"]

    there = client.run_evaluation(examples, judges, name="n")
    unstored = client.run_evaluation(examples, judges, name="n", store=False)
    here = Client(local=True).run_evaluation(examples, judges, name="n")

    for other in (there, unstored):
        for one, same in zip(other, here, strict=True):
            assert (one.name, one.judge, one.score, one.success, one.reason, one.error) == (
                same.name,
                same.judge,
                same.score,
                same.success,
                same.reason,
                same.error,
            )
            assert one.verdicts == same.verdicts


def test_what_lacks_a_field_for_one_judge_is_judged_by_the_other(client: Client) -> None:
    evaluation = client.run_evaluation(
        [socks(id="a", expected_contexts=None), socks(id="b"), socks(id="c")],
        ["context_recall", SCREEN],
    )

    assert [(r.name, r.score) for r in evaluation.of("context_recall")] == [
        ("a", None),
        ("b", 0.5),
        ("c", 0.5),
    ]
    assert [r.score for r in evaluation.of(SCREEN)] == [0.5, 0.5, 0.5]


def test_the_same_examples_are_one_dataset_however_often_they_are_evaluated(
    client: Client, engine: Engine
) -> None:
    for name in ("monday", "tuesday"):
        client.run_evaluation([socks()], SCREEN, name=name)

    assert len(list_datasets(engine)) == 1
    assert {run.name for run in list_runs(engine)} == {"monday", "tuesday"}


def test_nothing_is_kept_where_nothing_is_to_be_stored(client: Client, engine: Engine) -> None:
    evaluation = client.run_evaluation([socks()], SCREEN, store=False)

    assert evaluation[0].score == 0.5
    assert evaluation.runs == ()
    assert list_runs(engine) == []


def test_an_evaluation_in_which_no_example_is_complete_sends_nothing(
    client: Client, engine: Engine
) -> None:
    evaluation = client.run_evaluation([socks(input=None)], SCREEN)

    assert not evaluation.success
    assert list_datasets(engine) == []


def test_a_decision_of_a_person_counts_in_the_results(client: Client) -> None:
    run = client.run_evaluation([socks()], SCREEN).runs[0]
    judgement = next(client.desk.results(run.id))
    unit = client.desk.judgement(judgement["judgement"])["units"][1]

    client.desk.decide(
        judgement["judgement"], "S2", "set", seen=unit["newest"], score=1, cause="judge wrong"
    )

    now = next(client.desk.results(run.id))
    assert (now["score"], now["judge_score"]) == (1, 0.5)
    assert client.desk.summary(run.id, at_least=0.8)["gate"] == "passed"
    headline = client.desk.headline(run.id, at_least=0.8)
    assert (headline["recall"], headline["low"], headline["gate"]) == (1, None, "inconclusive")
    assert b"judge wrong" in client.desk.export(run.id, "csv")


def test_files_can_be_brought_in_and_read_back(client: Client, tmp_path: object) -> None:
    file = tmp_path / "rows.csv"  # type: ignore[operator]
    file.write_text("question,answer\nq1,a1\nq2,a2\n")

    made = client.desk.upload(file, name="rows")

    assert [d["name"] for d in client.desk.datasets()] == ["rows"]
    assert [e["question"] for e in client.desk.examples(made["dataset"]["id"])] == ["q1", "q2"]


def test_what_the_desk_refuses_is_an_error_in_its_words(client: Client) -> None:
    with pytest.raises(DeskError, match="no run 99") as refused:
        client.desk.run(99)
    assert refused.value.status == 404

    with pytest.raises(DeskError, match="threshold"):
        client.run_evaluation([socks()], [judge(SCREEN, threshold=3)])


def test_a_wrong_token_is_an_error_that_says_so(desk: Served) -> None:
    with Client(desk.address, token="wrong") as client, pytest.raises(DeskError) as refused:
        client.run_evaluation([socks()], SCREEN)

    assert refused.value.status == 401


def test_a_desk_that_is_not_there_is_an_error_that_names_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recall_client.connection.WAIT", 0.0)

    with Client("http://127.0.0.1:9", token="t") as client, pytest.raises(DeskError) as refused:
        client.run_evaluation([socks()], SCREEN)

    assert "The desk at http://127.0.0.1:9 cannot be reached" in str(refused.value)


def test_address_and_token_may_stand_in_the_environment(
    desk: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_URL", desk.address)
    monkeypatch.setenv("RECALL_TOKEN", desk.token)

    with Client() as client:
        assert client.where == desk.address
        assert {j["name"] for j in client.desk.judges()} >= {SCREEN}


def test_what_judging_in_this_process_breaks_on_is_raised_and_not_waited_for(
    in_process: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("api.in_process.judge_run", broken)

    with in_process, pytest.raises(OSError, match="disk is full"):
        in_process.run_evaluation([socks()], SCREEN)


def test_a_run_that_ends_early_gives_errors_for_what_was_not_judged(
    in_process: Client, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "api.in_process.judge_run",
        lambda engine, run_id, stop: pause_run(engine, run_id),
    )

    with in_process:
        result = in_process.run_evaluation([socks()], SCREEN)[0]

    assert (result.score, result.success) == (None, False)
    assert result.error == "Not judged. The run is paused."


def test_what_this_installation_does_not_know_is_left_to_the_desk(client: Client) -> None:
    with pytest.raises(DeskError, match="no judge named 'newer'"):
        client.run_evaluation([socks()], "newer")
    with pytest.raises(InvalidSetting, match="newer is not installed here"):
        client.run_evaluation([socks()], "newer", store=False)
