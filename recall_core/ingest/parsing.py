"""Rows as examples: every row becomes one, or the reasons why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from recall_core.export.safe_cells import restored
from recall_core.ingest.cells import parse_list_text, read_items, read_text, unwrapped
from recall_core.ingest.ids import IdGiver
from recall_core.ingest.limits import MAX_COLUMNS
from recall_core.ingest.mapping import ColumnMapping, References
from recall_core.ingest.names import LISTS_OF_REFERENCES, ONE_PASSAGE, Role, is_known, normalised
from recall_core.ingest.passages import (
    blank_items,
    ground_truth_passages,
    names_kinds,
    retrieved_passages,
)
from recall_core.ingest.storing import REMOVED, storable
from recall_core.ingest.table import RawRow, Table
from recall_core.ingest.tagged import has_marker, read_tagged
from recall_core.ingest.trouble import CellError, RowNotice, RowProblem, shown
from recall_core.ingest.values import plain_json
from recall_core.types import Example, GroundTruthPassage, Json, PassageKind, RetrievedPassage

T = TypeVar("T")
_PASSAGES_ELSEWHERE = "These are passages. Map the column as essential and bonus passages."
P = TypeVar("P", GroundTruthPassage, RetrievedPassage)


@dataclass(frozen=True, slots=True)
class ParsedRow:
    """What became of one row. A row with problems has no example; notices do no harm."""

    number: int
    example: Example | None
    problems: tuple[RowProblem, ...] = ()
    notices: tuple[RowNotice, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    """The row as it stands in the file."""
    unread: str = ""
    """What stands there, if it could not be read as a row at all."""


def parse_examples(table: Table, mapping: ColumnMapping) -> Iterator[ParsedRow]:
    """Every row of the file in order, one at a time, whatever its size.

    `None` in an example means that the cell is missing; an empty tuple that the list is there and
    empty.
    """
    ids = IdGiver()
    metadata = mapping.metadata_columns(table.columns)
    known = frozenset(table.columns)
    for row in table.rows():
        reader = _RowReader(row, mapping, table.format.typed, metadata, known, [], [])
        yield _parse(row, reader, ids)


def _parse(row: RawRow, reader: _RowReader, ids: IdGiver) -> ParsedRow:
    if row.problem is not None:
        problem = RowProblem(row.number, "", row.problem, shown(row.said))
        return ParsedRow(row.number, None, (problem,), unread=row.said)
    example = reader.example()
    if reader.problems:
        return ParsedRow(
            row.number, None, tuple(reader.problems), tuple(reader.notices), row.values
        )
    given, notice = ids.give(example.id or None, row.number)
    notices = [*reader.notices, notice] if notice else reader.notices
    return ParsedRow(
        row.number, replace(example, id=given), notices=tuple(notices), values=row.values
    )


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Reads one row's fields, collecting what is wrong with each instead of stopping."""

    row: RawRow
    mapping: ColumnMapping
    typed: bool
    metadata: tuple[str, ...]
    known: frozenset[str]
    problems: list[RowProblem]
    notices: list[RowNotice]

    def example(self) -> Example:
        """The example; only meant to be used when `problems` stays empty."""
        self._refuse_what_waits_for_an_answer()
        expected, from_references = self._expected_output()
        ground_truth = self._ground_truth(from_references)
        example = Example(
            id=self._read(Role.ID, self._text) or "",
            question=self._read(Role.QUESTION, self._text),
            ground_truth=ground_truth,
            retrieved=self._read(Role.RETRIEVED, self._retrieved),
            actual_output=self._read(Role.ACTUAL_OUTPUT, self._text),
            expected_output=expected,
            metadata=self._metadata(),
        )
        if not self.problems and _is_empty(example):
            self._problem("", "Nothing in this row is mapped to a field of an example.", "")
        return example

    def _refuse_what_waits_for_an_answer(self) -> None:
        for column in self.mapping.ambiguous:
            if self.row.values.get(column) is not None:
                self._problem(
                    column,
                    "May be what was retrieved or what was expected. Choose its role.",
                    self.row.values[column],
                )
        if len(self.row.values) > MAX_COLUMNS:
            self._problem("", f"This row has more than {MAX_COLUMNS:,} fields.", "")

    def _read(self, role: Role, read: Callable[[Role, object], T | None]) -> T | None:
        column = self.mapping.column(role)
        if column is None:
            return None
        value = self.row.values.get(column)
        try:
            return read(role, value)
        except CellError as problem:
            self._problem(role.label, str(problem), value)
            return None

    def _text(self, role: Role, value: object) -> str | None:
        text = read_text(value, typed=self.typed)
        self._notice(role.label, text.notice, value)
        return None if text.value is None else self._stored(role, text.value)

    def _stored(self, role: Role, text: str) -> str:
        kept = storable(text)
        if kept != text:
            self._notice(role.label, REMOVED, text)
        return kept

    def _stored_passage(self, role: Role, passage: P) -> P:
        kept = self._stored(role, passage.text)
        return passage if kept == passage.text else replace(passage, text=kept)

    def _items(self, role: Role, value: object) -> tuple[object, ...] | None:
        items = read_items(value, typed=self.typed, split_at=self.mapping.split_at)
        column = self.mapping.column(role) or ""
        if not (normalised(column) in ONE_PASSAGE and items.value == (value,)):
            self._notice(role.label, items.notice, value)
        return items.value

    def _retrieved(self, role: Role, value: object) -> tuple[RetrievedPassage, ...] | None:
        items = self._items(role, value)
        if items is None:
            return None
        passages = retrieved_passages(items)
        self._notice(role.label, blank_items(p.text for p in passages), value)
        return tuple(self._stored_passage(role, p) for p in passages)

    def _ground_truth(
        self, from_references: tuple[GroundTruthPassage, ...] | None
    ) -> tuple[GroundTruthPassage, ...] | None:
        parts = [
            self._read(Role.GROUND_TRUTH, self._tagged_or_list),
            self._read(Role.ESSENTIAL, self._passages),
            from_references,
            self._read(Role.BONUS, self._passages),
        ]
        known = [part for part in parts if part is not None]
        return None if not known else tuple(passage for part in known for passage in part)

    def _tagged_or_list(self, role: Role, value: object) -> tuple[GroundTruthPassage, ...] | None:
        value = unwrapped(value)
        if isinstance(value, str) and (has_marker(value) or parse_list_text(value) is None):
            text = self._text(role, value)
            if text is None:
                return None
            return read_tagged(text, whole_is_essential=self.mapping.whole_text_essential)
        return self._passages(role, value)

    def _passages(self, role: Role, value: object) -> tuple[GroundTruthPassage, ...] | None:
        if isinstance(value, str) and has_marker(value):
            return read_tagged(self._stored(role, value))
        items = self._items(role, value)
        if items is None:
            return None
        kind = PassageKind.BONUS if role is Role.BONUS else None
        passages = ground_truth_passages(items, kind)
        self._notice(role.label, blank_items(p.text for p in passages), value)
        return tuple(self._stored_passage(role, p) for p in passages)

    def _expected_output(self) -> tuple[str | None, tuple[GroundTruthPassage, ...] | None]:
        """The expected output, or the passages that a list of references was chosen to be."""
        references = self._read(Role.EXPECTED_OUTPUT, self._references)
        if references is None:
            return self._read(Role.EXPECTED_OUTPUT, self._one_text), None
        if self.mapping.references is References.EACH_ESSENTIAL:
            return None, ground_truth_passages(references, PassageKind.ESSENTIAL)
        return ("\n".join(references) or None), None

    def _one_text(self, role: Role, value: object) -> str | None:
        if isinstance(unwrapped(value), list | tuple):
            return None
        if isinstance(value, str) and has_marker(value):
            raise CellError(_PASSAGES_ELSEWHERE)
        return self._text(role, value)

    def _references(self, role: Role, value: object) -> tuple[str, ...] | None:
        """The texts of a list of references; `None` if the cell is no list."""
        plain = unwrapped(value)
        if isinstance(plain, str) and normalised(self.mapping.column(role) or "") in (
            LISTS_OF_REFERENCES
        ):
            plain = parse_list_text(plain)
        if not isinstance(plain, list | tuple):
            return None
        if names_kinds(plain):
            raise CellError(_PASSAGES_ELSEWHERE)
        texts = tuple(self._stored(role, p.text) for p in retrieved_passages(plain))
        texts = tuple(text for text in texts if text.strip())
        if len(texts) > 1 and self.mapping.references is None:
            raise CellError(
                f"There are {len(texts)} references. Choose whether they are joined as one "
                "or each is an essential passage."
            )
        return texts

    def _metadata(self) -> Mapping[str, Json]:
        kept: dict[str, Json] = {}
        column = self.mapping.column(Role.METADATA)
        if column is not None:
            kept.update(self._metadata_object(column))
        for name in self.metadata:
            self._keep(name, kept)
        for name in self.row.values:
            if name not in self.known:
                self._keep_late(name, kept)
        return kept

    def _keep_late(self, name: str, kept: dict[str, Json]) -> None:
        """A field that the rows from which the columns were taken do not have."""
        if is_known(name):
            reason = "this column first appears far down in the file and is kept as metadata"
            self._notice(name, reason, self.row.values[name])
        self._keep(name, kept)

    def _metadata_object(self, column: str) -> dict[str, Json]:
        value = unwrapped(self.row.values.get(column))
        try:
            if isinstance(value, str):
                parsed = parse_list_text(value) if value.lstrip().startswith("{") else None
                value = parsed[0] if parsed else value
            plain = self._plain(column, value)
        except CellError as problem:
            self._problem(column, str(problem), value)
            return {}
        if isinstance(plain, dict):
            return plain
        return {} if plain in (None, "") else {column: plain}

    def _keep(self, name: str, kept: dict[str, Json]) -> None:
        value = unwrapped(self.row.values.get(name))
        if isinstance(value, str) and not self.typed:
            value = restored(value) if value.strip() else None
        if value is None:
            return
        try:
            kept[name] = self._plain(name, value)
        except CellError as problem:
            self._notice(name, f"This value is left out. {problem}", value)

    def _plain(self, name: str, value: object) -> Json:
        """The value as it is kept; what was done to it is said once for the whole value."""
        done: list[str] = []
        plain = plain_json(value, done.append)
        for reason in dict.fromkeys(done):
            self._notice(name, reason, value)
        return plain

    def _problem(self, field_: str, reason: str, value: object) -> None:
        self.problems.append(RowProblem(self.row.number, field_, reason, shown(value)))

    def _notice(self, field_: str, reason: str, value: object) -> None:
        if reason:
            self.notices.append(RowNotice(self.row.number, field_, reason, shown(value)))


def _is_empty(example: Example) -> bool:
    return all(
        value is None
        for value in (
            example.question,
            example.ground_truth,
            example.retrieved,
            example.actual_output,
            example.expected_output,
        )
    )
