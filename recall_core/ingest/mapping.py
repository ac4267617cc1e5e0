"""Which column plays which role, proposed from the names and open to change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from recall_core.ingest.cells import parse_list_text, unwrapped
from recall_core.ingest.names import (
    ALIASES,
    EITHER_CONTEXT,
    REASON_COLUMN,
    ROW_COLUMN,
    Role,
    normalised,
    spelled,
)
from recall_core.ingest.passages import names_kinds
from recall_core.ingest.table import RawRow
from recall_core.ingest.tagged import has_marker
from recall_core.ingest.trouble import CellError

_PASSAGE_ROLES = (Role.ESSENTIAL, Role.BONUS)


class References(StrEnum):
    """What several expected outputs of one example are; only a person can say."""

    JOIN = "join as one reference"
    EACH_ESSENTIAL = "each is an essential passage"


SPLITS: Mapping[str, str] = {
    "line break": "\n",
    "blank line": "\n\n",
    "semicolon": ";",
    "vertical bar": "|",
    "comma": ",",
    "tab": "\t",
}
"""Where a person may choose to split a cell that holds several passages as one text."""


@dataclass(frozen=True, slots=True)
class MappingNotice:
    """What was decided from a name that its owner may see differently."""

    column: str
    text: str


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """A role's column, and the choices that only a person can make.

    Columns that no role names become metadata. `ambiguous` columns wait for an answer
    (`with_column` or `as_metadata`); until then no row is good. `split_at` is the delimiter inside
    cells, `None` for no splitting; `whole_text_essential` takes ground-truth text without a marker
    as one essential passage.
    """

    columns: Mapping[Role, str] = field(default_factory=dict)
    ambiguous: tuple[str, ...] = ()
    split_at: str | None = None
    references: References | None = None
    whole_text_essential: bool = False
    notices: tuple[MappingNotice, ...] = ()

    def with_column(self, role: Role, column: str | None) -> ColumnMapping:
        """The same with another column for `role` (`None`: no column)."""
        columns = {r: c for r, c in self.columns.items() if r is not role and c != column}
        if column is not None:
            columns[role] = column
        return replace(
            self,
            columns=columns,
            ambiguous=tuple(name for name in self.ambiguous if name != column),
            notices=tuple(n for n in self.notices if n.column not in (column, self.column(role))),
        )

    def as_metadata(self, column: str) -> ColumnMapping:
        """The same with `column` kept as metadata."""
        return replace(
            self,
            columns={r: c for r, c in self.columns.items() if c != column},
            ambiguous=tuple(name for name in self.ambiguous if name != column),
            notices=tuple(n for n in self.notices if n.column != column),
        )

    def column(self, role: Role) -> str | None:
        """The column that plays `role`."""
        return self.columns.get(role)

    def metadata_columns(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Those of `columns` that are kept as metadata."""
        taken = {*self.columns.values(), *self.ambiguous, ROW_COLUMN, REASON_COLUMN}
        return tuple(column for column in columns if column not in taken)


def suggest_mapping(columns: Sequence[str], sample: Iterable[RawRow] = ()) -> ColumnMapping:
    """The mapping that the names suggest; `sample` tells what `ground_truth` holds.

    For each role the first of its names (`names.ALIASES`) that the file has wins; another column
    with a name of the same role becomes metadata, with a notice.
    """
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(spelled(normalised(column)), column)
    rows = list(sample)
    found: dict[Role, str] = {}
    losers: dict[str, Role] = {}
    for role in Role:
        candidates = [by_name[n] for n in ALIASES[role] if n in by_name]
        fitting = [c for c in candidates if _fits(role, c, rows)]
        if fitting:
            found[role] = fitting[0]
            losers.update((c, role) for c in fitting[1:])
    notices = [
        *_prefer_passage_columns(found),
        *_doubles(columns, found),
        *(_lost(column, role, found) for column, role in losers.items()),
        *_misspellings(found),
    ]
    ambiguous = _place_context(by_name.get(EITHER_CONTEXT), found, notices)
    return ColumnMapping(found, ambiguous, notices=tuple(notices))


def _fits(role: Role, column: str, rows: Sequence[RawRow]) -> bool:
    """`ground_truth` is passages or text, by its values; every other name says it alone."""
    if normalised(column) != "ground_truth" or role not in (
        Role.GROUND_TRUTH,
        Role.EXPECTED_OUTPUT,
    ):
        return True
    passages = any(_holds_passages(row.values.get(column)) for row in rows)
    return passages == (role is Role.GROUND_TRUTH)


def _holds_passages(cell: object) -> bool:
    value = unwrapped(cell)
    if isinstance(value, str):
        if has_marker(value):
            return True
        try:
            value = parse_list_text(value)
        except CellError:
            return False
    return isinstance(value, list | tuple) and names_kinds(value)


def _prefer_passage_columns(found: dict[Role, str]) -> list[MappingNotice]:
    """Passages come from columns of their own or from one with both kinds, never from two."""
    both = found.get(Role.GROUND_TRUTH)
    if both is None or not any(role in found for role in _PASSAGE_ROLES):
        return []
    del found[Role.GROUND_TRUTH]
    own = " and ".join(found[role] for role in _PASSAGE_ROLES if role in found)
    return [MappingNotice(both, f"{both} is kept as metadata: the passages are read from {own}.")]


def _lost(column: str, role: Role, found: Mapping[Role, str]) -> MappingNotice:
    winner = found.get(role, "")
    return MappingNotice(
        column, f"{column} is kept as metadata: {role.label.lower()} is read from {winner}."
    )


def _doubles(columns: Sequence[str], found: Mapping[Role, str]) -> list[MappingNotice]:
    """Columns whose name differs from a mapped one only in case or blanks."""
    mapped = {spelled(normalised(c)): c for c in found.values()}
    doubles = [
        (column, mapped[spelled(normalised(column))])
        for column in columns
        if column not in found.values() and spelled(normalised(column)) in mapped
    ]
    return [
        MappingNotice(column, f"{column} is kept as metadata: {winner} comes first.")
        for column, winner in doubles
    ]


def _misspellings(found: Mapping[Role, str]) -> list[MappingNotice]:
    return [
        MappingNotice(column, f"{column} is read as {spelled(normalised(column))}.")
        for column in found.values()
        if spelled(normalised(column)) != normalised(column)
    ]


def _place_context(
    column: str | None, found: dict[Role, str], notices: list[MappingNotice]
) -> tuple[str, ...]:
    """`context` is the ideal context beside a retrieved column; alone somebody has to say."""
    if column is None:
        return ()
    if Role.RETRIEVED not in found:
        notices.append(
            MappingNotice(
                column, f"{column} may be what was retrieved or what was expected: choose."
            )
        )
        return (column,)
    if Role.ESSENTIAL in found or Role.GROUND_TRUTH in found:
        taken = found.get(Role.ESSENTIAL) or found[Role.GROUND_TRUTH]
        notices.append(
            MappingNotice(
                column, f"{column} is kept as metadata: the passages are read from {taken}."
            )
        )
        return ()
    found[Role.ESSENTIAL] = column
    notices.append(
        MappingNotice(column, f"{column} stands beside retrieved passages: read as expected.")
    )
    return ()
