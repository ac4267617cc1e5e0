"""One example typed into a form; it goes through the same reading as a row of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recall_core.ingest.mapping import ColumnMapping, References
from recall_core.ingest.names import Role
from recall_core.ingest.parsing import ParsedRow, parse_examples
from recall_core.ingest.table import FileFormat, RawRow, Table


def parse_form(
    fields: Mapping[Role, object],
    *,
    split_at: str | None = None,
    whole_text_essential: bool = False,
    references: References | None = None,
) -> ParsedRow:
    """The example that the fields of a form make; empty fields are missing.

    Texts of passages are split at `split_at` (see `mapping.SPLITS`), or are one passage each.
    """
    filled = {role.value: value for role, value in fields.items() if value not in (None, "")}

    def rows() -> Iterator[RawRow]:
        yield RawRow(1, filled)

    table = Table("form", FileFormat.JSON, tuple(filled), rows)
    mapping = ColumnMapping(
        {role: role.value for role in fields},
        split_at=split_at,
        references=references,
        whole_text_essential=whole_text_essential,
    )
    return next(parse_examples(table, mapping))
