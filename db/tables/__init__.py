"""Every table. Facts are rows: passages, verdicts, evidence, decisions; decisions only ever grow.

Copies kept for lists (`judgement.final` and its neighbours) are written by one function in the
transaction that changes what they copy, and `db.results.recount` proves that they agree.
"""

from db.tables.base import Base, table_of
from db.tables.data import (
    DatasetRow,
    ExampleRow,
    GroundTruthRow,
    RetrievedRow,
    StatementRow,
    StatementSetRow,
    TombstoneRow,
)
from db.tables.judging import (
    CallUseRow,
    EvidenceRow,
    JudgementRow,
    ModelCallRow,
    RunRow,
    UnitRow,
    VerdictRow,
)
from db.tables.programs import (
    ClientCallRow,
    ClientRowRow,
    ClientRunRow,
    IdempotencyRow,
    TokenRow,
)
from db.tables.reviewing import (
    AssignmentRow,
    AuditDrawRow,
    CommentRow,
    DecisionRow,
    FlagRow,
    NoticeRow,
    PersonRow,
    PolicyRow,
    ReviewRow,
    SecondLookRow,
    SecondLookWishRow,
    SecondScoreRow,
)

__all__ = [
    "AssignmentRow",
    "AuditDrawRow",
    "Base",
    "CallUseRow",
    "ClientCallRow",
    "ClientRowRow",
    "ClientRunRow",
    "CommentRow",
    "DatasetRow",
    "DecisionRow",
    "EvidenceRow",
    "ExampleRow",
    "FlagRow",
    "GroundTruthRow",
    "IdempotencyRow",
    "JudgementRow",
    "ModelCallRow",
    "NoticeRow",
    "PersonRow",
    "PolicyRow",
    "RetrievedRow",
    "ReviewRow",
    "RunRow",
    "SecondLookRow",
    "SecondLookWishRow",
    "SecondScoreRow",
    "StatementRow",
    "StatementSetRow",
    "TokenRow",
    "TombstoneRow",
    "UnitRow",
    "VerdictRow",
    "table_of",
]
