"""What every operation works with: the database, places for slow work, the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from api.web.gate import Gate
from api.web.scoring import ScoringProcess
from api.web.threads import Bounded, bounded_threads
from db.engine import Engine
from db.errors import UnusableDatabase
from db.tokens import TokenCard, note_use, tokens_in_force

DATABASE_THREADS = 4
MODEL_THREADS = 8
"""How many requests may ask a language model at the same time; each may make several calls."""


def utc_now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


@dataclass
class Desk:
    """Made once a server; `find_engine` gives the database while the server is up."""

    find_engine: Callable[[], Engine | None]
    now: Callable[[], datetime] = utc_now
    database: Bounded = field(
        default_factory=lambda: bounded_threads(DATABASE_THREADS, waiting=256, what="the database")
    )
    models: Bounded = field(
        default_factory=lambda: bounded_threads(MODEL_THREADS, waiting=64, what="a model")
    )
    files: Bounded = field(
        default_factory=lambda: bounded_threads(2, waiting=8, what="imports and exports")
    )
    scoring: ScoringProcess = field(default_factory=ScoringProcess)
    gate: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self, self.database, self.now)

    @property
    def engine(self) -> Engine:
        """The open database; `UnusableDatabase` before the server is up and after it is down."""
        engine = self.find_engine()
        if engine is None:
            raise UnusableDatabase("The database is not open: the server is starting or stopping.")
        return engine

    def tokens_in_force(self) -> Mapping[str, TokenCard]:
        """The tokens that let somebody in."""
        return tokens_in_force(self.engine)

    def note_use(self, token_id: int, now: datetime) -> None:
        """The token was used just now."""
        note_use(self.engine, [token_id], now=now)

    def close(self) -> None:
        """Let go of threads and of the scoring process."""
        self.database.close()
        self.models.close()
        self.files.close()
        self.scoring.close()
