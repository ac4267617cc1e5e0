"""Two runs side by side: the sentence first, worst regressions first, and one audit for both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from db.audits import audit_draws
from db.engine import Engine
from db.shared_audits import Together
from db.sights import set_blind
from pages.components.comparison_view import passage_words
from pages.components.session import NAME_KEY
from pages.components.shared_audit import drawn_words
from recall_core.comparison import passage_changes
from recall_core.types import Example, RetrievedPassage
from tests.db.making import examples, kept_dataset, queued_run
from tests.db.reviewing import E1, told
from tests.db.test_comparing import NAMES, draw, run_of
from tests.db.test_estimating import audit_of
from tests.pages.screens import Screens, column, tables, texts


def opened(screens: Screens, **address: object) -> AppTest:
    page = screens.open("compare", **address)
    assert not page.exception
    return page


def said(page: AppTest) -> str:
    return texts(page).replace("\\", "")


def listed(page: AppTest) -> dict:
    return next(t for t in tables(page) if t["columns"][0]["title"] == "Question")


def three(engine: Engine) -> list[int]:
    """B gains one everywhere but on e05, where it loses two; C is as A."""
    scores = dict.fromkeys(NAMES, 3)
    return [
        run_of(engine, run).run_id
        for run in (scores, {**dict.fromkeys(NAMES, 4), "e05": 1}, scores)
    ]


def test_without_an_audit_nothing_is_decided_whatever_the_judge_says(screens: Screens) -> None:
    a, b, _ = three(screens.engine)

    page = opened(screens, a=a, b=b)

    assert "<dd>Cannot tell yet<small>No shared audit reviews: an interval needs 5</small>" in (
        said(page)
    )
    assert 'class="head judge"' in said(page)
    assert "<dt>Judge alone says</dt><dd>+0.75</dd>" in said(page)
    assert "The judge alone cannot decide it" in said(page)


def test_a_decided_comparison_is_the_headline(screens: Screens) -> None:
    a, b = (run_of(screens.engine, dict.fromkeys(NAMES, score)) for score in (3, 4))
    for run, score in ((a, 2), (b, 4)):
        draw(run, *NAMES[:8])
        for name in NAMES[:8]:
            run.set(name, E1, score)

    page = opened(screens, a=a.run_id, b=b.run_id)

    assert "<dd>B is better by 2.00<small>" in said(page)
    assert 'class="head judge"' not in said(page)
    assert "<dt>Audited in both</dt><dd>8 of 12</dd>" in said(page)


def test_what_got_worse_comes_first_and_the_rest_by_its_button(screens: Screens) -> None:
    a, b, c = three(screens.engine)

    worse = opened(screens, a=a, b=b)
    assert column(listed(worse), "Question") == ["What of e05? (e05)"]
    assert column(listed(worse), "Change") == ["−2.00"]
    assert "▼ 1 worse · 0 same · ▲ 11 better" in said(worse)

    better = listed(opened(screens, a=a, b=b, order="better"))
    assert len(better["rows"]) == 8, "the first of two pages"
    assert "No example got worse." in said(opened(screens, a=a, b=c))


def test_the_picked_example_shows_what_came_back_in_both(screens: Screens) -> None:
    one = told("e", [4])
    other = replace(one, retrieved=(RetrievedPassage(1, "something else"), *moved(one)))
    a, b = (audit_of(screens.engine, example).run.run_id for example in (one, other))

    text = said(opened(screens, a=a, b=b, order="passages"))

    assert "essential 1 of e</div>" in text, "what should have come back"
    assert "+ came in" in text
    assert "▼ from 1" in text


def moved(example: Example) -> Sequence[RetrievedPassage]:
    return [replace(p, rank=p.rank + 1) for p in example.retrieved or ()]


def test_several_runs_are_held_to_holm_at_once_and_stand_in_one_map(screens: Screens) -> None:
    a, b, c = three(screens.engine)

    page = opened(screens, a=a, b=b, **{"with": c})

    runs = next(t for t in tables(page) if t["columns"][0]["title"] == "Run")
    assert [name[0] for name in column(runs, "Run")] == ["B", "C"]
    (heat,) = (
        json.loads(element.proto.json)
        for element in page.get("bidi_component")
        if element.proto.component_name == "recall_grid"
    )
    assert heat["rows"][0]["title"] == "What of e05?"
    assert [cell["text"] for cell in heat["rows"][0]["cells"]] == ["3.00", "1.00", "3.00"]


def test_one_draw_serves_both_runs(screens: Screens) -> None:
    a, b, _ = three(screens.engine)
    page = opened(screens, a=a, b=b)
    assert page.button(key="draw_together").disabled, "nobody has said who draws"
    page.session_state[NAME_KEY] = "Mara"
    page.run()

    page.number_input(key="compare.count").set_value(4).run()
    page.button(key="draw_together").click().run()

    assert not page.exception
    assert "4 drawn in both runs" in said(page)
    assert [len(audit_draws(screens.engine, run)) for run in (a, b)] == [4, 4]
    page.button(key="review_B").click().run()
    assert (page.query_params["run"], page.query_params["queue"]) == (str(b), "audit")


def test_draws_that_only_one_run_could_make_are_told(screens: Screens) -> None:
    assert drawn_words(Together(3, 1, 0)) == (
        "3 drawn in both runs, 1 only in A (drawn, reviewed or missing in the other)."
    )
    assert drawn_words(Together(0, 2, 0)).startswith("No example is left")


def test_runs_on_different_scales_are_not_compared(screens: Screens) -> None:
    a = run_of(screens.engine, dict.fromkeys(NAMES, 3)).run_id
    share = queued_run(screens.engine, kept_dataset(screens.engine, examples(3)))

    page = opened(screens, a=a, b=share)

    assert "have finals on different scales" in said(page)


def test_who_still_scores_blind_is_not_shown_the_rows(screens: Screens) -> None:
    a, b, _ = three(screens.engine)
    set_blind(screens.engine, "Mara", True)
    page = opened(screens, a=a, b=b)
    page.session_state[NAME_KEY] = "Mara"
    page.run()

    assert not page.exception
    assert "12 not listed while you score them blind" in said(page)
    assert "Judge alone says" not in said(page)
    page.toggle(key=f"compare.anyway.{a}.{b}").set_value(True).run()
    assert "Judge alone says" in said(page)
    assert "What of e05?" not in said(page)


def test_without_two_runs_in_the_address_they_are_chosen(screens: Screens) -> None:
    a, b, _ = three(screens.engine)
    page = opened(screens, a=a)

    page.selectbox(key=f"compare.b.{a}").set_value(b).run()
    page.button(key="compare").click().run()

    assert (page.query_params["a"], page.query_params["b"]) == (str(a), str(b))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (["x", "y"], ["y", "z"], ("− x (was 1)", "+ z at 2")),
        (["x", "y"], ["y", "x"], ("same passages", "order 1 → 2, 2 → 1")),
        (["x"], ["x"], ("same passages", "")),
        ([], ["x", "y"], ("+ x at 1 and 1 more", "")),
    ],
)
def test_what_came_back_differently_is_said_in_two_lines(
    before: list[str], after: list[str], words: tuple[str, str]
) -> None:
    a, b = (
        [RetrievedPassage(rank, text, id=text) for rank, text in enumerate(texts, 1)]
        for texts in (before, after)
    )

    assert passage_words(passage_changes(a, b)) == words


def test_recall_by_rank_is_worked_out_when_it_is_asked_for(screens: Screens) -> None:
    a, b, _ = three(screens.engine)
    page = opened(screens, a=a, b=b)
    assert "Found by" not in said(page)

    page.toggle(key="compare.ranks").set_value(True).run()

    table = tables(page)[-1]
    assert column(table, "Found by") == ["String distance"] * 2 + ["Lexical screen"] * 2
    assert set(column(table, "First 10")) == {"–"}, "one passage came back for each"
    assert "Over 12 examples" in said(page)


def test_nothing_stands_above_the_title(screens: Screens) -> None:
    """Streamlit draws every bare string of a page's file, docstrings of constants among them."""
    a, b, _ = three(screens.engine)

    page = opened(screens, a=a, b=b)

    assert all("address" not in m.value and "passages read" not in m.value for m in page.markdown)
    assert next(m.value for m in page.markdown).startswith("0 of 12 shared examples")
