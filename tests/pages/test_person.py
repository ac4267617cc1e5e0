"""One's own page and the comments of others: what waits for one person."""

from __future__ import annotations

from fractions import Fraction

from streamlit.testing.v1 import AppTest

from db.assignments import assign
from db.comments import comment, unread
from db.engine import transaction
from db.second_looks import end_second_look, score_again, wants_second_looks
from db.sights import person
from db.tables import ReviewRow, SecondLookRow
from pages.components.session import NAME_KEY
from recall_core.types import Action
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, desk, told
from tests.pages.screens import Screens, column, tables, texts


def two(screens: Screens) -> Desk:
    return desk(screens.engine, told("a", [4]), told("b", [3]))


def opened(screens: Screens, file: str = "person", name: str = "Mara") -> AppTest:
    page = screens.open(file)
    page.session_state[NAME_KEY] = name
    page.run()
    assert not page.exception
    return page


def say(run: Desk, example: str, by: str = "Ben") -> None:
    write = run.write(by)
    comment(
        run.engine,
        run.judgements[example],
        "Is this still sold?",
        author=by,
        now=NOW,
        client_id=write["client_id"],
        client_seq=write["client_seq"],
    )


def test_who_has_said_no_name_is_asked_for_one(screens: Screens) -> None:
    assert "Who is reviewing?" in texts(screens.open("person"))


def test_ones_part_in_every_run_is_listed(screens: Screens) -> None:
    run = two(screens)
    assign(screens.engine, list(run.judgements.values()), ["Mara"], by="Ana", now=NOW)
    run.set("a", E1, 2)
    run.set("b", E1, 2, by="Ben")

    (listed,) = tables(opened(screens))

    assert column(listed, "Run") == ["first (told)"]
    assert column(listed, "Assigned, done") == ["2 of 2"]
    assert column(listed, "Decisions") == ["1"]


def test_who_has_no_part_anywhere_is_told_so(screens: Screens) -> None:
    two(screens)

    assert "have not begun" in texts(opened(screens))


def test_a_person_chooses_to_review_blind(screens: Screens) -> None:
    page = opened(screens)

    page.toggle(key="person.blind").set_value(True).run()
    assert person(screens.engine, "Mara").blind
    assert opened(screens).toggle(key="person.blind").value

    page.toggle(key="person.blind").set_value(False).run()
    assert not person(screens.engine, "Mara").blind


def test_a_person_lets_examples_come_back_and_reads_how_steady_they_are(
    screens: Screens,
) -> None:
    run = two(screens)
    page = opened(screens)
    assert "not scored an example a second time yet" in texts(page)

    page.toggle(key="person.twice").set_value(True).run()
    assert wants_second_looks(screens.engine, "Mara")

    _score_twice(run, "a", first=2, second=3)
    said = texts(opened(screens))
    assert "0 of 1 unit the same value again, and 1 one that is at most a point away" in said

    opened(screens).toggle(key="person.twice").set_value(False).run()
    assert not wants_second_looks(screens.engine, "Mara")


def _score_twice(run: Desk, example: str, *, first: int, second: int) -> None:
    run.set(example, E1, first)
    judgement_id = run.judgements[example]
    with transaction(run.engine) as session:
        review = session.query(ReviewRow).filter_by(judgement_id=judgement_id).one()
        session.add(SecondLookRow(review_id=review.id, opened_at=NOW, until=99))
    write = {"reviewer": "Mara", "now": NOW}
    score_again(run.engine, judgement_id, E1, Action.SET, score=Fraction(second), **write)
    end_second_look(run.engine, judgement_id, **write)


def test_comments_by_others_are_counted_in_the_header_and_open_their_example(
    screens: Screens,
) -> None:
    run = two(screens)
    assign(screens.engine, [run.judgements["a"]], ["Mara"], by="Ana", now=NOW)
    say(run, "a")
    page = opened(screens, "overview")
    assert "1 new comment" in [p.proto.popover.label for p in page.get("popover")]

    page.session_state["rd-notices-popover"] = True
    page.run()
    assert "● **Ben on a**" in texts(page)
    assert "still sold" not in texts(page), "the words may have to wait"
    next(b for b in page.button if b.label == "Open").click().run()

    assert page.query_params["judgement"] == str(run.judgements["a"])
    assert unread(screens.engine, "Mara") == 0


def test_all_comments_are_marked_as_read_at_once(screens: Screens) -> None:
    run = two(screens)
    assign(screens.engine, list(run.judgements.values()), ["Mara"], by="Ana", now=NOW)
    say(run, "a")
    say(run, "b")
    page = opened(screens, "overview")
    page.session_state["rd-notices-popover"] = True
    page.run()

    page.button(key="notices_read").click().run()

    assert not page.exception
    assert unread(screens.engine, "Mara") == 0


def test_the_header_leads_to_ones_own_page(screens: Screens) -> None:
    page = opened(screens, "overview")
    page.session_state["rd-name-popover"] = True
    page.run()

    page.button(key="rd-your-page").click().run()

    assert not page.exception
    assert "You have a part in 0 runs" in texts(page)
