"""List cells in every form in which tools write them; text cells; what counts as missing."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.ingest.cells import Items, parse_list_text, read_items, read_text
from recall_core.ingest.trouble import CellError

PASSAGES = st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=6)


@given(PASSAGES)
def test_a_list_written_as_json_is_read_item_by_item(passages: list[str]) -> None:
    for text in (json.dumps(passages), json.dumps(passages, ensure_ascii=False, indent=1)):
        assert read_items(text, typed=False).value == tuple(passages)


@given(PASSAGES)
def test_a_list_written_as_python_is_read_item_by_item(passages: list[str]) -> None:
    assert read_items(repr(passages), typed=False).value == tuple(passages)
    assert read_items(repr(tuple(passages)), typed=False).value == tuple(passages)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), min_size=2, max_size=6))
def test_numpys_text_of_several_texts_is_refused_and_never_joined(passages: list[str]) -> None:
    text = np.array2string(np.array(passages, dtype=object), threshold=10**6)

    with pytest.raises(CellError, match=r"numpy.*df\[column\]\.map\(list\)"):
        read_items(text, typed=False)


@given(PASSAGES)
def test_arrays_are_lists(passages: list[str]) -> None:
    assert read_items(np.array(passages, dtype=object), typed=True).value == tuple(passages)


def test_the_example_of_a_comma_inside_a_text_gives_two_contexts() -> None:
    assert read_items('["a, b", "c"]', typed=False).value == ("a, b", "c")


@pytest.mark.parametrize(
    "text",
    [
        "['first passage' 'second passage']",
        "['first passage'\n 'second passage']",
        """["it's" 'so']""",
        "[{'text': 'a'} {'text': 'b'}]",
        "[['a' 'b']\n ['c' 'd']]",
    ],
)
def test_lists_without_commas_are_refused_with_the_way_to_export(text: str) -> None:
    with pytest.raises(CellError, match="without commas"):
        read_items(text, typed=False)


def test_numpys_repr_with_commas_is_read() -> None:
    text = repr(np.array(["first", "second"], dtype=object))

    assert read_items(text, typed=False).value == ("first", "second")


@pytest.mark.parametrize(
    "text", ['["a", "b', "['a', nan]", '["a" ', "[NaN]", "['a', b]", r"['C:\dir']"]
)
def test_what_is_meant_as_a_list_and_cannot_be_read_is_no_passage(text: str) -> None:
    with pytest.raises(CellError):
        read_items(text, typed=False)


@pytest.mark.parametrize(
    "text", ["The mill burned, in 1904.", "[1] See the annex.", "(12in pipes)", "{curly}", "end\n"]
)
def test_one_plain_text_is_one_passage(text: str) -> None:
    for typed in (True, False):
        assert read_items(text, typed=typed) == Items((text,))


@pytest.mark.parametrize("text", ["a;b", "a|b", "a\nb", "a\r\n\r\nb"])
def test_one_passage_that_could_have_been_split_comes_with_a_notice(text: str) -> None:
    for typed in (True, False):
        assert read_items(text, typed=typed) == Items((text,), "one passage, not split")


def test_a_text_is_split_only_where_the_person_chose_to() -> None:
    assert read_items("a; b;;c", typed=False, split_at=";").value == ("a", "b", "c")
    assert read_items("a b\r\nc\n", typed=False, split_at="\n").value == ("a b", "c")
    assert read_items("a\nb\n \n\nc", typed=False, split_at="\n\n").value == ("a\nb", "c")


def test_a_list_stays_a_list_whatever_the_delimiter() -> None:
    assert read_items('["a;b", "c"]', typed=False, split_at=";").value == ("a;b", "c")


@pytest.mark.parametrize("cell", [None, "", "  ", "NaN", "nan", "NULL", "null", "None", "<NA>"])
def test_a_blank_list_cell_is_missing_and_never_the_text_nan(cell: object) -> None:
    assert read_items(cell, typed=False).value is None
    assert read_items(cell, typed=True).value is None


@pytest.mark.parametrize("cell", [float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT])
def test_every_not_a_number_is_missing(cell: object) -> None:
    assert read_items(cell, typed=True).value is None
    assert read_text(cell, typed=True).value is None


@pytest.mark.parametrize("cell", ["[]", "[ ]", "()", [], (), np.array([])])
def test_an_empty_list_is_there_and_empty(cell: object) -> None:
    assert read_items(cell, typed=False).value == ()


def test_a_list_written_as_text_in_a_typed_file_is_read_with_a_notice() -> None:
    items = read_items("['a','b']", typed=True)

    assert items.value == ("a", "b")
    assert "written as text" in items.notice


def test_one_object_is_a_list_of_one() -> None:
    assert read_items({"content": "a"}, typed=True).value == ({"content": "a"},)
    assert read_items('{"content": "a"}', typed=False).value == ({"content": "a"},)


def test_a_text_that_nests_too_deeply_is_refused_and_stops_nothing() -> None:
    with pytest.raises(CellError, match="cannot be read"):
        parse_list_text("[[" * 100_000)


def test_words_for_nothing_are_missing_where_cells_have_no_type() -> None:
    assert read_text("NaN", typed=False).value is None
    assert read_text("NULL", typed=False).notice == "NULL counts as missing"
    assert read_text("NaN", typed=True).value == "NaN"


def test_none_is_a_good_answer_in_a_text_cell() -> None:
    assert read_text("None", typed=False).value == "None"


@pytest.mark.parametrize(
    ("cell", "text"), [(42, "42"), (3.0, "3"), (0.5, "0.5"), (True, "true"), (np.int64(7), "7")]
)
def test_numbers_become_text(cell: object, text: str) -> None:
    assert read_text(cell, typed=True).value == text


@pytest.mark.parametrize("cell", [["a"], {"a": 1}, b"a"])
def test_a_list_is_no_text(cell: object) -> None:
    with pytest.raises(CellError):
        read_text(cell, typed=True)


def test_a_blank_text_is_missing_and_said() -> None:
    text = read_text("   ", typed=True)

    assert text.value is None
    assert "blank" in text.notice


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip))
def test_a_typed_text_stays_as_it_is(text: str) -> None:
    assert read_text(text, typed=True).value == text
