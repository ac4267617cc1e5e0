"""Where the bytes come from: a path on disk or an upload that is in memory."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from recall_core.errors import UnreadableFile


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes that can be opened again and again."""

    filename: str
    place: Path | bytes

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.place) if isinstance(self.place, bytes) else self.place.stat().st_size

    def open(self) -> BinaryIO:
        """A new reader at the first byte; the caller closes it."""
        if isinstance(self.place, bytes):
            return io.BytesIO(self.place)
        return self.place.open("rb")

    def open_text(self, encoding: str, *, newline: str = "") -> io.TextIOWrapper:
        """The same as text; line ends stay as they are."""
        return io.TextIOWrapper(self.open(), encoding=encoding, newline=newline)

    def head(self, count: int) -> bytes:
        """The first `count` bytes."""
        with self.open() as stream:
            return stream.read(count)

    def unreadable(self, reason: str) -> UnreadableFile:
        """The error that names this file."""
        return UnreadableFile(f"{self.filename}: {reason}")


def source_of(place: Path | str | bytes, filename: str | None = None) -> Source:
    """A `Source` for a path or for bytes; `UnreadableFile` when there is no such file."""
    if isinstance(place, bytes):
        return Source(filename or "upload", place)
    path = Path(place)
    name = filename or path.name
    if not path.is_file():
        raise UnreadableFile(f"There is no file at {path}.")
    return Source(name, path)
