"""Reading what a model wrote: whatever shape it comes in, and never more than it says.

`read_reply` finds the one answer in a text (an object that fits, or the document's text form) and
gives a reading for each unit that was asked about. What cannot be read is a failure of that unit,
or of the whole reply; nothing is clamped, guessed or filled in.
"""

from recall_core.replies.entries import Quote
from recall_core.replies.reading import Again, Reading, UnitReading, Unread, read_reply

__all__ = ["Again", "Quote", "Reading", "UnitReading", "Unread", "read_reply"]
