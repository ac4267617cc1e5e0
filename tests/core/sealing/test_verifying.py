"""Verifying a sealed package without the database that made it: what was touched is named."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recall_core.sealing import verify_file, verify_package
from recall_core.sealing.container import MANIFEST, MEMBERS, packed, unpacked

GOLDEN = (Path(__file__).parents[2] / "golden" / "sealed.zip").read_bytes()
SIZE = len(GOLDEN)


@cache
def files() -> dict[str, bytes]:
    return unpacked(GOLDEN)


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files()[name].splitlines()]


def resealed(name: str, records: list[dict[str, Any]], *, texts: bool = True) -> bytes:
    """The package as a forger would make it, who seals again what they have changed."""
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    members = {member: files()[member] for member in MEMBERS} | {name: content}
    return packed(members, tool="forger", run=1, name="first", texts=texts)


def changed(name: str, change: Callable[[list[dict[str, Any]]], object]) -> list[str]:
    """What is found in the package after somebody changed a member and sealed again."""
    records = lines(name)
    change(records)
    return [str(found) for found in verify_package(resealed(name, records)).breaks]


def test_a_package_is_equal_and_says_how_much_was_checked() -> None:
    found = verify_package(GOLDEN)

    assert found.breaks == ()
    assert (found.judgements, found.decisions) == (11, 24)
    assert found.manifest is not None


@settings(max_examples=300)
@given(place=st.integers(0, SIZE - 1), other=st.integers(1, 255))
@example(place=SIZE - 1, other=1)
def test_whatever_byte_is_changed_the_package_is_not_equal(place: int, other: int) -> None:
    data = bytearray(GOLDEN)
    data[place] ^= other

    assert not verify_package(bytes(data)).equal


@pytest.mark.parametrize("name", [MANIFEST, *MEMBERS])
def test_a_changed_byte_is_said_to_be_in_its_file(name: str) -> None:
    content = files()[name]
    if not content:
        pytest.skip("the golden package asks no model, so it has no prompts")
    data = bytearray(GOLDEN)
    data[GOLDEN.index(content) + len(content) // 2] ^= 1

    (found,) = verify_package(bytes(data)).breaks

    assert str(found) == f"{name}: its bytes are not those that were sealed."


@settings(max_examples=50)
@given(st.integers(0, SIZE - 1))
def test_a_package_that_is_cut_off_is_refused(length: int) -> None:
    assert not verify_package(GOLDEN[:length]).equal


def test_what_stands_behind_a_package_is_named() -> None:
    (found,) = verify_package(GOLDEN + b"more").breaks

    assert f"from byte {SIZE} on" in str(found)


NUMBERS = {
    "judgements.jsonl": {"score", "judge_final", "final", "essential", "bonus"},
    "ledger.jsonl": {"before", "after", "undoes", "based_on", "unit", "judgement"},
    "numbers.json": {"value", "n", "of", "decisions", "recall", "low", "high", "reachable"}
    | {"audited", "chosen", "pending", "failed", "examples", "judge_mean", "judge_covers"},
    "policies.jsonl": {"pass_mark", "bonus_weight", "value", "n", "of", "passed"},
    "audit.jsonl": {"position", "seed", "example"},
    "examples.jsonl": {"position"},
}
"""The numbers that others follow from, by member."""


def places(value: Any, wanted: set[str], way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each number below a wanted name; scores are numbers that stand as text."""
    inside = any(part in wanted for part in way)
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for part, below in parts:
            yield from places(below, wanted, (*way, part))
    elif inside and not isinstance(value, bool) and _is_number(value):
        yield way


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value[:1].isdigit())


def every_number() -> list[tuple[str, tuple[Any, ...]]]:
    every = [(name, way) for name, names in NUMBERS.items() for way in places(lines(name), names)]
    return [touched for touched in every if not _follows_nothing(*touched)]


def _follows_nothing(name: str, way: tuple[Any, ...]) -> bool:
    """Whether it is what had arrived of a judge that then failed: no final comes from it."""
    judged = name != "judgements.jsonl" or lines(name)[way[0]]["status"] == "processed"
    return not judged and way[-3:-2] == ("verdicts",)


