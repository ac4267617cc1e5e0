"""What can go wrong between the program and what is kept, as sentences."""

from recall_core.errors import RecallError


class UnusableDatabase(RecallError):
    """The database cannot be opened, is not ours, or was written by a newer version."""


class NotKept(RecallError):
    """Nothing with that number is kept (any more)."""


class Unkeepable(RecallError):
    """Something that the database cannot keep as it is."""


class StillNeeded(RecallError):
    """Something else that is kept depends on it, so it cannot be deleted like this."""


class NotPossibleNow(RecallError):
    """The run is in a state in which this cannot be done."""
