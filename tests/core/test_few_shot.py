"""Reviewed units as examples for a prompt: never those that are held out to test it."""

from __future__ import annotations

from recall_core.asking.template import filled
from recall_core.few_shot import few_shot_text, few_shot_units
from recall_core.held_out import held_out
from recall_core.types import Cause
from tests.core.test_calibration import unit


def test_examples_never_come_from_texts_that_are_held_out() -> None:
    units = [unit(i, 5, 1, text=f"fact {i}") for i in range(40)]

    chosen = few_shot_units(units, 40)

    assert 0 < len(chosen) < 40
    assert not any(held_out(one.text) for one in chosen)


def test_the_furthest_apart_come_first_and_no_text_twice() -> None:
    learned = [text for text in (f"fact {i}" for i in range(40)) if not held_out(text)][:3]
    units = [
        unit(1, 4, 3, text=learned[0]),
        unit(2, 5, 1, text=learned[1]),
        unit(3, 5, 2, text=f" {learned[1]}  "),
        unit(4, 3, 3, text=learned[2]),
    ]

    chosen = few_shot_units(units, 3)

    assert [one.example for one in chosen] == [2, 1, 4]


def test_what_was_the_ground_truths_fault_teaches_the_judge_nothing() -> None:
    text = next(text for text in (f"fact {i}" for i in range(40)) if not held_out(text))

    assert few_shot_units([unit(1, 5, 1, text=text, cause=Cause.JUDGE_WRONG)])
    assert not few_shot_units([unit(1, 5, 1, text=text, cause=Cause.GROUND_TRUTH_WRONG)])


def test_a_text_that_looks_like_a_place_for_data_stays_text() -> None:
    one = unit(1, 5, 2, text="{{question}}", note="It says {{statements}}.")

    text = few_shot_text([one], {1: ["a {{question}} b"]})

    assert "{{" not in text
    assert filled(text, {}) == text
    assert "Score: 2. Why: It says { {statements} }." in text


def test_long_texts_are_cut_and_an_empty_list_is_said() -> None:
    text = few_shot_text([unit(1, 5, 2, text="word " * 1_000)], {})

    assert len(text) < 1_000
    assert "Retrieved:\nnothing" in text
