"""Importing judge output that exists already: pasted, or a column of a file, as a run to review."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

import streamlit as st

from db.datasets import DatasetCard, read_examples
from db.imported import ReadReply, import_replies, metadata_replies, preview_replies
from db.runs import RunOptions
from pages.components.page_parts import head
from pages.components.review_options import draw_review_options
from pages.components.rows import Column, Row, State, Text, chip, rows
from pages.components.session import author, engine, now
from pages.components.settings_form import settings_form
from pages.components.style import Mark, count, plain, section
from recall_core.document import looks_like_document
from recall_core.errors import RecallError, UnreadableFile
from recall_core.imported import ImportedReplies, Reply, is_mismatch, replies_of
from recall_core.ingest import Table, read_file
from recall_core.types import Formula

PASTE, FILE, KEPT = "Paste one", "Column of a file", "Column kept with the dataset"
KINDS: Final = ["csv", "tsv", "tab", "json", "jsonl", "ndjson", "xlsx", "parquet"]
IN_ORDER: Final = "none: the rows are in the dataset's order"
OFFERED = 300
"""Of more examples than this the id is typed."""
LOOKED_AT = 50
SHOWN = 100
KEY = "import"
FORM: Final = (
    "[ESSENTIAL PASSAGE] 1: reasoning … Score: 4",
    "[BONUS PASSAGE] 1: reasoning … Score: 2",
    "RECALL_Final_Score: 4.5",
)


def import_replies_page(dataset: DatasetCard) -> None:
    """The whole screen."""
    top = st.container()
    left, right = st.columns([1, 1.7], gap="large")
    with left:
        name = st.text_input(
            "Name of the run",
            f"{dataset.name}, imported judgements",
            max_chars=200,
            key=f"{KEY}.name",
        )
        replies = _replies(dataset)
        section("Settings")
        settings = settings_form(ImportedReplies, key=KEY)
        options = draw_review_options(None, KEY)
    judge = ImportedReplies.model_validate(settings)
    with right:
        found = preview_replies(engine(), dataset.id, replies, judge) if replies else []
        _draw_preview(found)
    taken = [one for one in found if one.belongs]
    caption = "Each score and its reasoning is read; every formula is computed again and compared"
    with top, head("Import judge output", f"{dataset.name}. {caption}"):
        if st.button("Discard", type="tertiary", key="discard"):
            st.switch_page("data.py", query_params={"dataset": str(dataset.id)})
        go = st.button(
            f"Import {count(len(taken), 'judgement')}" if taken else "Import",
            type="primary",
            disabled=not taken,
            key="import_now",
        )
    if go:
        with top:
            _import(dataset, replies, judge, name, options)


def _import(
    dataset: DatasetCard,
    replies: Sequence[Reply],
    judge: ImportedReplies,
    name: str,
    options: RunOptions,
) -> None:
    try:
        made = import_replies(
            engine(),
            dataset.id,
            replies,
            name=name,
            author=author(),
            now=now(),
            options=options,
            judge=judge,
        )
    except RecallError as error:
        st.error(plain(str(error)))
        return
    st.switch_page("results.py", query_params={"run": str(made.run_id)})


def _replies(dataset: DatasetCard) -> list[Reply]:
    """What the person has given so far."""
    fields = _reply_fields(dataset)
    kinds = [PASTE, FILE, *([KEPT] if fields else [])]
    first = KEPT if fields else PASTE
    kind = st.segmented_control("Where they are", kinds, default=first, key=f"{KEY}.kind")
    if kind == PASTE:
        return _pasted(dataset)
    if kind == KEPT:
        field = st.selectbox("Column", fields, key=f"{KEY}.field")
        return metadata_replies(engine(), dataset.id, field)
    return _from_file() if kind == FILE else []


def _pasted(dataset: DatasetCard) -> list[Reply]:
    if dataset.examples <= OFFERED:
        ids = [e.id for e in read_examples(engine(), dataset.id, offset=0, limit=OFFERED)]
        example = st.selectbox("Example", ids, key=f"{KEY}.example")
    else:
        example = st.text_input("Id of the example", key=f"{KEY}.example_id").strip()
    text = st.text_area(
        "Reply", height=320, placeholder="\n".join(FORM), key=f"{KEY}.text", max_chars=400_000
    )
    return [Reply(text, example_id=example)] if text.strip() and example else []


def _from_file() -> list[Reply]:
    upload = st.file_uploader("A file with a reply in each row", type=KINDS, key=f"{KEY}.file")
    if upload is None:
        st.caption(
            "One column holds the replies, another one the ids of the examples; without ids the "
            "first row is about the first example."
        )
        return []
    try:
        table = read_file(upload.getvalue(), upload.name)
        return _from_table(table, f"{KEY}.{upload.file_id}")
    except UnreadableFile as error:
        st.error(plain(str(error)))
        return []


def _from_table(table: Table, key: str) -> list[Reply]:
    columns = list(table.columns)
    sample = [row.values for row in islice(table.rows(), LOOKED_AT)]
    with_replies = [c for c in columns if any(_is_reply(values.get(c)) for values in sample)]
    column = st.selectbox(
        "Replies in the column",
        columns,
        index=columns.index(with_replies[0]) if with_replies else 0,
        key=f"{key}.column",
    )
    ids = [IN_ORDER, *(c for c in columns if c != column)]
    likely = [c for c in ids if c.lower().replace(" ", "_") in ("id", "example_id", "sample_id")]
    id_column = st.selectbox(
        "Ids of the examples in the column",
        ids,
        index=ids.index(likely[0]) if likely else 0,
        key=f"{key}.ids",
    )
    return list(replies_of(table, column, None if id_column == IN_ORDER else id_column))


def _reply_fields(dataset: DatasetCard) -> list[str]:
    """The dataset's own columns that hold replies, as far as the first examples tell."""
    first = read_examples(engine(), dataset.id, offset=0, limit=LOOKED_AT)
    fields = {name for e in first for name, value in e.metadata.items() if _is_reply(value)}
    return sorted(fields)


