"""Files as examples: what a file is, what its columns mean, what is wrong with its rows.

    table = read_file("answers.csv")
    mapping = suggest_mapping(table.columns, table.sample())
    for row in parse_examples(table, mapping): ...

Nothing here knows a judge's needs: every row that can be read is an example, and each judge says
what it lacks.
"""

from recall_core.ingest.bad_rows import bad_rows_csv, bad_rows_jsonl
from recall_core.ingest.form import parse_form
from recall_core.ingest.hashing import ContentHash, content_hash
from recall_core.ingest.mapping import (
    SPLITS,
    ColumnMapping,
    MappingNotice,
    References,
    suggest_mapping,
)
from recall_core.ingest.names import Role
from recall_core.ingest.parsing import ParsedRow, parse_examples
from recall_core.ingest.previewing import JudgeTakes, Preview, PreviewRow, preview
from recall_core.ingest.reading import read_file
from recall_core.ingest.table import FileFormat, RawRow, Table
from recall_core.ingest.template import template_csv, template_jsonl
from recall_core.ingest.trouble import RowNotice, RowProblem

__all__ = [
    "SPLITS",
    "ColumnMapping",
    "ContentHash",
    "FileFormat",
    "JudgeTakes",
    "MappingNotice",
    "ParsedRow",
    "Preview",
    "PreviewRow",
    "RawRow",
    "References",
    "Role",
    "RowNotice",
    "RowProblem",
    "Table",
    "bad_rows_csv",
    "bad_rows_jsonl",
    "content_hash",
    "parse_examples",
    "parse_form",
    "preview",
    "read_file",
    "suggest_mapping",
    "template_csv",
    "template_jsonl",
]
