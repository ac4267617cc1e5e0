"""Splitting a text into statements: sentences, list items, table rows, code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_core.blocks import BlockKind
from recall_core.statements import sentence_spans, split_statements

ROUGH_TEXT = st.lists(
    st.sampled_from(
        [
            *"ab. !?\n\r\t\"'()[]1.•-*#|`~é。।😀\u2028\u00a0\ud800",
            *("\n- ", "\n1. ", "2) ", "\n|", "```\n", "~~~", "A.", "\n---\n", "|---|"),
            *("e.g. ", "Dr. ", ": 1. ", " 2. ", "Vol. "),
        ]
    ),
    max_size=40,
).map("".join)


def test_a_danda_ends_a_hindi_sentence() -> None:
    text = "पुस्तकालय सोमवार को बंद है। मंगलवार को खुला है।"
    assert split_statements(text) == ("पुस्तकालय सोमवार को बंद है।", "मंगलवार को खुला है।")


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Aho et al. measured 3.5 mm, e.g. at 6 a.m. in Oslo.",
        "Das gilt z. B. am Montag.",
        "Am 3. Mai kam Dr. Müller mit dem Zug.",
        "See Fig. 3 and p. 12 of Vol. 2.",
        "Version 1.2.3 is at example.com now.",
        "It costs approx. 5 euros incl. tax and weighs 3 lbs. or so.",
        "As in Ch. 3 of the book, Eq. 2 holds.",
    ],
)
def test_an_abbreviation_or_a_decimal_point_ends_no_sentence(text: str) -> None:
    assert split_statements(text) == (text,)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "图书馆星期一关闭。星期二开放！真的吗？",
            ("图书馆星期一关闭。", "星期二开放！", "真的吗？"),
        ),
        ("図書館は閉館です。明日は開きます。", ("図書館は閉館です。", "明日は開きます。")),
        ("هل المكتبة مغلقة؟ نعم.", ("هل المكتبة مغلقة؟", "نعم.")),
        ("It opens at nine. It closes at six!", ("It opens at nine.", "It closes at six!")),
    ],
)
def test_each_script_has_its_own_full_stops(text: str, statements: tuple[str, ...]) -> None:
    assert split_statements(text) == statements


def test_list_items_and_table_rows_are_statements_and_a_table_head_is_none() -> None:
    text = "Bring:\n1. a helmet\n2. two ropes\n\n| size | price |\n|---|---|\n| S | 4 |"
    assert split_statements(text) == ("Bring:", "a helmet", "two ropes", "S | 4")


@pytest.mark.parametrize(
    "text",
    [
        "- a helmet\n- two ropes",
        "* a helmet\n* two ropes",
        "+ a helmet\n+ two ropes",
        "• a helmet\n• two ropes",
        "– a helmet\n– two ropes",
        "1. a helmet\n2. two ropes",
        "1) a helmet\n2) two ropes",
        "(1) a helmet\n(2) two ropes",
        "a) a helmet\nb) two ropes",
        "i) a helmet\nii) two ropes",
        "① a helmet\n② two ropes",
        "1. a helmet\n\n2. two ropes",
        "1. a helmet\r\n2. two ropes\r\n",
        "- a helmet\n  - two ropes",
        "1. a helmet\n   1.1. two ropes",
        "- [x] a helmet\n- [ ] two ropes",
        "> - a helmet\n> - two ropes",
        "-\n  a helmet\n-\n  two ropes",
        "7. a helmet\n8. two ropes",
    ],
)
def test_every_kind_of_list_marker_is_stripped(text: str) -> None:
    assert split_statements(text) == ("a helmet", "two ropes")


def test_chinese_list_numbers_are_stripped() -> None:
    assert split_statements("1、苹果\n2、梨") == ("苹果", "梨")
    assert split_statements("一、苹果\n二、梨") == ("苹果", "梨")
    assert split_statements("（1）苹果\n（2）梨") == ("苹果", "梨")


def test_a_list_inside_a_line_is_cut_at_its_numbers() -> None:
    text = "Bring: 1. a helmet 2. two ropes 3. water."
    assert split_statements(text) == ("Bring:", "a helmet", "two ropes", "water.")


def test_a_number_that_happens_to_start_a_line_is_no_list_marker() -> None:
    wrapped = "It is told in chapter\n12 of the book, and on page\n- 3 degrees were measured."
    assert split_statements("3. Mai 2020 war ein Feiertag.") == ("3. Mai 2020 war ein Feiertag.",)
    assert split_statements("Das ist der: 1. Mai im Jahr.") == ("Das ist der: 1. Mai im Jahr.",)
    assert split_statements("3.5 mm is enough.") == ("3.5 mm is enough.",)
    assert split_statements(wrapped)[0].startswith("It is told in chapter\n12 of the book")


def test_an_item_goes_on_over_indented_lines_and_ends_at_a_new_sentence() -> None:
    text = "- a helmet\n  of steel\n- two ropes\nThen leave."
    assert split_statements(text) == ("a helmet\n  of steel", "two ropes", "Then leave.")


def test_an_item_of_two_sentences_is_two_statements() -> None:
    assert split_statements("- Take a helmet. It is red.") == ("Take a helmet.", "It is red.")


@pytest.mark.parametrize(
    "text",
    [
        "| size | price |\n|---|---|\n| S | 4 |\n| M | 5 |",
        "| size | price |\n| :--- | ---: |\n| S | 4 |\n| M | 5 |",
        "size | price\n--- | ---\nS | 4\nM | 5",
        "+---+---+\n| size | price |\n+===+===+\n| S | 4 |\n+---+---+\n| M | 5 |\n+---+---+",
        "| S | 4 |\n| M | 5 |",
        "  | size | price |\n  |---|---|\n  | S | 4 |\n  | M | 5 |\n",
    ],
)
def test_every_kind_of_table_gives_its_rows(text: str) -> None:
    assert split_statements(text) == ("S | 4", "M | 5")


def test_text_after_a_table_is_prose_again() -> None:
    text = "size | price\n--- | ---\nS | 4\nThat is all. Thanks."
    assert split_statements(text) == ("S | 4", "That is all.", "Thanks.")


def test_a_pipe_in_a_sentence_is_no_table() -> None:
    text = "The norm |x| is never negative. It is zero for zero."
    assert split_statements(text) == ("The norm |x| is never negative.", "It is zero for zero.")


def test_a_code_block_is_one_statement() -> None:
    text = "Run:\n```sh\nls. && pwd.\n```\nThen stop."
    assert split_statements(text) == ("Run:", "ls. && pwd.", "Then stop.")


@pytest.mark.parametrize(
    "text",
    [
        "~~~\nls. Now.\n\npwd.\n~~~",
        "````\nls. Now.\n\npwd.\n````",
        "```\nls. Now.\n\npwd.",
        "```\r\nls. Now.\n\npwd.\r\n```",
        "- ```\nls. Now.\n\npwd.\n  ```",
    ],
)
def test_every_kind_of_fence_keeps_the_code_whole(text: str) -> None:
    assert split_statements(text) == ("ls. Now.\n\npwd.",)


def test_another_fence_inside_code_does_not_end_it() -> None:
    assert split_statements("~~~\na.\n```\nb.\n~~~") == ("a.\n```\nb.",)
    assert split_statements("````\na.\n```\nb.\n````\nc.") == ("a.\n```\nb.", "c.")


def test_code_inside_a_line_is_part_of_its_sentence() -> None:
    assert split_statements("```ls``` lists files. Yes.") == ("```ls``` lists files.", "Yes.")


def test_rules_and_lone_punctuation_are_no_statements() -> None:
    assert split_statements("Yes.\n\n---\n\n…\n***\n\n- \n\nNo.") == ("Yes.", "No.")


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "...", "---", "|---|---|", "```\n```"])
def test_a_text_that_says_nothing_has_no_statement(text: str) -> None:
    assert split_statements(text) == ()


def test_a_heading_stands_alone_without_its_marker() -> None:
    text = "## Opening hours\nThe library opens at nine."
    assert split_statements(text) == ("Opening hours", "The library opens at nine.")


def test_a_no_break_space_before_an_initial_does_not_stop_the_splitter() -> None:
    text = "It was A.\u00a0B. Smith. He left.\u2028Then I did."
    assert "".join(split_statements(text)).startswith("It was A.\u00a0B. Smith.")


def test_a_table_head_is_a_span_of_its_own_kind() -> None:
    kinds = [span.kind for span in sentence_spans("a | b\n--- | ---\nc | d")]
    assert kinds == [BlockKind.HEADER, BlockKind.ROW]


@pytest.mark.parametrize(
    "line", ["2. a\n\n", "- a\n", "a|b\n", "```\n", "1. a ", "\n12. x", "| - "]
)
def test_ten_thousand_odd_lines_are_split_in_a_moment(line: str) -> None:
    assert isinstance(split_statements(line * 10_000), tuple)


@given(ROUGH_TEXT)
@settings(deadline=None)
def test_statements_are_slices_of_the_text_in_order(text: str) -> None:
    end = 0
    for span in sentence_spans(text):
        assert end <= span.start < span.end <= len(text)
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        end = span.end


@given(st.lists(st.sampled_from(["Rain fell", "Dogs sleep", "it is so", "we go"]), min_size=1))
@settings(deadline=None)
def test_prose_loses_nothing_but_blanks(clauses: list[str]) -> None:
    text = ".  ".join(clauses) + "."
    assert "".join("".join(split_statements(text)).split()) == "".join(text.split())
