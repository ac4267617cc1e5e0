"""Evaluating without a desk: the judges that are installed judge, and nothing is stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from recall_client import Client, judge
from recall_core.errors import InvalidSetting
from recall_core.judges import make_judge
from tests.client.samples import POLICY, socks
from tests.llm_server import Answer, LlmServer, Received, error, reply
from tests.model_answers import asked, judging

SCREEN = "contextual_recall_lexical"


@pytest.fixture
def client() -> Client:
    return Client(local=True)


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[[LlmServer], None]:
    """Makes a server the one whose models judges ask."""

    def use(server: LlmServer) -> None:
        monkeypatch.delenv("RECALL_ENDPOINTS", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)

    return use


def test_a_result_has_score_success_reason_and_verdicts(client: Client) -> None:
    result = client.run_evaluation([socks()], [judge(SCREEN, threshold=0.8)], name="n")[0]

    assert (result.score, result.threshold, result.success) == (0.5, 0.8, False)
    assert result.error is None
    assert "1 of 2 statements supported" in result.reason
    assert [(v.kind, v.index, v.score) for v in result.verdicts] == [
        ("statement", 1, 1),
        ("statement", 2, 0),
    ]
    evidence = result.verdicts[0].evidence[0]
    assert POLICY[evidence.start : evidence.end] == evidence.quote


@pytest.mark.parametrize(
    "field", ["input", "actual_output", "expected_output", "retrieval_context"]
)
def test_an_example_that_lacks_a_field_is_an_error_that_names_it_and_the_others_go_on(
    client: Client, field: str
) -> None:
    evaluation = client.run_evaluation([socks(**{field: None}), socks()], SCREEN)

    lacking, whole = evaluation
    assert lacking.error == f"The example lacks the field {field}, which {SCREEN} needs."
    assert (lacking.score, lacking.success) == (None, False)
    assert whole.score == 0.5
    assert str(evaluation.mean()) == "0.5 (1 of 2)"


def test_what_a_judge_says_that_an_example_lacks_is_an_error_as_well(client: Client) -> None:
    blank, bonus_only = client.run_evaluation(
        [
            socks(expected_contexts=["must", " "]),
            socks(expected_contexts=None, bonus_contexts=["may"]),
        ],
        "passage_recall_lexical",
    )

    assert (blank.error or "").startswith("Essential passage 2 is empty")
    assert "expected_contexts" in (bonus_only.error or "")


def test_a_judge_of_passages_takes_the_output_where_nothing_was_retrieved(client: Client) -> None:
    result = client.run_evaluation([socks(retrieval_context=None)], "passage_recall_lexical")[0]

    assert result.error is None


def test_nothing_retrieved_is_not_a_missing_field(client: Client) -> None:
    result = client.run_evaluation([socks(retrieval_context=[])], SCREEN)[0]

    assert (result.score, result.error) == (0, None)


def test_several_judges_each_judge_every_example(client: Client) -> None:
    evaluation = client.run_evaluation(
        [socks(), socks(expected_contexts=None)], [SCREEN, make_judge("context_recall")]
    )

    assert evaluation.judges == (SCREEN, "context_recall")
    assert [r.score for r in evaluation.of("context_recall")] == [0.5, None]
    assert "expected_contexts" in (evaluation.errors[0].error or "")
    with pytest.raises(ValueError, match="Say which judge"):
        evaluation.mean()


def test_an_example_that_expected_nothing_is_in_no_mean(client: Client) -> None:
    evaluation = client.run_evaluation([socks(), socks(expected_contexts=[])], ["context_recall"])

    assert evaluation[1].vacuous
    assert str(evaluation.mean()) == "0.5 (1 of 2)"


def test_success_compares_the_exact_score_and_the_text_shows_the_difference(
    client: Client,
) -> None:
    example = socks(
        expected_output="A first claim here. A second claim here. Unheard.",
        retrieval_context=["A first claim here. A second claim here."],
    )

    result = client.run_evaluation([example], [judge(SCREEN, threshold=0.67)])[0]

    assert result.success is False
    assert "0.666667  below 0.67" in str(result)


def test_strict_mode_fails_the_example_and_leaves_its_score_alone(client: Client) -> None:
    result = client.run_evaluation([socks()], [judge(SCREEN, strict=True)])[0]

    assert (result.score, result.threshold, result.success) == (0.5, 1.0, False)


def test_a_judge_that_fails_gives_an_error_and_no_score_unlike_one_that_finds_little(
    client: Client, ask: Callable[[LlmServer], None]
) -> None:
    def first_only(received: Received) -> Answer:
        if "fine" in asked(received).question:
            return judging()(received)
        return error(400, "the model is gone")

    with LlmServer(first_only) as server:
        ask(server)
        fine, failed, low = client.run_evaluation(
            [
                socks(input="fine"),
                socks(input="other"),
                socks(input="fine", retrieval_context=[]),
            ],
            [judge("contextual_recall", threshold=0.8)],
            model="large",
        )

    assert (fine.success, fine.score) == (True, 1)
    assert (failed.success, failed.score) == (False, None)
    assert failed.error
    assert failed.error_type
    assert (low.success, low.score, low.error) == (False, 0, None)


def test_the_model_of_the_call_wins_over_the_settings(
    client: Client, ask: Callable[[LlmServer], None]
) -> None:
    with LlmServer(judging()) as server:
        ask(server)
        client.run_evaluation(
            [socks()], [judge("contextual_recall", model="small"), SCREEN], model="large"
        )

    assert {received.body["model"] for received in server.received} == {"large"}


def test_a_judge_without_a_key_is_an_error_that_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("RECALL_ENDPOINTS", raising=False)

    result = client.run_evaluation([socks()], "contextual_recall", model="gpt-4o")[0]

    assert result.status == "skipped"
    assert result.error == "Endpoint default: OPENAI_API_KEY is not set."


def test_it_works_inside_a_running_loop_and_in_threads_at_once(
    client: Client, ask: Callable[[LlmServer], None]
) -> None:
    def evaluate(number: int) -> float | None:
        example = replace(socks(), id=str(number))
        return client.run_evaluation([example], "contextual_recall", model="large")[0].score

    async def in_a_notebook() -> list[float | None]:
        with ThreadPoolExecutor(4) as pool:
            others = list(pool.map(evaluate, range(4)))
        return [*others, evaluate(5)]

    with LlmServer(judging()) as server:
        ask(server)
        scores = asyncio.run(in_a_notebook())

    assert scores == [1] * 5


def test_progress_tells_the_judge_and_how_many_are_judged(client: Client) -> None:
    told: list[tuple[str, int, int]] = []

    client.run_evaluation([socks()] * 3, SCREEN, progress=lambda *come: told.append(come))

    assert told == [(SCREEN, n, 3) for n in (1, 2, 3)]


def test_a_setting_that_a_judge_cannot_take_is_refused_before_anything_is_judged(
    client: Client,
) -> None:
    with pytest.raises(InvalidSetting, match="threshold"):
        client.run_evaluation([socks()], ["context_recall", judge(SCREEN, threshold=3)])
    with pytest.raises(InvalidSetting, match="no judge named 'recall'"):
        client.run_evaluation([socks()], "recall")


def test_the_same_judge_twice_is_refused_since_its_results_could_not_be_told_apart(
    client: Client,
) -> None:
    with pytest.raises(InvalidSetting, match="named twice"):
        client.run_evaluation([socks()], [SCREEN, judge(SCREEN, threshold=0.9)])


def test_results_make_a_data_frame_and_their_verdicts_another(client: Client) -> None:
    evaluation = client.run_evaluation([socks(id="a"), socks(input=None)], SCREEN)

    results, units = evaluation.to_pandas(), evaluation.to_pandas(units=True)

    assert list(results["id"]) == ["a", "2"]
    assert results["score"][0] == 0.5
    assert list(results["success"]) == [True, False]
    assert list(units["kind"]) == ["statement", "statement"]
    assert units["quote"][0] in POLICY


def test_a_model_that_answers_nonsense_is_never_a_score(
    client: Client, ask: Callable[[LlmServer], None]
) -> None:
    with LlmServer(reply(json.dumps({"verdicts": []}))) as server:
        ask(server)
        result = client.run_evaluation([socks()], "contextual_recall", model="large")[0]

    assert (result.score, result.success, result.error_type) == (None, False, "incomplete")


def test_what_a_notebook_shows_is_what_print_shows(client: Client) -> None:
    evaluation = client.run_evaluation([socks(id="a")], SCREEN, name="n")

    assert repr(evaluation) == str(evaluation)
    assert str(evaluation).splitlines() == [
        f"n: {SCREEN} 0.5 (1 of 1)",
        f"a  {SCREEN}  0.5  success (at least 0.5)  {evaluation[0].reason}",
    ]
