"""Items of a list cell as passages: texts, or objects with a text and perhaps ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recall_core.ingest.cells import unwrapped
from recall_core.ingest.trouble import CellError
from recall_core.types import GroundTruthPassage, PassageKind, RetrievedPassage

_TEXT_KEYS = ("content", "text", "page_content", "passage")
_ID_KEYS = ("id", "passage_id", "_id")
_DOCUMENT_KEYS = ("document_id", "doc_id")
_CHUNK_KEYS = ("chunk_id",)
_KINDS = {"essential": PassageKind.ESSENTIAL, "bonus": PassageKind.BONUS}
_IMPORTANCE = {"vital": PassageKind.ESSENTIAL, "okay": PassageKind.BONUS}
"""What nuggets of TREC's evaluations have instead of a kind."""


@dataclass(frozen=True, slots=True)
class _Item:
    text: str
    id: str | None = None
    kind: PassageKind | None = None
    blank_on_purpose: bool = False


def retrieved_passages(items: Iterable[object]) -> tuple[RetrievedPassage, ...]:
    """The passages in the order of the list; the first has rank 1."""
    read = [_item(item, number) for number, item in enumerate(items, 1)]
    return tuple(RetrievedPassage(rank, i.text, i.id) for rank, i in enumerate(read, 1))


def ground_truth_passages(
    items: Iterable[object], kind: PassageKind | None = None
) -> tuple[GroundTruthPassage, ...]:
    """The passages in the order of the list. An item's own kind counts, else `kind`, else
    essential. An item that names its kind and has no text is a `CellError`; a blank text in a plain
    list stays, since string distance has a rule for it."""
    passages = []
    for number, item in enumerate(items, 1):
        read = _item(item, number)
        if read.kind is not None and not read.text.strip() and not read.blank_on_purpose:
            raise CellError(f"Item {number} ({read.kind.value}) is empty: it has no text.")
        passages.append(
            GroundTruthPassage(read.kind or kind or PassageKind.ESSENTIAL, read.text, read.id)
        )
    return tuple(passages)


def blank_items(texts: Iterable[str]) -> str:
    """A notice that counts blank texts, or an empty one."""
    blank = [str(number) for number, text in enumerate(texts, 1) if not text.strip()]
    if not blank:
        return ""
    return f"item {', '.join(blank)} is blank" if len(blank) == 1 else f"{len(blank)} blank items"


def names_kinds(items: Iterable[object]) -> bool:
    """Whether the list is one of `{kind, text}` or of other objects with a text."""
    return any(isinstance(item, Mapping) and _first(item, _TEXT_KEYS) is not None for item in items)


def _item(item: object, number: int) -> _Item:
    value = unwrapped(item)
    if isinstance(value, str):
        return _Item(value)
    if value is None:
        raise CellError(f"Item {number} is empty (null). Remove it, or write an empty text.")
    if isinstance(value, Mapping):
        return _object(value, number)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _Item(str(value))
    kind = "a list" if isinstance(value, list | tuple) else f"of type {type(value).__name__}"
    raise CellError(f"Item {number} is {kind}, not a passage.")


def _object(item: Mapping[object, object], number: int) -> _Item:
    text = _first(item, _TEXT_KEYS)
    if text is None:
        keys = ", ".join(map(str, item))[:60]
        raise CellError(f"Item {number} is an object without text (it has: {keys or 'nothing'}).")
    if not isinstance(text, str):
        raise CellError(f"The text of item {number} is not text.")
    blank = item.get("blank") is True
    return _Item(text, _passage_id(item), _kind(item, number), blank)


def _kind(item: Mapping[object, object], number: int) -> PassageKind | None:
    for name, words in (("kind", _KINDS), ("importance", _IMPORTANCE)):
        value = item.get(name)
        if value is None:
            continue
        kind = words.get(value.strip().lower()) if isinstance(value, str) else None
        if kind is None:
            known = " or ".join(words)
            raise CellError(f"Item {number} has the {name} {value!r}; it takes {known}.")
        return kind
    return None


def _passage_id(item: Mapping[object, object]) -> str | None:
    own = _first(item, _ID_KEYS)
    parts = [own] if own else [_first(item, _DOCUMENT_KEYS), _first(item, _CHUNK_KEYS)]
    return "/".join(str(part) for part in parts if part not in (None, "")) or None


def _first(item: Mapping[object, object], keys: Iterable[str]) -> object:
    for key in keys:
        if item.get(key) is not None and item[key] != "":
            return item[key]
    return next((item[key] for key in keys if item.get(key) is not None), None)
