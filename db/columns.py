"""Column types that keep what plain SQL would lose: exact scores and the time zone."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sqlalchemy import DateTime, Dialect, String
from sqlalchemy.types import TypeDecorator


class UtcTime(TypeDecorator[datetime]):
    """An aware time, kept in UTC; SQLite drops the zone, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("A time without a zone cannot be kept: pass an aware datetime.")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        time: datetime = value
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


class UnitScore(TypeDecorator[Fraction]):
    """A unit's score as decimal text (`4`, `4.5`), exact, and comparable in SQL by a CAST."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: Fraction | None, dialect: Dialect) -> str | None:
        return None if value is None else decimal_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Fraction | None:
        return None if value is None else Fraction(str(value))


class ExactFinal(TypeDecorator[Fraction]):
    """A final score as a fraction in lowest terms (`367/100`, `1/3`), so that means are exact."""

    impl = String(64)
    cache_ok = True

    def process_bind_param(self, value: Fraction | None, dialect: Dialect) -> str | None:
        return None if value is None else f"{value.numerator}/{value.denominator}"

    def process_result_value(self, value: Any, dialect: Dialect) -> Fraction | None:
        return None if value is None else Fraction(str(value))


@lru_cache(maxsize=1024)
def decimal_text(score: Fraction) -> str:
    """`score` written as a finite decimal, without trailing zeros; a third has none: ValueError."""
    for places in range(16):
        scaled = score * 10**places
        if scaled.denominator == 1:
            digits = f"{abs(scaled.numerator):0{places + 1}d}"
            whole = digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"
            return f"-{whole}" if score < 0 else whole
    raise ValueError(f"{score} has no short decimal form, so it cannot be a unit's score.")


def whole_text(text: str) -> str:
    """`text` without what no database keeps: NUL goes, and half a character becomes a question
    mark.
    """
    kept = text.replace("\0", "")
    return kept if kept.isascii() else kept.encode("utf-8", "replace").decode()
