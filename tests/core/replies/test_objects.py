"""Finding JSON in what a model wrote, and repairing no more than its punctuation."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.replies.objects import MOST_OPENINGS, Twice, objects_in
from recall_core.replies.thinking import without_thinking

OBJECT = {"verdicts": [{"verdict": "yes", "reason": "a {b} [c, ] 'd'"}]}
JSON = json.dumps(OBJECT)


@pytest.mark.parametrize(
    "envelope",
    [
        "{}",
        "```json\n{}\n```",
        "```JSON\n{}\n```",
        "```\n{}\n```",
        "~~~json\n{}\n~~~",
        "```json\n{}",
        "{}\n```",
        "Here is my answer:\n\n{}\n\nI hope this helps!",
        "It says {{x}} and [1]. So: {}",
        "\ufeff{}",
        "   \n{}   ",
        "answer = {};",
    ],
)
def test_an_object_is_found_whatever_stands_around_it(envelope: str) -> None:
    objects = objects_in(envelope.replace("{}", JSON).replace("{{x}}", "{x}"))

    assert OBJECT in [found.value for found in objects.found]
    assert not objects.cut_off
    assert not any(found.repaired for found in objects.found)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{'a': 'it\\'s in doc 2'}", {"a": "it's in doc 2"}),
        ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}),
        ('{"a": "list [a, ] kept",}', {"a": "list [a, ] kept"}),
        ('{"a": "x" "b": 2}', {"a": "x", "b": 2}),
        ("{score: 4}", {"score": 4}),
        ('{"a": "caf\\u00e9",}', {"a": "café"}),
        ('{"a": "two\\nlines",}', {"a": "two\nlines"}),
    ],
)
def test_wrong_punctuation_is_repaired_and_said(text: str, value: object) -> None:
    (found,) = objects_in(text).found

    assert found.value == value
    assert found.repaired


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4, "score": 2,}',  # the library would drop one of the two
        '{"score": 4, // or rather 3\n}',
    ],
)
def test_a_repair_that_would_lose_or_change_a_word_is_none(text: str) -> None:
    objects = objects_in(text)

    assert objects.found == ()
    assert objects.cut_off


def test_a_line_end_within_a_string_needs_no_repair() -> None:
    (found,) = objects_in('{"a": "one\ntwo"}').found

    assert found.value == {"a": "one\ntwo"}
    assert not found.repaired


@pytest.mark.parametrize("end", range(1, len(JSON)))
def test_an_object_that_does_not_end_is_never_completed(end: int) -> None:
    objects = objects_in(JSON[:end])

    assert objects.found == ()
    if end > 1:
        assert objects.cut_off


def test_what_stands_inside_a_cut_off_object_is_no_object_of_its_own() -> None:
    objects = objects_in('{"passages": [{"passage": "E1", "score": 4}, {"passage": "E2", "sc')

    assert objects.found == ()
    assert objects.cut_off


def test_keys_that_stand_twice_keep_both_values() -> None:
    (found,) = objects_in('{"score": 4, "why": "x", "score": 2}').found

    assert found.value == {"score": Twice((4, 2)), "why": "x"}


def test_a_key_that_stands_twice_with_one_value_is_no_trouble() -> None:
    (found,) = objects_in('{"score": 4, "score": 4}').found

    assert found.value == {"score": 4}


def test_numbers_stay_as_they_were_written() -> None:
    (found,) = objects_in('{"a": 3.10, "b": 1e999, "c": 123456789012345678901234567890}').found

    assert found.value == {
        "a": Decimal("3.10"),
        "b": Decimal("1e999"),
        "c": Decimal("123456789012345678901234567890"),
    }


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_kept_as_a_word(word: str) -> None:
    (found,) = objects_in(f'{{"score": {word}}}').found

    assert found.value == {"score": word}


@pytest.mark.parametrize("text", ["{" * 5000, "[" * 5000, '{"a":' * 5000, "{ [ " * 2000])
def test_nonsense_of_brackets_ends_soon_and_gives_nothing(text: str) -> None:
    assert objects_in(text).found == ()


def test_a_reply_of_very_many_objects_is_called_broken() -> None:
    assert objects_in('{"a": 1} ' * (MOST_OPENINGS + 1)).cut_off


def test_only_what_fills_the_text_is_alone() -> None:
    def alone(text: str) -> list[bool]:
        return [found.alone for found in objects_in(text).found]

    assert alone('["yes", "no"]') == [True]
    assert alone('```json\n["yes", "no"]\n```') == [True]
    assert alone('As "[2]" says: ["yes", "no"]') == [False, False]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('<think>{"score": 1}</think>{"score": 3}', '{"score": 3}'),
        ("<thinking>\nhm\n</thinking>\n\nScore: 3", "Score: 3"),
        ("<think>a</think><reasoning>b</reasoning>c", "c"),
        ('{"score": 1} is my draft </think> {"score": 3}', '{"score": 3}'),
        ("<THINK>x</THINK>y", "y"),
        ("[THINK]x[/THINK]y", "y"),
        ("◁think▷x◁/think▷y", "y"),
        (
            "<|channel|>analysis<|message|>{}<|end|><|start|>x<|channel|>final <|message|>y",
            "y",
        ),
        ('<think>never closed {"score": 1}', ""),
        ("<think>only thoughts</think>", ""),
        ("no thoughts", "no thoughts"),
        ("it is in <think> tags", "it is in <think> tags"),
    ],
)
def test_thoughts_before_the_answer_are_no_part_of_it(text: str, answer: str) -> None:
    assert without_thinking(text).strip() == answer


plain_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.text(max_size=8), plain_json, min_size=1, max_size=4), st.booleans())
def test_every_valid_object_is_read_as_it_is(value: dict[str, object], ascii_only: bool) -> None:
    (found,) = objects_in(json.dumps(value, ensure_ascii=ascii_only)).found

    assert found.value == value
    assert not found.repaired


@given(st.text(alphabet="{}[]\":,'\\ abc1\n", max_size=80))
def test_no_text_at_all_makes_it_fail(text: str) -> None:
    for found in objects_in(text).found:
        assert isinstance(found.value, dict | list)
