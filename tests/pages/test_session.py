"""A name is asked once, kept on one line, and needed only where decisions are made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.components.session import NAME_KEY, NAME_LENGTH, now, tidy_name


def a_page_that_needs_a_name() -> None:
    import streamlit as st

    from pages.components.session import author, require_reviewer

    st.write(f"author {author()}")
    st.write(f"reviewer {require_reviewer()}")


def written(app: AppTest) -> list[str]:
    return [element.value for element in app.markdown]


def test_a_page_with_decisions_asks_for_a_name_and_goes_on_with_it() -> None:
    app = AppTest.from_function(a_page_that_needs_a_name).run()
    assert written(app) == ["author unnamed"]
    assert app.title[0].value == "Who is reviewing?"

    app.text_input[0].input("  Mara \n Okafor ")
    app.button[0].click().run()

    assert not app.exception
    assert written(app) == ["author Mara Okafor", "reviewer Mara Okafor"]


def test_a_blank_name_is_refused_with_a_sentence() -> None:
    app = AppTest.from_function(a_page_that_needs_a_name).run()

    app.text_input[0].input("   ")
    app.button[0].click().run()

    assert "Please type a name" in app.error[0].value
    assert NAME_KEY not in app.session_state


def test_who_gave_a_name_is_not_asked_again() -> None:
    app = AppTest.from_function(a_page_that_needs_a_name)
    app.session_state[NAME_KEY] = "Jonas Weil"

    app.run()

    assert written(app) == ["author Jonas Weil", "reviewer Jonas Weil"]
    assert len(app.title) == 0


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Mara", "Mara"),
        ("  Mara\tOkafor\n", "Mara Okafor"),
        ("Zoë Ø", "Zoë Ø"),
        ("مارا", "مارا"),
        ("a\x00b", "a b"),
        ("\u202e\u200b ", ""),
        ("x" * 200, "x" * NAME_LENGTH),
    ],
)
def test_a_name_is_one_line_of_things_that_can_be_seen(typed: str, name: str) -> None:
    assert tidy_name(typed) == name


@given(st.text())
def test_tidying_a_name_twice_changes_nothing(text: str) -> None:
    once = tidy_name(text)

    assert tidy_name(once) == once
    assert once.isprintable()


def test_the_clock_of_the_pages_is_aware_and_in_utc() -> None:
    offset = now().utcoffset()

    assert offset is not None
    assert not offset