@settings(max_examples=150)
@given(st.sampled_from(every_number()))
def test_whatever_number_is_changed_and_sealed_again_it_is_found(
    touched: tuple[str, tuple[Any, ...]],
) -> None:
    name, (*way, last) = touched

    def change(records: Any) -> None:
        for part in way:
            records = records[part]
        value = records[last]
        records[last] = value + 1 if isinstance(value, int | float) else f"{value}1"

    assert changed(name, change)


def test_a_break_names_file_example_unit_and_both_numbers() -> None:
    def change(records: list[dict[str, Any]]) -> None:
        verdict = next(v for r in records for v in r["verdicts"] if not v["now"]["reviewed"])
        verdict["score"] = "1" if verdict["score"] != "1" else "2"

    found = changed("judgements.jsonl", change)

    assert found[0].startswith("judgements.jsonl, example e")
    assert "score that counts: sealed as" in found[0]
    assert "computed as" in found[0]
    assert any("the judge's final" in line for line in found)
    assert any(line.startswith("numbers.json, judge_mean") for line in found)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("ledger.jsonl", lambda rows: rows.pop(3), "removed, added or reordered just before it"),
        ("ledger.jsonl", lambda rows: rows.pop(), "numbers.json, decisions: sealed as 24"),
        ("ledger.jsonl", lambda rows: rows[1].update(note="said so"), "was changed after Mara"),
        ("ledger.jsonl", lambda rows: rows[2].update(reviewer="Zoe"), "was changed after Zoe"),
        ("audit.jsonl", lambda rows: rows.pop(0), "it stands where draw 1 ought to"),
        ("audit.jsonl", lambda rows: rows[-1].update(stratum="failed"), "numbers.json, headline"),
        ("reviews.jsonl", lambda rows: rows.pop(0), "its review is not in reviews.jsonl"),
        ("examples.jsonl", lambda rows: rows.pop(), "10 examples; run.json says 11"),
        ("examples.jsonl", lambda rows: rows[0].update(content="{}"), "its SHA-256 is not that"),
        ("judgements.jsonl", lambda rows: rows.pop(), "example none: its judgement is not there"),
        ("judgements.jsonl", lambda rows: rows.append(rows[0]), "judgement 1: it is there twice"),
        ("policies.jsonl", lambda rows: rows[0].update(mean=None), "strict: its mean is missing"),
        ("run.json", lambda rows: rows[0].update(formula="share"), "judgements.jsonl, example"),
        ("run.json", lambda rows: rows[0].update(name="second"), "names another run"),
        ("run.json", lambda rows: rows[0].update(judge=7), "run.json, line 1, judge:"),
        ("run.json", lambda rows: rows[0].update(extra=7), "run.json, line 1, extra:"),
        ("run.json", lambda rows: rows.pop(), "run.json has 0 lines instead of 1"),
    ],
)
def test_a_forgery_that_is_sealed_again_is_named(
    name: str, change: Callable[[list[dict[str, Any]]], object], said: str
) -> None:
    assert any(said in line for line in changed(name, change))


@pytest.mark.parametrize("score", ["1e999999999", "1/0", "9" * 5000, "NaN", "", "4/3/2"])
def test_a_score_that_would_fill_the_memory_is_refused_unread(score: str) -> None:
    (found,) = changed("judgements.jsonl", lambda rows: rows[0].update(final=score))

    assert found.startswith("judgements.jsonl, line 1, final: ")


def test_what_a_package_is_called_cannot_command_a_terminal() -> None:
    found = changed("policies.jsonl", lambda rows: rows[0].update(name="\x1b[2J", mean=None))

    assert "\x1b" not in "".join(found)


def test_deep_nesting_is_refused() -> None:
    def change(records: list[dict[str, Any]]) -> None:
        records[0]["settings"] = "@"

    records = lines("run.json")
    change(records)
    text = json.dumps(records[0]).replace('"@"', '{"a":' * 5000 + "1" + "}" * 5000)
    members = {member: files()[member] for member in MEMBERS} | {"run.json": text.encode() + b"\n"}

    found = verify_package(packed(members, tool="t", run=1, name="first", texts=True)).breaks

    assert str(found[0]).startswith("run.json, line 1")


