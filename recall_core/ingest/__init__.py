"""Files as examples: what a file is, what its columns mean, what is wrong with its rows.

    table = read_file("answers.csv")
    mapping = suggest_mapping(table.columns, table.sample())
    for row in parse_examples(table, mapping): ...

Nothing here knows a judge's needs: every row that can be read is an example, and each judge says
what it lacks.
"""

from recall_core.ingest.hashing import ContentHash, content_hash
from recall_core.ingest.mapping import ColumnMapping, MappingNotice, References, suggest_mapping
from recall_core.ingest.names import Role
from recall_core.ingest.parsing import ParsedRow, parse_examples
from recall_core.ingest.reading import read_file
from recall_core.ingest.table import FileFormat, RawRow, Table
from recall_core.ingest.trouble import RowNotice, RowProblem

__all__ = [
    "ColumnMapping",
    "ContentHash",
    "FileFormat",
    "MappingNotice",
    "ParsedRow",
    "RawRow",
    "References",
    "Role",
    "RowNotice",
    "RowProblem",
    "Table",
    "content_hash",
    "parse_examples",
    "read_file",
    "suggest_mapping",
]
