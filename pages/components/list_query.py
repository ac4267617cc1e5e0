"""What a list of a run's examples shows and in which order, as words in the address.

The list and the review desk read the same words, so "next" on the desk is the next row of the list,
and an address that one person sends to another shows the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from db.results import JudgementFilter, JudgementOrder, OrderBy
from recall_core.errors import InvalidScore
from recall_core.scoring import exact
from recall_core.summary import JudgementState
from recall_core.types import Formula

NOBODY_YET: Final = "nobody"
"""The word for examples that nobody has been asked to review."""
ANY_STATE: Final = "any state"
IN_FILE_ORDER: Final = "in file order"
LOWEST_JUDGED_FIRST: Final = "judge's lowest first"
"""The order to review in: what people decide leaves it as it is, so "next" passes nothing over."""

ORDERS: Final[Mapping[str, JudgementOrder]] = {
    IN_FILE_ORDER: JudgementOrder(),
    "lowest first": JudgementOrder(OrderBy.FINAL),
    "highest first": JudgementOrder(OrderBy.FINAL, descending=True),
    LOWEST_JUDGED_FIRST: JudgementOrder(OrderBy.JUDGE_FINAL),
    "most lowered first": JudgementOrder(OrderBy.CHANGE),
    "most raised first": JudgementOrder(OrderBy.CHANGE, descending=True),
    "essential, lowest first": JudgementOrder(OrderBy.ESSENTIAL),
    "bonus, lowest first": JudgementOrder(OrderBy.BONUS),
    "most disagreement first": JudgementOrder(OrderBy.DISAGREEMENT, descending=True),
}
STATES: Final = (ANY_STATE, *(state.value for state in JudgementState))
NAMES: Final = (
    "state",
    "sort",
    "q",
    "low",
    "high",
    "warned",
    "differs",
    "flagged",
    "assigned",
    "field",
    "value",
    "absent",
)
"""The words of the address that belong to a list; the list's controls have them as keys."""


def orders_for(formula: Formula) -> tuple[str, ...]:
    """The orders that make sense: only the passage formula has parts."""
    if formula is Formula.PASSAGE:
        return tuple(ORDERS)
    parts = (OrderBy.ESSENTIAL, OrderBy.BONUS)
    return tuple(name for name, order in ORDERS.items() if order.by not in parts)


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Which examples, and in which order."""

    where: JudgementFilter
    order: JudgementOrder


def list_query(params: Mapping[str, str]) -> ListQuery:
    """What the address asks for; a word that nobody knows asks for nothing."""
    state = params.get("state", "")
    where = JudgementFilter(
        states=(JudgementState(state),) if state in set(JudgementState) else (),
        lowest=_number(params.get("low", "")),
        highest=_number(params.get("high", "")),
        text=params.get("q", ""),
        has_warnings=True if params.get("warned", "") == "true" else None,
        disagrees=True if params.get("differs", "") == "true" else None,
        assigned_to=_assigned(params.get("assigned", "")),
        flagged=True if params.get("flagged", "") == "true" else None,
        metadata=_metadata(params),
    )
    return ListQuery(where, ORDERS.get(params.get("sort", ""), JudgementOrder()))


def list_params(params: Mapping[str, str]) -> dict[str, str]:
    """The part of an address that makes the list, to hand on to another page."""
    kept = {name: params[name] for name in NAMES if params.get(name)}
    if params.get("value") == "":  # A text without a character is a value like any other.
        kept["value"] = ""
    return kept


def metadata_words(field: str, value: str | None) -> dict[str, str]:
    """The words for the examples whose field has this value; `None`: that lack the field."""
    return {"field": field} | ({"absent": "true"} if value is None else {"value": value})


def _metadata(params: Mapping[str, str]) -> dict[str, str | None]:
    field = params.get("field", "")
    if not field:
        return {}
    if params.get("absent", "") == "true":
        return {field: None}
    return {field: params["value"]} if "value" in params else {}


def _assigned(word: str) -> str | None:
    return {"": None, NOBODY_YET: ""}.get(word, word)


def _number(text: str) -> Fraction | None:
    try:
        return exact(text) if text else None
    except InvalidScore:
        return None
