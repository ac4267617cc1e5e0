"""Text is data: it is shown as it is, in its own direction, and never runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.db.reviewing import E1, told
from tests.e2e.desk import House, at_desk, house_in

pytestmark = pytest.mark.e2e

HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "<style>*{display:none}</style><b>bold</b> &amp; ![x](http://127.0.0.1:1/x.png)"
)
ARABIC = "يستطيع المالك إلزام جميع الأعضاء."


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


def saying(name: str, text: str, retrieved: tuple[str, ...]) -> Example:
    """An example with that text in every place that the desk shows."""
    return replace(
        told(name, [4], question=text, warns=(text,)),
        ground_truth=(GroundTruthPassage(PassageKind.ESSENTIAL, text),),
        retrieved=tuple(RetrievedPassage(i, t, id=text) for i, t in enumerate(retrieved, 1)),
        actual_output=text,
    )


def test_hostile_text_stands_there_as_text(browser: Browser, house: House) -> None:
    run = house.judged(saying(HOSTILE, HOSTILE, (HOSTILE, HOSTILE)))
    with at_desk(browser, house, run, name=f"Mara {HOSTILE[:60]}") as desk:
        desk.press("3", "n")
        desk.page.keyboard.insert_text(HOSTILE)
        desk.press("Enter", "y")
        desk.is_saved()

        shown = desk.page.locator(".desk").inner_text()
        made = desk.page.locator(".desk :is(img, script, style, iframe, b b)").count()
        title = desk.page.title()

    assert shown.count(HOSTILE[:60]) >= 6
    assert made == 0
    assert title == "Recall Desk"
    assert run.detail(HOSTILE).unit(E1).decision.note == HOSTILE


def test_right_to_left_text_runs_right_to_left_and_the_frame_stays(
    browser: Browser, house: House
) -> None:
    run = house.judged(saying("ar", ARABIC, (ARABIC,)))
    with at_desk(browser, house, run) as desk:
        for place in (".question h2", ".question .answer", ".unit .text", ".passage .text"):
            block = desk.page.locator(place).first
            assert block.evaluate("e => getComputedStyle(e).direction") == "rtl", place
        label = desk.page.locator(".unit .label").bounding_box()
        chip = desk.page.locator(".unit .chip").first.bounding_box()

    assert label["x"] < chip["x"]


def test_of_three_hundred_passages_those_far_away_are_drawn_when_one_comes_near(
    browser: Browser, house: House
) -> None:
    many = tuple(f"Passage {i}. " + "It says little of use. " * 20 for i in range(1, 301))
    run = house.judged(saying("one", "first", many), saying("two", "second", many))
    with at_desk(browser, house, run) as desk:
        desk.press("ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft", "3", "4", gap=50)
        desk.is_saved()

        assert desk.page.locator(".passage").count() == 300

        # What is far out of sight is an empty box, until one scrolls or finds something there.
        assert desk.page.locator(".passage.far").count() > 200
        pane = desk.page.locator(".retrieved .body")
        pane.evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")
        expect(desk.page.locator('[data-key="p300"] .text')).to_contain_text("Passage 300.")
        desk.press("/")
        desk.page.keyboard.type("passage 150.")
        expect(desk.page.locator('[data-key="p150"] .text')).to_be_in_viewport()
