"""A run's recall is one object: every screen says the same of it, in the same words."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from db.engine import Engine, transaction
from db.estimating import headline
from db.runs import RunOptions
from db.tables import RunRow
from pages.components.review_desk.standing import read_standing
from pages.components.session import NAME_KEY
from recall_core.agreement import Name
from recall_core.estimation import Target
from tests.db.test_estimating import Audit, audit_of, plain
from tests.pages.screens import Screens, column, tables, texts


def opened(screens: Screens, audit: Audit) -> AppTest:
    page = screens.open("results", run=audit.run.run_id)
    assert not page.exception
    return page


def test_an_estimate_is_the_same_on_the_overview_and_on_results(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(20))
    for score in (3, 3, 4, 3, 2, 3):
        audit.draw(score)

    (runs,) = tables(screens.open())
    said = texts(opened(screens, audit))

    (cell,) = column(runs, "Recall")
    number, rest = cell.split(" (")
    interval, audited = rest.rstrip(")").split(" · ")
    assert audited == "6 audited"
    assert f"<dd>{number}<small>{interval}</small></dd>" in said
    assert "<dt>Made from</dt><dd>6 audited</dd>" in said
    assert "<dt>Judge alone</dt><dd>4.00, 20 of 20</dd>" in said
    assert 'class="head judge"' not in said
    (place,) = (c for c in runs["rows"][0]["cells"] if c["type"] == "interval")
    assert place["low"] is not None


def test_without_an_audit_the_number_is_grey_and_leads_to_the_audit(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(20))

    page = opened(screens, audit)

    assert "No audit reviews: an interval needs 5." in texts(page).replace("\\", "")
    assert 'class="head judge"' in texts(page)
    page.session_state[NAME_KEY] = "Mara"
    page.button(key="to_audit").click().run()
    assert page.query_params["queue"] == "audit"


def test_too_few_audit_reviews_say_how_many_are_missing(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(20))
    for _ in range(2):
        audit.draw(3)

    page = opened(screens, audit)

    assert "an interval needs 3 more" in texts(page)
    assert page.button(key="to_audit").label == "Go on with the audit"
    (runs,) = tables(screens.open())
    assert column(runs, "Recall")[0].endswith("(2 audited, 3 more needed)")


def test_a_drawn_example_that_waits_makes_it_provisional(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(20))
    audit.draw(None)
    for _ in range(6):
        audit.draw(3)

    page = opened(screens, audit)

    assert "<dt>Recall of these 20 examples, provisional</dt>" in texts(page)
    assert page.button(key="to_audit").label == "Finish the audit, 1 waiting"


def test_a_decision_made_a_moment_ago_is_in_the_number(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(20))
    for _ in range(5):
        audit.draw(3)
    before = texts(opened(screens, audit))

    audit.draw(1)

    assert "5 audited" in before
    assert "6 audited" in texts(opened(screens, audit))


def test_every_measure_of_agreement_is_explained_under_its_name(screens: Screens) -> None:
    for name in Name:
        page = screens.open("trust", about=name.value)
        assert not page.exception
        assert "All of it follows." in texts(page), name


def test_the_desk_says_the_recall_once_an_audit_has_an_interval(engine: Engine) -> None:
    audit = audit_of(engine, *plain(20))
    for score in (3, 3, 4, 3):
        audit.draw(score)
    before = read_standing(engine, audit.run.run_id, "Mara")["recall"]

    audit.draw(2)
    audit.draw(3)

    found = headline(engine, audit.run.run_id)
    said = read_standing(engine, audit.run.run_id, "Mara")["recall"]
    assert before == ""
    assert said.startswith(f"{found.number} ({found.interval})")


def test_who_scores_blind_is_not_told_the_recall_on_the_desk(engine: Engine) -> None:
    audit = audit_of(engine, *plain(20), options=RunOptions(audit_seed=3, blind=True))
    for _ in range(6):
        audit.draw(3)

    assert read_standing(engine, audit.run.run_id, "Jonas")["recall"] == ""


def test_the_way_from_the_judges_number_ends_at_the_recall(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(20))
    for score in (3, 3, 4, 3, 2, 3):
        audit.draw(score)

    page = opened(screens, audit)

    assert "From judge to recall" in texts(page)
    chart = json.loads(page.get("plotly_chart")[2].proto.spec)
    assert chart["layout"]["yaxis"]["categoryarray"][:2] == [
        "recall", "estimate for unreviewed, 14"
    ]  # fmt: skip


def test_a_run_that_ends_without_another_judgement_is_no_longer_at_work(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(6))
    for state in ("running", "done"):
        with transaction(screens.engine) as session:
            session.get_one(RunRow, audit.run.run_id).state = state
        page = opened(screens, audit)
        assert ("The judge is still at work" in texts(page)) == (state == "running")


def test_the_number_can_speak_of_examples_like_these_with_a_wider_interval(
    screens: Screens,
) -> None:
    audit = audit_of(screens.engine, *plain(20))
    for score in (3, 2, 4, 3, 2, 3, 4, 2, 3, 3, 4, 2):
        audit.draw(score)
    these, like = (
        headline(screens.engine, audit.run.run_id, target=target).estimate for target in Target
    )

    page = screens.open("results", run=audit.run.run_id, target="like")

    assert these is not None
    assert like is not None
    assert like.half_width > these.half_width
    assert "<dt>Recall of examples like these 20</dt>" in texts(page)
    assert f"<small>{like.low:.2f} to {like.high:.2f}</small>" in texts(page)


def test_it_says_to_fix_the_number_of_reviews_beforehand(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(40))
    for score in (3, 2, 4, 3, 2, 3, 4, 2, 3, 3, 4, 2):
        audit.draw(score)

    assert "Decide beforehand how many you will review" in texts(opened(screens, audit))


def test_an_audit_that_is_done_says_what_it_came_to(screens: Screens) -> None:
    audit = audit_of(screens.engine, *plain(6))
    for score in (3, 2, 4, 3, 2, 3):
        audit.draw(score)
    page = screens.open("results", run=audit.run.run_id)
    page.session_state[NAME_KEY] = "Mara"

    said = texts(screens.open("review", run=audit.run.run_id, queue="audit"))

    assert "The recall is 2.83." in said
