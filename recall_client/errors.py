"""What can go wrong for a person who calls the client."""

from __future__ import annotations

from recall_core.errors import RecallError


class InvalidExample(RecallError):
    """An example that has a value of the wrong type."""


class DeskError(RecallError):
    """The desk refused a request, or cannot be reached; `status` is what HTTP says, if it does."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
