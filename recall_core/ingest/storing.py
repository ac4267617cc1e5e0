"""Characters that can be stored and shown."""

from __future__ import annotations

REMOVED = "characters that cannot be stored were removed"
"""What to say where `storable` changed a text."""


def storable(text: str) -> str:
    """The text without what no database keeps: NUL is removed, half a surrogate pair replaced."""
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
