"""At the desk, what a model said can be checked: its marks, quotes, call, and the other judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from db.results import list_judgements
from db.runs import get_run
from recall_core.judges import make_judge
from tests.db.asking import model_run
from tests.db.making import kept_dataset, queued_run, until
from tests.db.reviewing import Desk
from tests.e2e.browser import PATIENCE
from tests.e2e.desk import AtDesk, House, at_desk, house_in
from tests.llm_server import Answer, LlmServer, reply
from tests.model_answers import LAB, Asked, Entry, judging, passage_example

pytestmark = pytest.mark.e2e

COPY = "The battery is too cold to charge."
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><b>bold</b>"
ROWS = [
    passage_example(
        "a",
        ["Red lights mean cold.", COPY],
        [f"Two red lights. {COPY}", "Bring it in."],
        ["Extra."],
    ),
    passage_example("refused", ["A fact."], ["A text."]),
    passage_example("hostile", [f"{HOSTILE} {COPY}"], [f"A {HOSTILE} text."]),
]


def quotes_well(entry: Entry) -> Entry:
    reasoning = "It is said: “red lights”, and the rest follows."
    return entry | {"reasoning": reasoning, "quotes": [{"rank": 1, "quote": "Two red lights"}]}


def contradicts(entry: Entry) -> Entry:
    quotes = [{"rank": 2, "quote": "nobody ever wrote these words anywhere"}]
    return entry | {"score": 1, "reasoning": "The passage fully covers it.", "quotes": quotes}


@dataclass
class Model:
    """The scripted model, which refuses an example until it is told not to."""

    server: LlmServer = field(init=False)
    refuses: bool = True

    def instead(self, question: Asked) -> Answer | None:
        if self.refuses and question.question == "What of refused?":
            return reply(None, refusal=f"No. {HOSTILE}")
        return None


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    made = Model()
    respond = judging({"E1": quotes_well, "E2": contradicts}, instead=made.instead)
    with LlmServer(respond) as server:
        made.server = server
        yield made


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, model: Model) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("desk")
    listed: Path = folder / "endpoints.toml"
    listed.write_text(LAB.format(url=model.server.url), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALL_ENDPOINTS", str(listed))
        with house_in(folder) as made:
            yield made


@pytest.fixture(scope="module")
def run(house: House) -> Desk:
    """A run by the model, judged by the app's own worker, beside one by the lexical screen."""
    dataset = kept_dataset(house.engine, ROWS)
    queued_run(house.engine, dataset, judge=make_judge("passage_recall_lexical"))
    run_id = model_run(house.engine, dataset, model="large")
    until(lambda: list_judgements(house.engine, run_id).total == len(ROWS))
    lines = list_judgements(house.engine, run_id).rows
    return Desk(house.engine, run_id, {line.example_id: line.id for line in lines})


def hot(desk: AtDesk) -> list[str]:
    return desk.page.locator("mark.hot").all_inner_texts()


def test_marks_are_words_and_the_open_unit_says_why(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "a") as desk:
        marks = desk.unit("E2").locator(".marks")
        expect(marks).to_contain_text("quote not found")
        expect(marks).to_contain_text("reasoning against score")
        expect(marks).to_contain_text("judges disagree")

        desk.unit("E2").click()

        why = desk.unit("E2").locator(".judge")
        expect(why).to_contain_text("E2 has 1, but")
        expect(why).to_contain_text("stands word for word in retrieved passage 1")
        expect(why).to_contain_text("nobody ever wrote these words anywhere")
        desk.shows(".question .facts", "large")
        desk.shows(".question .facts", "prompt of version 1")
        facts = desk.page.locator(".question .facts")
        assert "prompt of version 1" in (facts.get_attribute("title") or "")
        assert (facts.bounding_box() or {"height": 99})["height"] < 30, "it keeps to one line"


def test_pointing_at_a_quote_lights_it_up_and_choosing_keeps_it_lit(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "a") as desk:
        quote = desk.unit("E1").locator("button.quote")
        assert hot(desk) == []

        quote.hover()
        assert hot(desk) == ["Two red lights"]
        desk.page.locator(".question h2").hover()
        assert hot(desk) == []

        desk.unit("E1").locator(".quoted").hover()
        assert hot(desk) == ["Two red lights"], (
            "words in quotation marks in the reasoning point too"
        )

        quote.click()
        desk.page.locator(".question h2").hover()
        assert hot(desk) == ["Two red lights"]
        assert quote.get_attribute("aria-pressed") == "true"

        desk.press("ArrowDown")
        assert hot(desk) == [], "another unit begins with nothing chosen"


def test_the_call_opens_by_button_and_key_and_is_inert(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "hostile") as desk:
        desk.click("Show the call")
        panel = desk.page.get_by_role("dialog", name="The call")
        expect(panel).to_contain_text('{"passages"', timeout=PATIENCE)
        for words in ("large at lab", "900 in, 120 out", "$0.0028", "JSON schema", "Prompt"):
            expect(panel).to_contain_text(words)
        assert HOSTILE in panel.inner_text()
        assert panel.locator("img, b b, script").count() == 0

        desk.press("Escape")
        expect(panel).to_have_count(0)
        desk.press("s")
        expect(panel).to_contain_text('{"passages"', timeout=PATIENCE)
        assert desk.page.title() == "Recall Desk"


def test_an_open_call_follows_to_the_next_example(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "a") as desk:
        desk.press("s")
        panel = desk.page.get_by_role("dialog", name="The call")
        expect(panel).to_contain_text(COPY, timeout=PATIENCE)

        desk.press("ArrowRight")

        expect(panel).to_contain_text("Refusal", timeout=PATIENCE)
        expect(panel).to_contain_text("What of refused?")


def test_judges_stand_side_by_side_and_differences_are_words(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "a") as desk:
        desk.press("o")

        panel = desk.page.get_by_role("dialog", name="Judges side by side")
        expect(panel.locator("thead")).to_contain_text("lexical screen", timeout=PATIENCE)
        row = panel.locator("tr", has_text="E2").last
        expect(row).to_contain_text("differs")
        assert row.locator(".chip").all_inner_texts() == ["1", "5"]
        expect(panel).to_contain_text("E2: the model gave 1, the lexical screen in “first” gave 5.")


def test_a_refusal_shows_its_reply_and_is_judged_again_alone(
    browser: Browser, house: House, run: Desk, model: Model
) -> None:
    with at_desk(browser, house, run, "refused") as desk:
        desk.shows(".notice.loud", "The judge refused to answer.")
        desk.shows(".rawreply pre", HOSTILE)
        asked = len(model.server.received)
        model.refuses = False
        until(lambda: not get_run(house.engine, run.run_id).state.active)

        desk.click("Judge this example again")

        expect(desk.page.locator(".rawreply")).to_have_count(0, timeout=PATIENCE)
        expect(desk.unit("E1").locator(".chip").first).to_have_text("4")
        assert len(model.server.received) == asked + 1
