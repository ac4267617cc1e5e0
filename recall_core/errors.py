"""Errors are sentences for the person who reads them."""


class RecallError(Exception):
    """Something a person can put right; the message says what happened and what to do."""


class InvalidSetting(RecallError):
    """A setting that a judge does not know or cannot take."""


class InvalidScore(RecallError):
    """A score outside the scale of its unit."""


class InvalidDecision(RecallError):
    """An act of a reviewer that makes no sense on that unit."""


class UnreadableFile(RecallError):
    """A file that cannot be read at all; single bad rows are `ingest.RowProblem` instead."""
