"""One example in two runs, side by side: scores of its units, and what each run brought back."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from db.reviews import read_judgement
from pages.components.comparison_view import name_of
from pages.components.rank_view import first_rank_words
from pages.components.session import engine, viewer
from pages.components.style import plain, score_chip, section, text_block
from recall_core.comparison import ComparedExample, PassageChange, PassageMove
from recall_core.details import JudgementDetail
from recall_core.types import EffectiveScore, Formula

LONGEST = 700


def compared_example(row: ComparedExample, moves: Sequence[PassageChange]) -> None:
    """The picked row: A on the left, B on the right."""
    section(row.question or row.example_id)
    details = [
        read_judgement(engine(), judgement, viewer())
        for judgement in (row.judgement_a, row.judgement_b)
    ]
    st.html(_wanted(details[0]))
    for side, detail, place in zip("AB", details, st.columns(2, gap="medium"), strict=True):
        with place, st.container(border=True):
            st.html(_scores(side, detail) + _passages(side, moves))
            if not detail.sight.judge_hidden and (ranks := first_rank_words(detail.example)):
                st.caption(plain(ranks))
            if st.button(f"Open in {side}", key=f"open_{side}"):
                where = {"run": str(detail.run.id), "judgement": str(detail.id)}
                st.switch_page("review.py", query_params=where)
    st.caption(plain(_scored_by(row)))


def _wanted(detail: JudgementDetail) -> str:
    """What should have come back: the text of each unit by its label."""
    items = "".join(
        f"<li><div><b>{escape(one.ref.label)}</b></div>{text_block(_cut(one.verdict.unit.text))}</li>"
        for one in detail.effective
    )
    return f'<ol class="rd-passages rd-wanted">{items}</ol>' if items else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()}…"


def _scored_by(row: ComparedExample) -> str:
    who = {"people": "People scored both.", "judge": "The judge alone scored both."}
    return who.get(row.scored_by.value, "People scored one of them, the judge the other.")


def _scores(side: str, detail: JudgementDetail) -> str:
    """`A  E1 5  E2 4  final 4.50`; what may not be seen yet stays hidden."""
    if detail.sight.judge_hidden:
        return (
            f'<p class="rd-side"><b>{side}</b> <span>not shown while you score it blind</span></p>'
        )
    formula: Formula = detail.run.formula
    units = " ".join(_unit(one) for one in detail.effective if not one.state.excluded)
    return (
        f'<p class="rd-side"><b>{side}</b> {units} <span>final</span> '
        f"{score_chip(detail.trace.final, formula)}</p>"
    )


def _unit(one: EffectiveScore) -> str:
    score = score_chip(one.state.score, one.state.kind)
    return f"<span>{escape(one.ref.label)}</span> {score}"


def _passages(side: str, moves: Sequence[PassageChange]) -> str:
    mine = [(m.rank_a if side == "A" else m.rank_b, m) for m in moves]
    there = sorted(((rank, m) for rank, m in mine if rank is not None), key=lambda found: found[0])
    if not there:
        return '<p class="rd-muted">Nothing was retrieved.</p>'
    items = "".join(_passage(side, rank, move) for rank, move in there)
    return f'<ol class="rd-passages">{items}</ol>'


def _passage(side: str, rank: int, passage: PassageChange) -> str:
    tone, words = _what(side, passage)
    said = f'<span class="{tone}">{words}</span>' if words else ""
    name = f"<b>{rank}</b> {escape(name_of(passage)) if passage.id else ''}"
    head = f"<div><span>{name}</span>{said}</div>"
    return f'<li value="{rank}">{head}{text_block(_cut(passage.text), muted=True)}</li>'


def _what(side: str, passage: PassageChange) -> tuple[str, str]:
    match passage.move:
        case PassageMove.DROPPED_OUT:
            return "out", "▼ dropped out in B"
        case PassageMove.CAME_IN:
            return "in", "+ came in"
        case PassageMove.MOVED if side == "B" and passage.rank_a and passage.rank_b:
            arrow = "▲" if passage.rank_b < passage.rank_a else "▼"
            return "rd-muted", f"{arrow} from {passage.rank_a}"
        case _:
            return "", ""
