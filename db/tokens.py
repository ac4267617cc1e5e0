"""Tokens that let programs in: made once, shown once, kept as a hash."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from db.engine import reading, transaction
from db.errors import NotKept, Unkeepable
from db.importing import required_name
from db.tables import TokenRow
from recall_core.ingest.storing import storable

PREFIX = "recall_"
"""So that people, and programs that look for leaked secrets, know what they see."""

RANDOM_BYTES = 32
"""256 random bits: nobody guesses them, so a plain hash keeps them and a slow one would add
nothing but waiting."""


class Scope(StrEnum):
    """What a token is good for; a token may have several."""

    EVALUATE = "evaluate"
    """Score examples, bring datasets in, start and stop runs."""
    READ = "read"
    """Read datasets, runs, judgements and decisions, and export them."""
    REVIEW = "review"
    """Read, and decide on units under the token's name."""
    ADMIN = "admin"
    """Everything: also delete, decide in somebody else's name, and see what is kept from blind
    reviewers."""

    @property
    def covers(self) -> frozenset[Scope]:
        """What a token with this scope may do."""
        return _COVERS[self]


_COVERS = {
    Scope.EVALUATE: frozenset({Scope.EVALUATE}),
    Scope.READ: frozenset({Scope.READ}),
    Scope.REVIEW: frozenset({Scope.READ, Scope.REVIEW}),
    Scope.ADMIN: frozenset(Scope),
}


@dataclass(frozen=True, slots=True)
class TokenCard:
    """A token as people see it, which is all but the token itself."""

    id: int
    name: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None

    def allows(self, scope: Scope) -> bool:
        """Whether one of its scopes covers `scope`."""
        return any(scope in own.covers for own in self.scopes)


def hash_of_token(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def create_token(engine: Engine, name: str, scopes: Collection[Scope], *, now: datetime) -> str:
    """Make a token; this is the only time that anybody can read it.

    What is written with it has `name` for its author, so a name has one token at a time
    (`Unkeepable`); revoke the old one first.
    """
    title = required_name(storable(name))
    if not scopes:
        raise Unkeepable(f"A token needs a scope: {', '.join(Scope)}.")
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    with transaction(engine) as session:
        if _in_force(session, title) is not None:
            raise Unkeepable(
                f"{title} has a token. Revoke it first, or choose another name: what is written "
                "with a token has its name for an author."
            )
        session.add(
            TokenRow(
                name=title,
                hash=hash_of_token(token),
                scopes=[scope.value for scope in Scope if scope in scopes],
                created_at=now,
            )
        )
    return token


def list_tokens(engine: Engine) -> list[TokenCard]:
    """Every token there ever was, oldest first."""
    with reading(engine) as session:
        return [_card(row) for row in session.scalars(select(TokenRow).order_by(TokenRow.id))]


def tokens_in_force(engine: Engine) -> Mapping[str, TokenCard]:
    """The tokens that let somebody in, by their hash."""
    with reading(engine) as session:
        rows = session.scalars(select(TokenRow).where(TokenRow.revoked_at.is_(None)))
        return {row.hash: _card(row) for row in rows}


def revoke_token(engine: Engine, name: str, *, now: datetime) -> TokenCard:
    """The token of that name lets nobody in any more; `NotKept` if there is none in force."""
    with transaction(engine) as session:
        row = _in_force(session, name.strip())
        if row is None:
            raise NotKept(f"No token in force is named {name!r}.")
        row.revoked_at = now
        return _card(row)


def note_use(engine: Engine, token_ids: Iterable[int], *, now: datetime) -> None:
    """These tokens were used just now."""
    query = update(TokenRow).where(TokenRow.id.in_(list(token_ids)))
    with transaction(engine) as session:
        session.execute(query.values(last_used_at=now))


def _in_force(session: Session, name: str) -> TokenRow | None:
    query = select(TokenRow).where(TokenRow.name == name, TokenRow.revoked_at.is_(None))
    return session.scalars(query).first()


def _card(row: TokenRow) -> TokenCard:
    return TokenCard(
        id=row.id,
        name=row.name,
        scopes=tuple(Scope(scope) for scope in row.scopes),
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
