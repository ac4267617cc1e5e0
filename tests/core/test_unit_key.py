"""When two runs have judged the same thing."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from recall_core.types import UnitKind
from recall_core.unit_key import UnitKeys, text_key

TEXTS = st.lists(st.text(max_size=4), max_size=3)
KINDS = st.sampled_from(UnitKind)


@given(TEXTS, KINDS, st.text(max_size=4))
def test_the_same_unit_in_the_same_texts_has_the_same_key(
    texts: list[str], kind: UnitKind, unit: str
) -> None:
    keys = UnitKeys(texts)
    keys.key(UnitKind.BONUS, "another one in between")

    assert keys.key(kind, unit) == UnitKeys(texts).key(kind, unit)
    assert len(keys.key(kind, unit)) == 32


@given(TEXTS, KINDS, st.text(max_size=4), TEXTS, KINDS, st.text(max_size=4))
def test_another_text_kind_or_unit_gives_another_key(
    texts: list[str], kind: UnitKind, unit: str, others: list[str], other: UnitKind, another: str
) -> None:
    assume((texts, kind, unit) != (others, other, another))

    assert UnitKeys(texts).key(kind, unit) != UnitKeys(others).key(other, another)


def test_moving_a_character_from_one_text_to_the_next_gives_another_key() -> None:
    assert UnitKeys(["ab", "c"]).key(UnitKind.BONUS, "u") != UnitKeys(["a", "bc"]).key(
        UnitKind.BONUS, "u"
    )
    assert UnitKeys(["a"]).key(UnitKind.BONUS, "bc") != UnitKeys(["ab"]).key(UnitKind.BONUS, "c")


def test_half_a_character_can_be_hashed() -> None:
    assert UnitKeys(["\ud800"]).key(UnitKind.BONUS, "\udc00") != text_key(UnitKind.BONUS, "\udc00")


def test_the_key_of_the_text_alone_is_that_without_texts_to_look_in() -> None:
    assert text_key(UnitKind.BONUS, "u") == UnitKeys(()).key(UnitKind.BONUS, "u")
