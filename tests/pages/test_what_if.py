"""Other ways of counting a run: live beside its own figures, kept as policies, in exports."""

from __future__ import annotations

from fractions import Fraction

from streamlit.testing.v1 import AppTest

from db.policies import policies, save_policy
from recall_core.policy import Policy
from recall_core.types import Rounding
from tests.db.making import NOW, example, judge_everything, kept_dataset, queued_run
from tests.db.reviewing import Desk, desk, told
from tests.pages.screens import Screens, texts


def some(screens: Screens) -> Desk:
    return desk(screens.engine, told("a", [4], [5]), told("b", [3]), told("c", [2]), pass_at=3.5)


def opened(screens: Screens, run_id: int, **words: object) -> AppTest:
    page = screens.open("results", run=run_id, view="whatif", **words)
    assert not page.exception
    return page


def figures(page: AppTest) -> dict[str, list[str]]:
    (table,) = (h for h in page.get("html") if "what if</th>" in h.proto.body)
    found = {}
    for line in table.proto.body.split("<tr>")[2:]:
        cells = [part.split("<")[0] for part in line.split(">")[1:]]
        name, *values = [cell for cell in cells if cell]
        found[name] = values
    return found


def test_as_the_run_has_it_both_sides_say_the_same(screens: Screens) -> None:
    said = figures(opened(screens, some(screens).run_id))

    assert said["Mean"] == ["3.33", "3.33", "0.00"]
    assert said["Pass"] == ["1 (33 %)", "1 (33 %)", "0"]


def test_a_slider_moves_the_figures_and_the_address(screens: Screens) -> None:
    page = opened(screens, some(screens).run_id)

    page.slider(key="whatif.bonus").set_value(0.0).run()
    page.slider(key="whatif.mark").set_value(2.0).run()

    assert not page.exception
    said = figures(page)
    assert said["Mean"] == ["3.33", "3.00", "−0.33"]
    assert said["Pass"] == ["1 (33 %)", "3 (100 %)", "+2"]
    assert (page.query_params["bonus"], page.query_params["mark"]) == ("0", "2")


def test_an_address_shows_the_same_to_somebody_else(screens: Screens) -> None:
    page = opened(screens, some(screens).run_id, bonus="0", rounding="up")

    assert page.slider(key="whatif.bonus").value == 0
    assert page.selectbox(key="whatif.rounding").value is Rounding.UP
    assert figures(page)["Mean"][1] == "3.00"


def test_words_that_make_no_sense_ask_for_nothing(screens: Screens) -> None:
    page = opened(screens, some(screens).run_id, bonus="99", mark="NaN", judge="x", rounding="?")

    assert figures(page)["Mean"] == ["3.33", "3.33", "0.00"]


def test_a_judge_that_cannot_count_is_said(screens: Screens) -> None:
    page = opened(screens, some(screens).run_id, judge="77")

    assert "has not judged the same dataset" in " ".join(e.value for e in page.error)


def test_another_runs_judge_can_count_instead(screens: Screens) -> None:
    dataset_id = kept_dataset(screens.engine, [example(1), example(2, found=False)])
    first, second = (queued_run(screens.engine, dataset_id) for _ in range(2))
    for run in (first, second):
        judge_everything(screens.engine, run)

    page = opened(screens, first)
    page.selectbox(key="whatif.judge").set_value(second).run()

    assert not page.exception
    assert page.query_params["judge"] == str(second)


def test_a_rule_is_kept_by_name_shown_again_and_deleted(screens: Screens) -> None:
    run = some(screens)
    page = opened(screens, run.run_id, bonus="0")
    page.text_input(key="policy_name").input("no bonus")
    next(b for b in page.button if b.label == "Save policy").click().run()

    (card,) = policies(screens.engine, run.run_id)
    assert (card.name, card.policy) == ("no bonus", Policy(bonus_weight=Fraction(0)))
    assert "**no bonus**: weight of the bonus 0" in texts(page)
    assert page.selectbox(key="export-policy").options == ["no policy", "no bonus"]

    page = opened(screens, run.run_id)
    page.button(key=f"policy_show_{card.id}").click().run()
    assert figures(page)["Mean"][1] == "3.00"

    page.button(key=f"policy_delete_{card.id}").click().run()
    assert not page.exception
    assert not policies(screens.engine, run.run_id)


def test_a_link_to_a_policy_shows_it_and_one_that_is_gone_says_so(screens: Screens) -> None:
    run = some(screens)
    rule = Policy(bonus_weight=Fraction(0))
    kept = save_policy(screens.engine, run.run_id, "n", rule, author="Ana", now=NOW)

    assert figures(opened(screens, run.run_id, policy=kept))["Mean"][1] == "3.00"
    assert "not kept any more" in texts(opened(screens, run.run_id, policy=kept + 1))


def test_an_export_can_carry_a_policy_once_there_is_one(screens: Screens) -> None:
    run = some(screens)
    assert not [s for s in opened(screens, run.run_id).selectbox if s.key == "export-policy"]

    save_policy(screens.engine, run.run_id, "strict", Policy(), author="Ana", now=NOW)

    page = opened(screens, run.run_id)
    assert page.selectbox(key="export-policy").options == ["no policy", "strict"]
