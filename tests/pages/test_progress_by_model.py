"""While a model judges, the page tells what is spent; in the end, how right the plan was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from db.endpoints import known_endpoints
from db.planning import plan_for
from db.runs import RunOptions, RunState, create_run, get_run
from recall_core.asking.judge import ModelJudge
from recall_core.judges import make_judge
from recall_core.types import Example
from tests.db.making import NOW, kept_dataset
from tests.llm_server import LlmServer, reply, too_fast
from tests.model_answers import LAB, Asked, judging, passage_example
from tests.pages.screens import Screens, column, tables, texts, work_off

ROWS = [passage_example(f"e{i}", [f"Fact {i}."], [f"Text {i}."]) for i in range(1, 5)]
JudgedBy = Callable[..., int]


@pytest.fixture
def judged_by(screens: Screens, endpoints_file: Path) -> JudgedBy:
    """Plans, queues and judges a run, as the page and the worker do."""

    def judged(server: LlmServer, rows: Sequence[Example] = ROWS, **settings: Any) -> int:
        endpoints_file.write_text(LAB.format(url=server.url), "utf-8")
        judge = make_judge("passage_recall", {"endpoint": "lab", "model": "large", **settings})
        assert isinstance(judge, ModelJudge)
        dataset = kept_dataset(screens.engine, rows)
        plan = plan_for(screens.engine, dataset, judge, known_endpoints()["lab"]).plan
        run = create_run(
            screens.engine,
            dataset_id=dataset,
            judge=judge,
            name="By the model",
            options=RunOptions(),
            author="Ana",
            now=NOW,
            estimate=plan,
        )
        work_off(screens.engine)
        return run

    return judged


def said(screens: Screens, run: int) -> str:
    page = screens.open("run", run=run)
    assert not page.exception
    return texts(page).replace("\\", "")


def test_spending_calls_and_tokens_are_shown(screens: Screens, judged_by: JudgedBy) -> None:
    with LlmServer(judging()) as server:
        run = judged_by(server)

    words = said(screens, run)

    assert "<dt>Spent</dt><dd>$0.011</dd>" in words
    assert "<dt>Calls</dt><dd>4</dd>" in words
    assert "<dt>Tokens in</dt><dd>3,600</dd>" in words
    assert "large at lab" in words


def test_an_unknown_price_is_spent_as_unknown(screens: Screens, judged_by: JudgedBy) -> None:
    with LlmServer(judging()) as server:
        run = judged_by(server, model="small")

    assert "<dt>Spent</dt><dd>unknown</dd>" in said(screens, run)


def test_what_was_expected_stands_beside_what_it_came_to(
    screens: Screens, judged_by: JudgedBy
) -> None:
    with LlmServer(judging()) as server:
        run = judged_by(server)

    words = said(screens, run)

    assert "**Expected and actual**" in words
    assert '<th scope="row">Calls</th><td>4</td><td>4</td>' in words
    assert '<th scope="row">From the store</th><td>0</td><td>0</td>' in words
    assert "<td>$0.011</td>" in words


def test_repeated_tries_are_told(screens: Screens, judged_by: JudgedBy) -> None:
    with LlmServer(judging()) as server:
        server.enqueue(too_fast(0.05))
        run = judged_by(server)

    assert "1 try had to be repeated" in said(screens, run)


def test_a_budget_stops_the_run_with_a_sentence_and_can_be_raised(
    screens: Screens, judged_by: JudgedBy
) -> None:
    with LlmServer(judging()) as server:
        run = judged_by(server, budget_usd=0.04, concurrency=1)
        page = screens.open("run", run=run)
        words = texts(page).replace("\\", "")
        assert get_run(screens.engine, run).state is RunState.PAUSED
        assert "budget" in words.lower()
        assert "of $0.04</dd>" in words
        assert "Not every example is judged" in words

        page.text_input(key="budget_typed").set_value("2")
        next(b for b in page.button if b.label == "Set the budget").click().run()
        page.button(key="resume").click().run()
        work_off(screens.engine)

    assert not page.exception
    card = get_run(screens.engine, run)
    assert (card.state, card.processed) == (RunState.DONE, 4)
    assert str(card.budget) == "2"


def test_a_budget_that_is_no_number_is_refused(screens: Screens, judged_by: JudgedBy) -> None:
    with LlmServer(judging()) as server:
        run = judged_by(server, budget_usd=0.04, concurrency=1)
    page = screens.open("run", run=run)

    page.text_input(key="budget_typed").set_value("a lot")
    next(b for b in page.button if b.label == "Set the budget").click().run()

    assert [e.value for e in page.error] == ["a lot is not a number of dollars."]


def test_failures_are_told_by_kind_and_open_on_the_desk(
    screens: Screens, judged_by: JudgedBy
) -> None:
    def second_refuses(question: Asked) -> Any:
        return reply(None, refusal="No.") if question.question == "What of e2?" else None

    with LlmServer(judging(instead=second_refuses)) as server:
        run = judged_by(server)

    page = screens.open("run", run=run)
    kinds, failed, *_ = tables(page)
    assert column(kinds, "Kind") == ["refusal"]
    assert column(failed, "Example") == ["e2"]
    assert "have it judged again" in texts(page)
    assert any(button.label == "Re-run the 1 failed" for button in page.button)


def test_examples_with_gaps_are_listed_among_the_failed(
    screens: Screens, judged_by: JudgedBy
) -> None:
    def answers_for_a_unit_that_is_not_there(question: Asked) -> Any:
        entry = {"passage": "E9", "reasoning": "It is there.", "quotes": [], "score": 4}
        empty = question.question == "What of e2?"
        return reply(json.dumps({"passages": [entry]})) if empty else None

    with LlmServer(judging(instead=answers_for_a_unit_that_is_not_there)) as server:
        run = judged_by(server)

    kinds, failed, *_ = tables(screens.open("run", run=run))
    assert column(kinds, "Kind") == ["incomplete"]
    assert column(failed, "Example") == ["e2"]


def test_the_prompt_of_a_run_stands_folded_and_whole(screens: Screens, judged_by: JudgedBy) -> None:
    with LlmServer(judging()) as server:
        run = judged_by(server)

    page = screens.open("run", run=run)

    assert [e.label for e in page.expander] == [
        "Settings left as they are by default",
        "Prompt of version 1",
    ]
    assert page.code[0].value.startswith("You check how much of each reference passage")
    assert "Budget in US dollars: none" in texts(page).replace("\\", "")
