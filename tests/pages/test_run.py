"""Runs are described in a form, queued by one button, and watched, paused and resumed."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from db.datasets import archive_dataset, delete_dataset
from db.runs import RunOptions, RunState, get_run, list_runs
from pages.components.review_options import review_words
from pages.components.style import plain
from recall_core.judges import judges
from recall_core.types import FailureKind
from tests.db.making import NOW, examples, kept_dataset, queued_run
from tests.db.reviewing import desk, told
from tests.pages.screens import Screens, column, tables, texts, work_off

JUDGE = "new.judge.passage_recall_lexical"
OTHER = "new.judge.context_recall"


def buttons(page: AppTest) -> dict[str | None, str]:
    return {button.key: button.label for button in page.button}


def test_without_data_the_page_sends_people_to_bring_some(screens: Screens) -> None:
    page = screens.open("run")

    assert not page.exception
    assert "Bring data first." in texts(page)
    assert [b.label for b in page.button][-1] == "Add data"


def test_every_judge_is_offered_with_what_it_sees_and_how_much_it_can_take(
    screens: Screens,
) -> None:
    kept_dataset(screens.engine, examples(3))

    page = screens.open("run")

    assert not page.exception
    said = texts(page)
    assert "facts, 3 examples, 3 essential and 0 bonus passages" in said
    assert [box.label for box in page.checkbox] == [
        f"**{plain(f'{judges()[name].title} v{judges()[name].version}')}**"
        for name in (
            "passage_recall_lexical",
            "context_recall",
            "contextual_recall_lexical",
            "passage_recall",
            "contextual_recall",
        )
    ]
    assert said.count("**3 of 3 examples** can be judged.") == len(judges())
    screens_offered = [judge for judge in judges().values() if judge.screen]
    assert said.count("It cannot see paraphrase or contradiction") == len(screens_offered) == 2


def test_nothing_can_be_started_before_a_judge_is_ticked(screens: Screens) -> None:
    kept_dataset(screens.engine, examples(3))

    page = screens.open("run")

    assert page.button(key="start").disabled
    assert "No judge is ticked yet" in texts(page)


def test_the_form_queues_a_run_with_its_settings_frozen(screens: Screens) -> None:
    dataset = kept_dataset(screens.engine, examples(3))
    page = screens.open("run", dataset=dataset)
    page.checkbox(key=OTHER).set_value(True).run()
    page.selectbox(key="new.context_recall.distance_measure").set_value("jaro")
    page.number_input(key="new.context_recall.threshold").set_value(0.9)
    page.toggle(key="new.halves").set_value(True)
    next(t for t in page.text_input if t.label == "Name of the run").set_value("By jaro")

    page.run()
    page.button(key="start").click().run()

    assert not page.exception
    (run,) = list_runs(screens.engine)
    assert (run.name, run.judge, run.state) == ("By jaro", "context_recall", RunState.QUEUED)
    assert run.settings["distance_measure"] == "jaro"
    assert run.settings["threshold"] == 0.9
    assert run.options.halves


def test_the_form_says_how_people_will_review_and_the_run_goes_on_saying_it(
    screens: Screens,
) -> None:
    dataset = kept_dataset(screens.engine, examples(3))
    page = screens.open("run", dataset=dataset)
    page.checkbox(key=OTHER).set_value(True).run()
    page.toggle(key="new.blind").set_value(True)
    page.segmented_control(key="new.reviewers").set_value(2)
    page.number_input(key="new.seed").set_value(7)
    page.run()

    page.button(key="start").click().run()

    assert not page.exception
    (run,) = list_runs(screens.engine)
    assert run.options == RunOptions("independent", True, 2, False, False, 7)
    for words in review_words(run.options):
        assert plain(words) in texts(page)
    assert review_words(run.options)[-1] == "audit seed 7"


def test_a_run_is_reviewed_by_people_who_see_each_other_unless_somebody_says_otherwise(
    screens: Screens,
) -> None:
    dataset = kept_dataset(screens.engine, examples(3))
    page = screens.open("run", dataset=dataset)
    page.checkbox(key=OTHER).set_value(True).run()

    page.button(key="start").click().run()

    (run,) = list_runs(screens.engine)
    assert run.options == RunOptions()


def test_several_judges_start_together_and_the_button_counts_them(screens: Screens) -> None:
    kept_dataset(screens.engine, examples(3))
    page = screens.open("run")
    page.checkbox(key=JUDGE).set_value(True)
    page.checkbox(key=OTHER).set_value(True)
    page.run()
    assert buttons(page)["start"] == "Start 2 runs"

    page.button(key="start").click().run()

    assert {run.judge for run in list_runs(screens.engine)} == {
        "passage_recall_lexical",
        "context_recall",
    }
    listed = next(table for table in tables(page) if column(table, "Run"))
    assert len(column(listed, "Run")) == 2


def test_a_waiting_run_says_that_the_page_may_be_closed(screens: Screens) -> None:
    run = queued_run(screens.engine, kept_dataset(screens.engine, examples(3)))

    page = screens.open("run", run=run)

    assert not page.exception
    assert "You may close this page." in texts(page)
    assert {"pause", "cancel"} <= buttons(page).keys()


def test_a_run_is_paused_resumed_and_cancelled(screens: Screens) -> None:
    run = queued_run(screens.engine, kept_dataset(screens.engine, examples(3)))
    page = screens.open("run", run=run)

    page.button(key="pause").click().run()
    assert get_run(screens.engine, run).state is RunState.PAUSED
    assert "resume when you like" in texts(page)

    page.button(key="resume").click().run()
    assert get_run(screens.engine, run).state is RunState.QUEUED

    page.button(key="cancel").click().run()
    assert get_run(screens.engine, run).state is RunState.CANCELLED


def test_a_finished_run_shows_its_counts_and_its_frozen_settings(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    work_off(screens.engine)
    run = next(r for r in list_runs(screens.engine) if r.judge == "context_recall")

    page = screens.open("run", run=run.id)

    said = texts(page)
    assert "Done. Nothing more will be judged." in said
    assert "<dt>Scored</dt><dd>12</dd>" in said
    assert "Distance measure: levenshtein" in said.replace("\\", "")


def test_failures_are_told_by_kind_with_what_becomes_of_them(screens: Screens) -> None:
    kinds = (FailureKind.TIMEOUT, FailureKind.TIMEOUT, FailureKind.REFUSAL)
    failing = [told(f"f{i}", [4], fails=kind.value) for i, kind in enumerate(kinds)]
    run = desk(screens.engine, told("a", [4]), *failing).run_id

    page = screens.open("run", run=run)

    assert not page.exception
    by_kind, failed, *_ = tables(page)
    assert column(by_kind, "Failed") == ["2", "1"]
    assert column(by_kind, "Kind") == ["timeout", "refusal"]
    assert "Can be re-run." in column(by_kind, "What happens")[0]
    assert column(failed, "Example") == ["f0", "f1", "f2"]


def test_failed_examples_are_judged_again_when_a_person_says_so(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]), told("f", [4], fails="timeout")).run_id
    page = screens.open("run", run=run)
    assert buttons(page)["rerun"] == "Re-run the 1 failed"
    assert page.button(key="rerun").disabled, "it is still queued"

    page.button(key="pause").click().run()
    page.button(key="rerun").click().run()

    assert not page.exception
    card = get_run(screens.engine, run)
    assert (card.state, card.failed, card.processed) == (RunState.QUEUED, 0, 1)


def test_a_judge_has_the_same_name_on_every_screen(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    work_off(screens.engine)
    run = next(r.id for r in list_runs(screens.engine) if r.judge == "passage_recall_lexical")
    card = get_run(screens.engine, run)
    name = f"{judges()[card.judge].title} v{card.judge_version}"

    for file in ("overview", "run", "results", "examples_list"):
        said = texts(screens.open(file, **({} if file == "overview" else {"run": run})))

        assert name in said.replace("\\", ""), file
        assert card.judge not in said.replace("\\", ""), file


def test_the_same_judge_on_the_same_dataset_again_gets_a_number(screens: Screens) -> None:
    kept_dataset(screens.engine, examples(3))
    for _ in range(3):
        page = screens.open("run")
        page.checkbox(key=OTHER).set_value(True).run()
        page.button(key="start").click().run()

    name = f"facts, {judges()['context_recall'].title}"
    assert [run.name for run in list_runs(screens.engine)] == [f"{name}, 3", f"{name}, 2", name]


def test_a_finished_run_leads_to_its_results_its_examples_and_its_review(
    screens: Screens,
) -> None:
    screens.open().button(key="open_demo").click().run()
    run = list_runs(screens.engine)[0].id
    assert not {"to_examples", "to_review"} & buttons(screens.open("run", run=run)).keys()
    work_off(screens.engine)

    for key, arrived in (("to_examples", "review_these"), ("to_results", "review_next")):
        page = screens.open("run", run=run)
        page.button(key=key).click().run()
        assert arrived in buttons(page)

    page = screens.open("run", run=run)
    page.button(key="to_review").click().run()
    assert not page.exception
    assert any(
        element.proto.component_name != "recall_rows" for element in page.get("bidi_component")
    )


def test_a_clone_starts_from_the_settings_of_the_run(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    run = next(r for r in list_runs(screens.engine) if r.judge == "context_recall")

    page = screens.open("run", clone=run.id)

    assert not page.exception
    assert [box.label for box in page.checkbox if box.value] == [
        "**Context recall \\(string distance\\) v1**"
    ]
    assert next(t for t in page.text_input if t.label == "Name of the run").value == (
        "Demo, string distance, again"
    )


def test_runs_that_are_being_judged_are_listed_under_the_form(screens: Screens) -> None:
    queued_run(screens.engine, kept_dataset(screens.engine, examples(3)))

    page = screens.open("run")

    assert column(tables(page)[-1], "Run") == ["first (facts)"]


def test_a_run_that_is_gone_says_so(screens: Screens) -> None:
    page = screens.open("run", run=7)

    assert not page.exception
    assert "There is no run 7" in texts(page)


def test_a_dataset_that_goes_while_the_form_is_open_is_never_replaced_by_another(
    screens: Screens,
) -> None:
    kept_dataset(screens.engine, examples(2), name="other")
    doomed = kept_dataset(screens.engine, examples(3), name="doomed")
    page = screens.open("run")
    page.selectbox(key="new.dataset").set_value(doomed).run()
    page.checkbox(key=OTHER).set_value(True).run()

    delete_dataset(screens.engine, doomed, author="Ben", now=NOW)
    page.button(key="start").click().run()

    assert not page.exception
    assert list_runs(screens.engine) == []
    assert "has been deleted or archived, so nothing was started" in texts(page)

    page.button(key="start").click().run()

    assert [run.dataset for run in list_runs(screens.engine)] == ["other"]


def test_an_address_of_a_dataset_that_is_gone_does_not_offer_another(screens: Screens) -> None:
    kept_dataset(screens.engine, examples(2))

    page = screens.open("run", dataset=77)

    assert not page.exception
    assert "There is no dataset 77" in texts(page)


def test_a_clone_over_an_archived_dataset_judges_that_one(screens: Screens) -> None:
    archived = kept_dataset(screens.engine, examples(2), name="put away")
    run = queued_run(screens.engine, archived)
    kept_dataset(screens.engine, examples(2), name="other")
    archive_dataset(screens.engine, archived, now=NOW)

    page = screens.open("run", clone=run)

    assert not page.exception
    assert page.selectbox(key=f"clone-{archived}-first.dataset").value == archived
