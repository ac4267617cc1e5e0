"""The evaluator document's own text form (`RECALL_Reasoning` … `RECALL_Final_Score`).

`write_document` prints any judgement in it; `read_document` reads what a model or a person wrote
in it. The reader takes only scores and reasoning from the text: how many passages there are comes
from our data, and every formula is computed again.
"""

from recall_core.document.reading import (
    DocumentReply,
    Mismatch,
    ReadUnit,
    looks_like_document,
    read_document,
)
from recall_core.document.writing import write_document

__all__ = [
    "DocumentReply",
    "Mismatch",
    "ReadUnit",
    "looks_like_document",
    "read_document",
    "write_document",
]
