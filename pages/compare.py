"""Two or more runs on the examples that they share: which is better, and where it got worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from db.comparing import passages_between
from db.errors import NotKept, NotPossibleNow
from db.runs import RunCard, list_runs
from pages.components.address_choice import segments
from pages.components.blind_notice import shown_anyway
from pages.components.compared_example import compared_example
from pages.components.comparison_view import (
    EXAMPLE_COLUMNS,
    LETTERS,
    RUN_COLUMNS,
    changes_chart,
    comparison_facts,
    counted_examples,
    example_row,
    heat_map,
    run_row,
)
from pages.components.headline import EXPLAINED
from pages.components.kept_figures import comparisons_for
from pages.components.page_parts import gone, head, nothing_here, number_in_address
from pages.components.rank_view import rank_view
from pages.components.rows import rows
from pages.components.session import engine
from pages.components.shared_audit import shared_audit
from pages.components.style import plain, section
from recall_core.comparison import ComparedExample, Comparison, PassageChange, PassageMove

MORE = "with"  # the word of the address for further runs: `with=5.6`
EXAMPLE = "example"
PAGE_SIZE = 8
ALL_PASSAGES = 1_000  # of so many examples at most are all read, to find where passages differ
ORDERS: Mapping[str, str] = {
    "worse": "Worse first",
    "better": "Better first",
    "same": "Unchanged",
    "passages": "Passages differ",
}
NONE: Mapping[str, str] = {
    "worse": "No example got worse.",
    "better": "No example got better.",
    "same": "Every example changed.",
    "passages": "The same passages came back everywhere, in the same order.",
}

Moves = Mapping[tuple[int, int], Sequence[PassageChange]]


def main() -> None:
    cards = {card.id: card for card in list_runs(engine()) if card.processed}
    a, b = number_in_address("a"), number_in_address("b")
    if a is None or b is None or a == b:
        _choose(cards, a if a is not None else b)
        return
    others = [b, *(i for i in _more() if i not in (a, b))]
    try:
        found = comparisons_for(a, others)
    except NotKept as error:
        gone(error)
    except NotPossibleNow as error:
        nothing_here("Compare", str(error), "Choose other runs", "compare.py", {"a": str(a)})
    _page(found, cards)


def _more() -> list[int]:
    words = st.query_params.get(MORE, "").split(".")
    return [int(word) for word in words if word.isascii() and word.isdigit()][: len(LETTERS) - 2]


def _choose(cards: Mapping[int, RunCard], a: int | None) -> None:
    if len(cards) < 2:
        sentence = "It takes two runs that have judged something."
        nothing_here("Compare", sentence, "To all runs", "overview.py")
    with head("Compare", "Which runs, on the examples that they share?"):
        pass
    offered = list(cards)
    first = next((place for place, run_id in enumerate(offered) if run_id == a), 0)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = st.selectbox(
            "A, which the other is held against",
            offered,
            index=first,
            format_func=lambda i: _name(cards[i]),
            key="compare.a",
        )
        fitting = [i for i in offered if i != one and cards[i].formula is cards[one].formula]
        same = [i for i in fitting if cards[i].dataset_id == cards[one].dataset_id]
        two = st.selectbox(
            "B",
            same + [i for i in fitting if i not in same],
            format_func=lambda i: _name(cards[i]),
            key=f"compare.b.{one}",
        )
        if st.button("Compare", type="primary", key="compare", disabled=two is None):
            st.switch_page("compare.py", query_params={"a": str(one), "b": str(two)})
    if two is None:
        st.caption("No other run has finals on the same scale.")


def _name(card: RunCard) -> str:
    return f"{card.name} · {card.dataset}"


def _page(found: Sequence[Comparison], cards: Mapping[int, RunCard]) -> None:
    first = found[0]
    names = f"A {first.a.name} · B {first.b.name}"
    data = first.a.dataset
    if first.b.dataset != data:
        data += f" and {first.b.dataset}"
    with head("Compare", f"{names} · {data} · {counted_examples(first)}"):
        _buttons(found, cards)
    anyway = f"compare.anyway.{first.a.id}.{first.b.id}"
    if first.withheld and not shown_anyway(first.withheld, "how the runs compare", anyway):
        shared_audit(first)
        return
    comparison_facts(first)
    left, right = st.columns([3.6, 8.4], gap="large")
    with left:
        changes_chart(first)
        shared_audit(first)
    with right:
        _examples(first)
    if len(found) > 1:
        _all_runs(found)
    opened = heat_map(found)
    if opened is not None:
        st.switch_page("review.py", query_params={"judgement": opened})
    rank_view(first)
    st.page_link(EXPLAINED, label="How runs are compared", query_params={"about": "two-runs"})


def _buttons(found: Sequence[Comparison], cards: Mapping[int, RunCard]) -> None:
    a, b = found[0].a.id, found[0].b.id
    more = [one.b.id for one in found[1:]]
    if st.button("Swap", key="swap"):
        _go(b, a, more)
    offered = [
        i for i, c in cards.items() if i not in (a, b, *more) and c.formula is found[0].a.formula
    ]
    if not offered or len(found) >= len(LETTERS) - 1:
        return
    with st.popover("Add a run"):
        added = st.selectbox(
            "Run", offered, format_func=lambda i: _name(cards[i]), key=f"compare.add.{len(found)}"
        )
        if st.button("Add", key="add_run", type="primary"):
            _go(a, b, [*more, added])


def _go(a: int, b: int, more: Sequence[int]) -> None:
    query = {"a": str(a), "b": str(b)}
    if more:
        query[MORE] = ".".join(map(str, more))
    st.switch_page("compare.py", query_params=query)


def _examples(found: Comparison) -> None:
    """The examples in the order that is asked for, and the picked one below them."""
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        orders = dict(ORDERS)
        if len(found.rows) > ALL_PASSAGES:
            del orders["passages"]
        order = segments("Which examples", "order", orders)
        text = st.text_input(
            "Find", placeholder="Find", type="search", label_visibility="collapsed", width=180
        )
    fitting = [row for row in _ordered(found, order) if _fits(row, text or "")]
    if not fitting:
        st.markdown("No example fits." if text else NONE[order])
        return
    pages = -(-len(fitting) // PAGE_SIZE)
    page = 1
    if pages > 1:
        page = st.session_state.get(f"compare.page.{order}", 1)
    page = min(page, pages)
    shown = fitting[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    moves = _moves(shown)
    lines = [example_row(r, found.a.formula, moves.get(_pair(r), ())) for r in shown]
    opened = rows(EXAMPLE_COLUMNS, lines, key=f"compared-{order}")
    if pages > 1:
        st.pagination(pages, key=f"compare.page.{order}")
    if opened is not None:
        st.query_params[EXAMPLE] = opened
    _picked(found, shown)


def _picked(found: Comparison, shown: Sequence[ComparedExample]) -> None:
    """The example that was opened; the first one of the list until then."""
    asked = number_in_address(EXAMPLE)
    row = next((r for r in found.rows if r.judgement_a == asked), shown[0])
    compared_example(row, _moves([row]).get(_pair(row), ()))


def _pair(row: ComparedExample) -> tuple[int, int]:
    return row.judgement_a, row.judgement_b


def _moves(shown: Sequence[ComparedExample]) -> Moves:
    return passages_between(engine(), [_pair(row) for row in shown])


def _ordered(found: Comparison, order: str) -> list[ComparedExample]:
    match order:
        case "better":
            return [row for row in reversed(found.rows) if row.change > 0]
        case "same":
            return [row for row in found.rows if row.change == 0]
        case "passages":
            moves = _moves(found.rows)
            return [row for row in found.rows if _differ(moves.get(_pair(row), ()))]
        case _:
            return [row for row in found.rows if row.change < 0]


def _differ(moves: Sequence[PassageChange]) -> bool:
    return any(one.move is not PassageMove.STAYED for one in moves)


def _fits(row: ComparedExample, text: str) -> bool:
    said = f"{row.example_id} {row.question or ''}".casefold()
    return all(word in said for word in text.casefold().split())


def _all_runs(found: Sequence[Comparison]) -> None:
    section("Every run against A")
    lines = [run_row(LETTERS[place], one) for place, one in enumerate(found, 1)]
    opened = rows(RUN_COLUMNS, lines, key="all_runs")
    st.caption(
        plain(
            "Decided for all runs at once by Holm's rule: the more runs one looks at, the more of "
            "them seem better by chance. A row puts that run in B's place."
        )
    )
    if opened is not None:
        rest = [one.b.id for one in found if str(one.b.id) != opened]
        _go(found[0].a.id, int(opened), rest)


main()
