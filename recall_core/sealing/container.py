"""The file around a sealed package: a zip whose every byte follows from what is in it.

Members are stored and not compressed, in one order, with one time and one mode. So the same run
makes the same bytes on every machine, nothing can unpack to more than the file's own size, and a
byte that was changed anywhere shows.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from recall_core.errors import UnreadableFile
from recall_core.sealing.records import FORMAT, VERSION, Manifest

MANIFEST = "manifest.json"
MEMBERS = (
    "run.json",
    "prompts.jsonl",
    "examples.jsonl",
    "judgements.jsonl",
    "reviews.jsonl",
    "ledger.jsonl",
    "audit.jsonl",
    "policies.jsonl",
    "numbers.json",
)
LARGEST = 1 << 30
"""Larger files are refused unread; 20,000 examples with their texts make about 200 MB."""

_BEGINNING_OF_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_FILE = b"PK\x03\x04"
_HEADER = struct.Struct("<4s5H3L2H")
"""Signature; version, flags, method, time, date; CRC-32, stored and real size; lengths of name and
of extra fields."""


class Refused(UnreadableFile):
    """The file is no sealed package, or not as one is written."""


def packed(members: Mapping[str, bytes], *, tool: str, run: int, name: str, texts: bool) -> bytes:
    """The package of these members, with its manifest."""
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "tool": tool,
        "run": run,
        "name": name,
        "texts": texts,
        "members": [
            {"name": m, "bytes": len(members[m]), "sha256": sha256(members[m])} for m in MEMBERS
        ],
    }
    sealed = {**manifest, "seal": seal_of(manifest)}
    text = json.dumps(sealed, ensure_ascii=False, indent=1, allow_nan=False)
    return _zipped({MANIFEST: text.encode() + b"\n", **members})


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def seal_of(manifest: Mapping[str, Any]) -> str:
    """The hash of the manifest's facts, which hold the hashes of everything else."""
    return sha256(json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode())


def _zipped(files: Mapping[str, bytes]) -> bytes:
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for name in (MANIFEST, *MEMBERS):
            entry = zipfile.ZipInfo(name, _BEGINNING_OF_ZIP_TIME)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return place.getvalue()


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that may be a package; `Refused` where it is too large to be one."""
    if path.stat().st_size > LARGEST:
        raise Refused(f"{path.name} is larger than {LARGEST >> 20} MB, so it is not read.")
    return path.read_bytes()


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a package by name, the manifest among them; nothing is written anywhere.

    The zip is walked from its first byte as `packed` lays it out, so names, sizes and tables that
    lie are not even looked at. `Refused` names the first thing that is not as it was written.
    """
    if data[:4] != _FILE:
        raise Refused("The file is no sealed package: it does not begin as a zip does.")
    files: dict[str, bytes] = {}
    place = 0
    for name in (MANIFEST, *MEMBERS):
        files[name], place = _next_file(data, place, name)
    written = _zipped(files)
    if written != data:
        pairs = enumerate(zip(data, written, strict=False))
        first = next((i for i, (a, b) in pairs if a != b), min(len(data), len(written)))
        raise Refused(
            f"The zip around the files was changed, from byte {first} on: its names, times, order, "
            "or what stands before and after the files."
        )
    return files


def _next_file(data: bytes, place: int, wanted: str) -> tuple[bytes, int]:
    """The content of the file that is written at `place`, and where the next one begins."""
    header = data[place : place + _HEADER.size]
    if len(header) < _HEADER.size or header[:4] != _FILE:
        raise Refused(f"The zip is no whole sealed package: {wanted} is not at byte {place}.")
    _, _, flags, method, _, _, crc, stored, size, name_length, extra = _HEADER.unpack(header)
    start = place + _HEADER.size + name_length + extra
    name = data[place + _HEADER.size : start - extra].decode("utf-8", "replace")
    if name != wanted:
        raise Refused(f"The zip holds {name[:80]!r} where a sealed package has {wanted}.")
    if flags or method or stored != size:
        raise Refused(f"{name} is compressed or encrypted, which a sealed file never is.")
    content = data[start : start + size]
    if len(content) < size:
        raise Refused(f"{name} says that it is longer than the zip that holds it.")
    if zlib.crc32(content) != crc:
        raise Refused(f"{name}: its bytes are not those that were sealed.")
    return content, start + size


def read_manifest(files: Mapping[str, bytes]) -> Manifest:
    """The manifest, once it and every file are found to be as sealed; else `Refused`."""
    manifest = _manifest(files[MANIFEST])
    facts = manifest.model_dump(mode="json", exclude={"seal"})
    if seal_of(facts) != manifest.seal:
        raise Refused(f"{MANIFEST} was changed: its seal does not fit what it says.")
    if tuple(member.name for member in manifest.members) != MEMBERS:
        raise Refused(f"{MANIFEST} does not list the files of a sealed package in their order.")
    changed = [m.name for m in manifest.members if sha256(files[m.name]) != m.sha256]
    changed += [m.name for m in manifest.members if len(files[m.name]) != m.bytes]
    if changed:
        names = ", ".join(dict.fromkeys(changed))
        raise Refused(f"{names}: not what was sealed, for the SHA-256 or the length differs.")
    return manifest


def _manifest(data: bytes) -> Manifest:
    try:
        return Manifest.model_validate_json(data)
    except ValidationError as invalid:
        problem = invalid.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        if field == "version":
            raise Refused(
                f"The package has version {str(problem['input'])[:20]} of the format; this tool "
                f"knows version {VERSION}. Verify it with the tool that sealed it, or a newer one."
            ) from invalid
        raise Refused(f"{MANIFEST}, {field or 'as a whole'}: {problem['msg']}.") from invalid
