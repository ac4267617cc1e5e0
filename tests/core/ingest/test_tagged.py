"""Ground truth as text with markers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.ingest.tagged import has_marker, marker_kind, read_tagged, write_tagged
from recall_core.ingest.trouble import CellError
from recall_core.types import GroundTruthPassage, PassageKind

E, B = PassageKind.ESSENTIAL, PassageKind.BONUS


@pytest.mark.parametrize(
    "line",
    [
        "[ESSENTIAL PASSAGE]",
        "[essential passage]",
        "[Essential Passage]",
        "[ESSENTIAL  PASSAGE]",
        "[ESSENTIAL\u00a0PASSAGE]",
        "**[ESSENTIAL PASSAGE]**",
        "[**ESSENTIAL PASSAGE**]",
        "[ESSENTIAL PASSAGE 1]",
        "[ESSENTIAL PASSAGE #12]",
        "[ESSENTIAL PASSAGE] 2:",
        "  [ESSENTIAL PASSAGE]  ",
        "\ufeff[ESSENTIAL PASSAGE]",
        "### [ESSENTIAL PASSAGE]",
        "- [ESSENTIAL_PASSAGE]:",
        "［ESSENTIAL PASSAGE］",
        "__[ESSENTIAL\u2003PASSAGE]__",
    ],
)
def test_a_marker_is_recognised_however_it_was_typed(line: str) -> None:
    assert marker_kind(line) is E
    assert marker_kind(line.replace("ESSENTIAL", "BONUS").replace("essential", "bonus")) in (E, B)


@pytest.mark.parametrize(
    "line",
    [
        "See the [ESSENTIAL PASSAGE] above.",
        "[ESSENTIAL PASSAGE] The key expires.",
        "ESSENTIAL PASSAGE",
        "[ESSENTIAL PASSAGES ARE GOOD]",
        "[PASSAGE]",
        "[ESSENTIAL]",
        "",
    ],
)
def test_anything_else_on_the_line_makes_it_text(line: str) -> None:
    assert marker_kind(line) is None


def test_passages_keep_their_order_their_kind_and_their_text() -> None:
    text = "[ESSENTIAL PASSAGE]\nOne line,\n\nand another.\n\n**[Bonus Passage 1]**\r\n  extra \r\n"

    assert read_tagged(text) == (
        GroundTruthPassage(E, "One line,\n\nand another."),
        GroundTruthPassage(B, "extra"),
    )


def test_a_marker_inside_a_sentence_stays_in_the_text() -> None:
    text = "[ESSENTIAL PASSAGE]\nWrite [BONUS PASSAGE] on a line of its own."

    assert read_tagged(text)[0].text == "Write [BONUS PASSAGE] on a line of its own."


def test_an_empty_passage_is_an_error_that_names_it() -> None:
    with pytest.raises(CellError, match="ESSENTIAL 1 is empty"):
        read_tagged("[ESSENTIAL PASSAGE]\n\n[BONUS PASSAGE]\ntext")
    with pytest.raises(CellError, match="BONUS 2 is empty"):
        read_tagged("[ESSENTIAL PASSAGE]\na\n[BONUS PASSAGE]\nb\n[BONUS PASSAGE]\n \u00a0\n")


def test_text_without_a_marker_is_an_error_unless_the_person_chose_otherwise() -> None:
    with pytest.raises(CellError, match=r"No \[ESSENTIAL PASSAGE\] marker"):
        read_tagged("Guests can comment.")

    assert read_tagged("Guests can comment.\n", whole_is_essential=True) == (
        GroundTruthPassage(E, "Guests can comment."),
    )


def test_text_before_the_first_marker_is_not_lost_silently() -> None:
    with pytest.raises(CellError, match="before the first marker"):
        read_tagged("Title\n[ESSENTIAL PASSAGE]\ntext")


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=80).filter(
    lambda text: text == text.strip() != "" and not has_marker(text)
)


@given(st.lists(st.builds(GroundTruthPassage, st.sampled_from([E, B]), TEXTS), min_size=1))
def test_what_is_written_is_read_back(passages: list[GroundTruthPassage]) -> None:
    assert read_tagged(write_tagged(tuple(passages))) == tuple(passages)
