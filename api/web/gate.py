"""Who is at the door: the token of a request, looked up in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from starlette.datastructures import Headers

from api.web.answers import Problem
from api.web.threads import Bounded
from db.tokens import Scope, TokenCard, hash_of_token

TRUSTED_FOR = timedelta(seconds=1)
"""How old what is known of the tokens may be: a revoked one gets in for no longer than this."""

USE_NOTED_EVERY = timedelta(minutes=1)
"""`last used` is written at most that often, so that reading costs no writing."""

NO_TOKENS = (
    "This desk has no token yet, so it answers nobody. Make one on the machine where it runs: "
    "python -m api token create --name NAME --scope evaluate"
)
WANTED = (
    "Send a token in the header X-Auth-Token, or as Authorization: Bearer. "
    "python -m api token create makes one."
)
UNKNOWN = "This token is unknown or revoked."

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="Recall Desk"'}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the name that their writes carry, and what they may do."""

    token_id: int
    name: str
    scopes: tuple[Scope, ...]

    def may(self, scope: Scope) -> bool:
        """Whether one of their scopes covers this one."""
        return any(scope in own.covers for own in self.scopes)

    @property
    def viewer(self) -> str | None:
        """As whom they read: what is kept from a person of that name is kept from the token.

        `None`, for administrators, who see everything.
        """
        return None if self.may(Scope.ADMIN) else self.name


class TokenStore(Protocol):
    """Where tokens are kept."""

    def tokens_in_force(self) -> Mapping[str, TokenCard]:
        """Those that let somebody in, by their hash."""
        ...

    def note_use(self, token_id: int, now: datetime) -> None:
        """The token was used just now."""
        ...


@dataclass
class Gate:
    """Lets callers in. What it knows of the tokens is read again at most once a second."""

    store: TokenStore
    threads: Bounded
    now: Callable[[], datetime]
    _known: Mapping[str, TokenCard] = field(default_factory=dict)
    _read_at: datetime | None = None
    _reading: asyncio.Task[None] | None = None
    _noted: dict[int, datetime] = field(default_factory=dict)
    _notes: set[asyncio.Task[None]] = field(default_factory=set)

    async def caller(self, headers: Headers, scope: Scope | None) -> Caller:
        """Who sent these headers; a 401 or 403 if they may not do what `scope` stands for.

        Without a `scope` any token will do.
        """
        token = token_in(headers)
        card = await self._card(token)
        if card is None:
            await self._require_tokens()
            raise Problem(401, UNKNOWN if token else WANTED, headers=CHALLENGE)
        if scope is not None and not card.allows(scope):
            raise Problem(
                403, f"The token {card.name} has not the scope {scope}, which this request needs."
            )
        self._note_use(card)
        return Caller(card.id, card.name, card.scopes)

    async def anybody(self) -> None:
        """A 401 while no token exists: the desk then answers nobody."""
        await self._refresh_if_old()
        await self._require_tokens()

    async def settled(self) -> None:
        """Return when every use that was noticed is written."""
        await asyncio.gather(*self._notes)

    async def _require_tokens(self) -> None:
        if not self._known:
            raise Problem(401, NO_TOKENS, headers=CHALLENGE)

    async def _card(self, token: str) -> TokenCard | None:
        await self._refresh_if_old()
        if not token:
            return None
        known = hash_of_token(token)
        if known not in self._known:
            # It may have been made a moment ago.
            await self._refresh()
        return self._known.get(known)

    async def _refresh_if_old(self) -> None:
        if self._read_at is None or self.now() - self._read_at > TRUSTED_FOR:
            await self._refresh()

    async def _refresh(self) -> None:
        """Read the tokens, once for all who wait for it."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read())
        await asyncio.shield(self._reading)

    async def _read(self) -> None:
        begun = self.now()
        self._known = await self.threads.run(self.store.tokens_in_force)
        self._read_at = begun

    def _note_use(self, card: TokenCard) -> None:
        now = self.now()
        last = max(
            (at for at in (self._noted.get(card.id), card.last_used_at) if at is not None),
            default=None,
        )
        if last is not None and now - last < USE_NOTED_EVERY:
            return
        self._noted[card.id] = now
        note = asyncio.create_task(self._write_use(card.id, now))
        self._notes.add(note)
        note.add_done_callback(self._notes.discard)

    async def _write_use(self, token_id: int, now: datetime) -> None:
        try:
            await self.threads.run(self.store.note_use, token_id, now)
        except Exception:  # noqa: BLE001 - a busy database must not fail a request that succeeded
            self._noted.pop(token_id, None)


def token_in(headers: Headers) -> str:
    """The token that a request carries, or an empty text."""
    own = headers.get("x-auth-token", "").strip()
    if own:
        return own
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
