"""Two reviewers on one example: each sees whose value stands before their own is written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from recall_core.types import Action
from tests.db.reviewing import E1, E2, Desk, told
from tests.e2e.browser import PATIENCE
from tests.e2e.desk import AtDesk, House, at_desk, house_in

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


@pytest.fixture
def run(house: House) -> Desk:
    return house.judged(told("a", [5, 4]), told("b", [2]))


@pytest.fixture
def mara(browser: Browser, house: House, run: Desk) -> Iterator[AtDesk]:
    with at_desk(browser, house, run, name="Mara") as desk:
        yield desk


def standing(run: Desk) -> tuple[str, int | None]:
    """Whose value stands on the first unit, and which."""
    effective = run.detail("a").unit(E1)
    return effective.decision.reviewer, effective.state.score


def test_a_value_that_was_overtaken_is_not_written_and_the_person_chooses(
    mara: AtDesk, run: Desk
) -> None:
    run.set("a", E1, 2, by="Jonas")

    mara.press("3")

    mara.shows(".outcome", "Jonas set 2 at")
    mara.shows(".outcome", "yours, 3, was not written.")
    mara.shows(".saved", "1 not written")
    expect(mara.unit("E1").locator(".state")).to_contain_text("Changed meanwhile")
    assert standing(run) == ("Jonas", 2)

    mara.click("Set mine, 3")

    mara.is_saved()
    expect(mara.unit("E1").locator(".state")).to_contain_text("Changed by you")
    assert standing(run) == ("Mara", 3)


def test_who_agrees_with_a_change_has_not_made_it(mara: AtDesk, run: Desk) -> None:
    run.set("a", E1, 2, by="Jonas")
    mara.press("ArrowRight", "ArrowLeft")
    expect(mara.unit("E1").locator(".state")).to_contain_text("Changed by Jonas", timeout=PATIENCE)

    mara.press("2")

    mara.is_saved()
    expect(mara.unit("E1").locator(".state")).to_contain_text("Changed by Jonas")
    assert [d.reviewer for d in run.detail("a").decisions] == ["Jonas", "Mara"]


def test_keeping_theirs_writes_nothing(mara: AtDesk, run: Desk) -> None:
    run.set("a", E1, 2, by="Jonas")
    mara.press("3")
    mara.shows(".outcome", "Jonas set 2")

    mara.click("Keep theirs")

    mara.is_saved()
    expect(mara.page.locator(".outcome")).to_have_count(0)
    expect(mara.unit("E1").locator(".state")).to_contain_text("Changed by Jonas")
    assert [d.reviewer for d in run.detail("a").decisions] == ["Jonas"]


def test_what_was_built_on_an_overtaken_value_is_not_written_either(
    mara: AtDesk, run: Desk
) -> None:
    run.decide("a", E1, Action.CONFIRM, by="Jonas")

    mara.press("3", "4", "1")

    mara.shows(".outcome", "Jonas confirmed 5 at")
    mara.shows(".outcome", "yours, 1, was not written.")
    mara.shows(".saved", "1 not written")
    assert standing(run) == ("Jonas", 5)


def test_a_value_that_was_overtaken_is_told_on_the_next_example_too(
    mara: AtDesk, run: Desk
) -> None:
    run.set("a", E1, 2, by="Jonas")

    mara.press("3", "ArrowRight")

    mara.shows("h2", "What of b?")
    mara.shows(".facts", "What you decided on E1 of example 1 was not written.")
    mara.page.wait_for_url(f"**judgement={run.judgements['b']}")
    mara.page.reload()
    mara.shows(".facts", "was not written")
    mara.click("Show it")
    mara.shows(".outcome", "yours, 3, was not written.")


def test_others_decisions_arrive_by_themselves(mara: AtDesk, run: Desk) -> None:
    run.set("a", E2, 1, by="Jonas")

    expect(mara.unit("E2").locator(".state")).to_contain_text("Changed by Jonas", timeout=PATIENCE)
    mara.shows(".effects", "4 → 1")
    mara.press("ArrowDown", "2")

    mara.is_saved()
    assert run.detail("a").unit(E2).state.score == 2


def test_confirming_all_that_is_left_writes_what_nobody_overtook(mara: AtDesk, run: Desk) -> None:
    run.set("a", E1, 2, by="Jonas")

    mara.press("Control+Enter")

    mara.shows(".saved", "1 not written")
    assert standing(run) == ("Jonas", 2)
    assert run.detail("a").unit(E2).decision.reviewer == "Mara"
