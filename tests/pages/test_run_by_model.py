"""A run by a model is described with endpoint, model, prompt and plan before anything is paid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from db.runs import get_run, list_runs
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.db.making import examples, kept_dataset
from tests.llm_server import Answer, LlmServer, error, only_levels
from tests.model_answers import LAB, judging
from tests.pages.screens import Screens, texts

MODEL_JUDGE = "new.judge.passage_recall"
FORM = "new.passage_recall"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(judging()) as running:
        yield running


@pytest.fixture
def lab(endpoints_file: Path, server: LlmServer) -> LlmServer:
    """An operator who lets people ask one server without a key, and one whose key is not set."""
    endpoints_file.write_text(LAB.format(url=server.url), "utf-8")
    return server


def form(screens: Screens, rows: int = 3) -> AppTest:
    """The page with the model judge ticked, over so many examples."""
    dataset = kept_dataset(screens.engine, examples(rows))
    page = screens.open("run", dataset=dataset)
    return page.checkbox(key=MODEL_JUDGE).set_value(True).run()


def said(page: AppTest) -> str:
    assert not page.exception
    return texts(page).replace("\\", "")


def test_without_an_endpoint_the_card_says_what_to_set_and_offers_the_screen(
    screens: Screens,
) -> None:
    page = form(screens)

    words = said(page)
    assert "No model can be asked yet. Endpoint default: OPENAI_API_KEY is not set." in words
    assert "Set OPENAI_API_KEY, or OPENAI_BASE_URL" in words
    assert page.button(key="start").disabled

    page.button(key="new.twin.passage_recall").click().run()

    assert not page.checkbox(key=MODEL_JUDGE).value
    assert page.checkbox(key="new.judge.passage_recall_lexical").value
    assert not page.button(key="start").disabled


def test_endpoints_are_chosen_by_name_and_a_usable_one_comes_first(
    screens: Screens, lab: LlmServer
) -> None:
    page = form(screens)

    chosen = page.selectbox(key=f"{FORM}.endpoint")
    assert [option.split(",")[0] for option in chosen.options] == ["default", "lab", "office"]
    assert chosen.value == "lab"
    assert page.selectbox(key=f"{FORM}.model.lab").options == ["large", "small"]
    assert not [field for field in page.text_input if "address" in field.label.lower()]

    chosen.set_value("office").run()

    assert "Endpoint office: OFFICE_KEY is not set." in said(page)
    assert page.button(key="start").disabled


def test_the_model_is_typed_where_the_endpoint_lists_none(
    screens: Screens, endpoints_file: Path, server: LlmServer
) -> None:
    endpoints_file.write_text(f'[endpoints.lab]\nbase_url = "{server.url}"', "utf-8")
    page = form(screens)

    assert "choose a model" in said(page)
    assert page.button(key="start").disabled

    page.text_input(key=f"{FORM}.model.lab").set_value("qwen").run()

    assert not page.button(key="start").disabled


def test_the_plan_stands_there_before_the_start(screens: Screens, lab: LlmServer) -> None:
    page = form(screens)

    words = said(page)
    assert "<dt>Calls</dt><dd>3</dd>" in words
    assert "<dt>Cost, about</dt><dd>$0.0" in words
    assert '<th scope="row">Tokens in</th>' in words
    assert "None of them is in the store yet." in words
    assert "No budget: nothing stops it but you." in words
    assert lab.received == [], "planning asks nobody"


def test_an_unknown_price_is_unknown_and_keeps_no_budget(screens: Screens, lab: LlmServer) -> None:
    page = form(screens)
    page.selectbox(key=f"{FORM}.model.lab").set_value("small").run()
    assert "<dt>Cost, about</dt><dd>unknown</dd>" in said(page)
    assert not page.button(key="start").disabled

    assert page.text_input(key=f"{FORM}.budget_usd.off").disabled
    assert "The price of small is unknown, so a budget could not be kept." in said(page)


def test_a_budget_that_was_typed_goes_with_the_price(screens: Screens, lab: LlmServer) -> None:
    page = form(screens)
    page.number_input(key=f"{FORM}.budget_usd").set_value(2.0).run()

    page.selectbox(key=f"{FORM}.model.lab").set_value("small").run()

    assert "No budget: nothing stops it but you." in said(page)
    assert not page.button(key="start").disabled


def test_a_server_is_asked_for_its_models_where_the_operator_lists_none(
    screens: Screens, endpoints_file: Path
) -> None:
    models = Answer(json.dumps({"data": [{"id": "qwen"}, {"id": "llama"}]}))
    with LlmServer(models) as server:
        endpoints_file.write_text(f'[endpoints.lab]\nbase_url = "{server.url}"', "utf-8")
        page = form(screens)
        assert server.received == [], "nothing is asked before somebody wants it"

        page.button(key=f"{FORM}.list").click().run()
        chosen = page.selectbox(key=f"{FORM}.model.lab.listed")
        assert chosen.options == ["llama", "qwen"]
        assert chosen.value is None
        chosen.set_value("qwen").run()

    assert not page.button(key="start").disabled


def test_a_server_without_a_list_is_told_and_a_name_can_still_be_typed(
    screens: Screens, endpoints_file: Path
) -> None:
    with LlmServer(error(404, "no such path")) as server:
        endpoints_file.write_text(f'[endpoints.lab]\nbase_url = "{server.url}"', "utf-8")
        page = form(screens)
        page.button(key=f"{FORM}.list").click().run()

    words = said(page)
    assert "gives no list of models (404)." in words
    assert "The name can still be typed." in words
    assert page.text_input(key=f"{FORM}.model.lab")


def test_a_price_says_where_it_is_from(screens: Screens, lab: LlmServer) -> None:
    assert re.search(r"large</th>.*?<td>\$8\.0</td><td>endpoints\.toml</td>", said(form(screens)))


def test_the_stop_price_is_said_and_whether_it_is_enough(screens: Screens, lab: LlmServer) -> None:
    page = form(screens)

    page.number_input(key=f"{FORM}.budget_usd").set_value(2.0).run()
    assert "Stops by itself before it passes $2.00." in said(page)
    assert "not all will be judged" not in said(page)

    page.number_input(key=f"{FORM}.budget_usd").set_value(0.001).run()
    assert "less than what is expected, so not all will be judged" in said(page)


def test_examples_beyond_the_window_are_counted_with_both_numbers(
    screens: Screens, lab: LlmServer
) -> None:
    long = Example(
        "long",
        question="What?",
        ground_truth=(GroundTruthPassage(PassageKind.ESSENTIAL, "A fact."),),
        retrieved=(RetrievedPassage(1, "Something else entirely. " * 1500),),
    )
    dataset = kept_dataset(screens.engine, [long])
    page = screens.open("run", dataset=dataset)
    page.checkbox(key=MODEL_JUDGE).set_value(True).run()

    page.selectbox(key=f"{FORM}.model.lab").set_value("small").run()

    words = said(page)
    assert "1 of 1 example too long for the window of 5,500 tokens" in words
    assert re.search(r"long \(about [\d,]+\)", words)


def test_a_prompt_with_an_unknown_placeholder_is_refused_in_the_form(
    screens: Screens, lab: LlmServer
) -> None:
    page = form(screens)
    prompt = page.text_area(key=f"{FORM}.prompt")

    prompt.set_value(f"{prompt.value} {{{{score}}}}").run()

    assert said(page).count("The prompt has {{score}}, which stands for nothing.") == 2
    assert page.button(key="start").disabled

    page.button(key=f"{FORM}.prompt_back").click().run()

    assert "stands for nothing" not in said(page)
    assert not page.button(key="start").disabled


def test_testing_the_endpoint_tells_who_answered_how_fast_and_in_which_shape(
    screens: Screens, lab: LlmServer
) -> None:
    page = form(screens)

    page.button(key=f"{FORM}.test").click().run()

    words = said(page)
    assert "✓ model-of-the-server answered in 0." in words
    assert "It keeps to a JSON schema" in words
    assert lab.received[-1].body["model"] == "large"


def test_a_server_that_refuses_a_schema_is_told_by_the_level_that_works(
    screens: Screens, endpoints_file: Path
) -> None:
    with LlmServer(only_levels("json_object", then=judging())) as server:
        endpoints_file.write_text(LAB.format(url=server.url), "utf-8")
        page = form(screens)
        page.button(key=f"{FORM}.test").click().run()

    assert "It takes no JSON schema, but answers in JSON mode." in said(page)


def test_a_failed_test_is_a_sentence_without_the_key(
    screens: Screens, endpoints_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-lab-0123456789"
    monkeypatch.setenv("LAB_KEY", key)
    with LlmServer(error(401, f"Incorrect API key provided: {key}")) as server:
        with_key = 'key_env = "LAB_KEY"\nmodels."large"'
        listed = LAB.format(url=server.url).replace('models."large"', with_key)
        endpoints_file.write_text(listed, "utf-8")
        page = form(screens)
        page.button(key=f"{FORM}.test").click().run()

    words = said(page)
    assert "does not accept us" in words
    assert "LAB_KEY" in words
    assert key not in words


def test_a_started_run_keeps_its_endpoint_its_settings_and_what_was_expected(
    screens: Screens, lab: LlmServer
) -> None:
    page = form(screens)
    page.number_input(key=f"{FORM}.samples").set_value(3).run()

    page.button(key="start").click().run()

    (card,) = list_runs(screens.engine)
    run = get_run(screens.engine, card.id)
    assert (run.endpoint, run.model) == ("lab", "large")
    assert run.settings["samples"] == 3
    assert run.estimate is not None
    assert run.estimate.to_make == 9


def test_a_list_of_endpoints_that_cannot_be_read_names_the_file(
    screens: Screens, endpoints_file: Path
) -> None:
    endpoints_file.write_text("[endpoints", "utf-8")

    page = form(screens)

    assert "endpoints.toml is not TOML" in " ".join(e.value for e in page.error).replace("\\", "")
    assert page.button(key="start").disabled