def zipped(*entries: tuple[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", how) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return place.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "does not begin as a zip does"),
        (b"%PDF-1.7", "does not begin as a zip does"),
        (zipped(("../../etc/passwd", b"root")), "holds '../../etc/passwd' where"),
        (zipped(("/manifest.json", b"{}")), "holds '/manifest.json' where"),
        (zipped((MANIFEST, b"0" * 10**7), how=zipfile.ZIP_DEFLATED), "compressed or encrypted"),
        (zipped((MANIFEST, b"{}")), "run.json is not at byte"),
        (zipped((MANIFEST, b"{}"), ("numbers.json", b"{}")), "holds 'numbers.json' where"),
        (b"PK\x03\x04" + b"\xff" * 26 + b"x" * 70000, "holds 'xxxxx"),
        (b"PK\x03\x04", "manifest.json is not at byte 0"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_no_package_is_refused_in_a_sentence(data: bytes, said: str) -> None:
    (found,) = verify_package(data).breaks

    assert said in str(found)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused() -> None:
    (found,) = verify_package(zipped((MANIFEST, b"{}"), (MANIFEST, b"{}"))).breaks

    assert "holds 'manifest.json' where a sealed package has run.json" in str(found)


def test_a_file_longer_than_the_zip_that_holds_it_is_refused() -> None:
    data = bytearray(zipped((MANIFEST, b"{}")))
    data[18:26] = b"\xff\xff\xff\x7f" * 2

    (found,) = verify_package(bytes(data)).breaks

    assert "longer than the zip" in str(found)


def manifest_with(**values: object) -> bytes:
    """The golden package with another manifest, everything else as it was."""
    text = json.dumps({**json.loads(files()[MANIFEST]), **values}, indent=1).encode()
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in {**files(), MANIFEST: text + b"\n"}.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, content)
    return place.getvalue()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"version": 2}, "The package has version 2 of the format; this tool knows version 1"),
        ({"format": "zip"}, "manifest.json, format:"),
        ({"members": []}, "manifest.json was changed"),
        ({"seal": "0" * 64}, "manifest.json was changed: its seal does not fit"),
        ({"run": "1"}, "manifest.json, run:"),
        ({"name": "second"}, "manifest.json was changed"),
    ],
)
def test_a_manifest_of_another_kind_is_refused(values: dict[str, object], said: str) -> None:
    (found,) = verify_package(manifest_with(**values)).breaks

    assert said in str(found)


def test_a_file_too_large_to_be_read_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        file.truncate((1 << 30) + 1)

    (found,) = verify_file(path).breaks

    assert str(found) == "large.zip is larger than 1024 MB, so it is not read."


def leaves(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value that holds no others."""
    if isinstance(value, dict | list):
        for part, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(below, (*way, part))
    else:
        yield way


EVERY_LEAF = [(name, way) for name in MEMBERS for way in leaves(lines(name))]
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8).filter(lambda text: text.isprintable()),
    st.sampled_from(["0", "9" * 300, "-5", "1/3", "E1", "B9", "E0", "essential", "undo", "up"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.sampled_from(["a", "score"]), st.integers(), max_size=2),
)


@settings(max_examples=400)
@given(st.lists(st.tuples(st.sampled_from(EVERY_LEAF), ANYTHING), min_size=1, max_size=3))
def test_whatever_a_stranger_writes_into_a_package_is_answered_and_never_a_crash(
    touched: list[tuple[tuple[str, tuple[Any, ...]], Any]],
) -> None:
    name = touched[0][0][0]
    records: Any = lines(name)
    for (other, (*way, last)), value in touched:
        if other == name:
            place = records
            for part in way:
                place = place[part]
            place[last] = value

    found = verify_package(resealed(name, records))

    assert all(str(broken).isprintable() for broken in found.breaks)
