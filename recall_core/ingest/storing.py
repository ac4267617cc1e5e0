"""Characters that can be stored and shown."""

from __future__ import annotations

from unicodedata import bidirectional, category

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


def visible(text: str) -> bool:
    """Whether any character of it can be seen: blanks, marks of direction and the like cannot."""
    return any(character.isprintable() and not character.isspace() for character in text)


def steers(character: str) -> bool:
    """Whether it moves what stands beside it: a control character, or one that turns the direction
    of a line, which in a name would turn the names after it as well.
    """
    return category(character) == "Cc" or bidirectional(character) in _TURNS


_TURNS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