def _is_reply(value: Any) -> bool:
    return isinstance(value, str) and looks_like_document(value)


def _draw_preview(found: Sequence[ReadReply]) -> None:
    """What each reply comes to, trouble first."""
    section("What will be imported")
    if not found:
        st.caption("Nothing yet. A reply names each passage and gives it a score, as in:")
        st.code("\n".join(FORM), language=None)
        return
    taken = [one for one in found if one.belongs]
    differ = sum(_differs(one) for one in taken)
    unscored = sum(one.final is None for one in taken)
    said = [f"**{count(len(taken), 'reply', 'replies')}** can be imported"]
    said += [f"{differ:,} with other arithmetic than ours"] * (differ > 0)
    said += [f"{unscored:,} without a final score, to be filled in by hand"] * (unscored > 0)
    left_out = len(found) - len(taken)
    said += [f":red[{left_out:,} left out]"] * (left_out > 0)
    st.markdown(", ".join(said) + ".")
    ordered = sorted(found, key=lambda one: (one.belongs, one.final is not None, not _differs(one)))
    rows(
        (
            Column("Example", 1.2),
            Column("Final", 0.7, right=True),
            Column("State", 1.7),
            Column("What was found", 4),
        ),
        [_line(one) for one in ordered[:SHOWN]],
        key="import_preview",
        opens=False,
    )
    if len(found) > SHOWN:
        st.caption(f"The first {SHOWN} of {len(found):,}, trouble first.")


def _differs(one: ReadReply) -> bool:
    return any(is_mismatch(warning) for warning in one.warnings)


def _line(one: ReadReply) -> Row:
    if not one.belongs:
        state = State(Mark.TROUBLE, "left out")
    elif one.final is None:
        state = State(Mark.TROUBLE, "no final score")
    elif _differs(one):
        state = State(Mark.DIFFERS, "arithmetic differs")
    else:
        state = State(Mark.DONE, "read")
    said = " ".join(filter(None, [one.problem, *one.warnings]))
    return Row(
        str(one.number),
        (
            Text(one.example_id or f"reply {one.number}", mono=True),
            chip(one.final, Formula.PASSAGE),
            state,
            Text(said, muted=one.belongs, bad=not one.belongs, wrap=True),
        ),
    )
