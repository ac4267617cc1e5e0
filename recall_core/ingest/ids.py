"""Ids of examples: kept, made where there are none, and told apart where two rows share one."""

from __future__ import annotations

from array import array

from recall_core.ingest.trouble import RowNotice

_EMPTY = 0


class SeenIds:
    """Which ids a file has used, in 12 bytes a slot instead of 150: files have millions of rows.

    An open-addressing table of 64-bit hashes and row numbers. Two different ids share a hash once
    in 10^6 files of five million rows, and then the second only gets a suffix it did not need.
    """

    def __init__(self) -> None:
        self._hashes = array("Q", bytes(8 * 1024))
        self._rows = array("I", bytes(4 * 1024))
        self._used = 0

    def add(self, example_id: str, row: int) -> int | None:
        """Note the id; the row that has it already, or `None` if it is new."""
        if self._used * 3 >= len(self._hashes) * 2:
            self._grow()
        key = (hash(example_id) & 0xFFFFFFFFFFFFFFFF) or 1
        slot = self._slot(key)
        if self._hashes[slot] == key:
            return self._rows[slot]
        self._hashes[slot], self._rows[slot] = key, row
        self._used += 1
        return None

    def _slot(self, key: int) -> int:
        mask = len(self._hashes) - 1
        slot = (key ^ key >> 32) & mask
        while self._hashes[slot] not in (_EMPTY, key):
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        hashes, rows = self._hashes, self._rows
        self._hashes = array("Q", bytes(8 * len(hashes) * 2))
        self._rows = array("I", bytes(4 * len(rows) * 2))
        for key, row in zip(hashes, rows, strict=True):
            if key != _EMPTY:
                slot = self._slot(key)
                self._hashes[slot], self._rows[slot] = key, row


class IdGiver:
    """Gives every row of a file an id that no other row has, the same at every reading."""

    def __init__(self) -> None:
        self._seen = SeenIds()
        self._copies: dict[str, int] = {}

    def give(self, wanted: str | None, row: int) -> tuple[str, RowNotice | None]:
        """The row's own id; `row-7` where it has none; `q1#2` where an earlier row has `q1`."""
        base = wanted or f"row-{row}"
        earlier = self._seen.add(base, row)
        if earlier is None:
            return base, None
        copy = self._copies.get(base, 1) + 1
        while self._seen.add(f"{base}#{copy}", row) is not None:
            copy += 1
        self._copies[base] = copy
        notice = RowNotice(
            row, "Id", f"row {earlier} has the same id; this one is kept as {base}#{copy}", base
        )
        return f"{base}#{copy}", notice
