"""Token estimates against counts of o200k_base, and the bound that holds for every model."""
# ruff: noqa: E501  # one sample a line

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.llm.tokens import (
    Tokens,
    estimate_tokens,
    most_prompt_tokens,
    most_tokens,
    prompt_tokens,
)
from tests.core.llm.asking import request

COUNTED = [
    (
        "The boiler must be serviced at least once a year so that the guarantee remains valid. If it fails, call customer service; the telephone number is on the back of the manual.",
        36,
        36,
    ),
    (
        "Die Heizungsanlage muss mindestens einmal jährlich gewartet werden, damit die Gewährleistung erhalten bleibt.",
        21,
        28,
    ),
    (
        "La chaudière doit être entretenue au moins une fois par an afin que la garantie reste valable.",
        19,
        24,
    ),
    (
        "Котёл необходимо обслуживать не реже одного раза в год, чтобы гарантия оставалась в силе.",
        23,
        40,
    ),
    ("为了使保修继续有效，锅炉每年至少应保养一次。如遇故障，请联系客服。", 23, 39),
    ("保証を有効に保つため、ボイラーは少なくとも年に一度点検する必要があります。", 26, 39),
    ("يجب صيانة الغلاية مرة واحدة على الأقل في السنة حتى يظل الضمان ساريًا.", 22, 47),
    ("वारंटी बनाए रखने के लिए बॉयलर का वर्ष में कम से कम एक बार रखरखाव किया जाना चाहिए।", 26, 82),
    (
        '{"verdicts": [{"unit": "E1", "reasoning": "Passage 2 says so.", "quotes": [{"passage": 2, "text": "once a year"}], "score": 4}]}',
        50,
        50,
    ),
    (
        "def estimate(text: str) -> int:\n    return sum(weight(piece) for piece in PIECES.findall(text))\n",
        23,
        23,
    ),
    ("Invoice 2024-11-03: 1,234.56 EUR; IBAN DE89370400440532013000.", 28, 28),
]
"""Texts with their tokens in `o200k_base` and `cl100k_base`, counted by gpt-tokenizer 3."""


@pytest.mark.parametrize(("text", "newer", "older"), COUNTED)
def test_an_estimate_is_a_quarter_off_at_most(text: str, newer: int, older: int) -> None:
    estimate = estimate_tokens(text)

    assert 0.75 <= estimate.expected / newer <= 1.25
    assert estimate.low <= estimate.expected <= estimate.high
    assert estimate.low <= newer <= most_tokens(text)
    assert older <= most_tokens(text)


def test_texts_add_up_within_their_range() -> None:
    total = sum((estimate_tokens(text) for text, _, _ in COUNTED), Tokens(0, 0, 0))

    assert total.low < sum(newer for _, newer, _ in COUNTED) < total.high
    assert total.low < sum(older for _, _, older in COUNTED) < total.high


@given(st.text(st.characters(), max_size=300))
def test_an_estimate_never_passes_the_sure_bound_by_much(text: str) -> None:
    estimate = estimate_tokens(text)

    assert 0 <= estimate.low <= estimate.expected <= estimate.high
    assert estimate.expected <= most_tokens(text) + 1


def test_nothing_is_no_token() -> None:
    assert estimate_tokens("") == Tokens(0, 0, 0)


def test_the_schema_and_every_message_count() -> None:
    one = prompt_tokens(request("a question"))
    shaped = prompt_tokens(request("a question", schema={"enum": ["x" * 400]}))

    assert shaped.expected - one.expected > 80
    assert one.high <= most_prompt_tokens(request("a question"))
