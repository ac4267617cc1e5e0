"""Answers identical calls from what is kept, and keeps every call as soon as it has ended."""

from __future__ import annotations

import asyncio

from recall_core.llm.types import (
    CallFailed,
    CallRecord,
    CallStore,
    Chat,
    ChatReply,
    ChatRequest,
    request_hash,
)


class StoredChat:
    """The outermost layer: a kept reply costs no call; a new one is kept before it is read.

    Identical calls at the same moment wait for the first and share its reply. Failures are kept
    too, for people to read, but never answer a call.
    """

    def __init__(self, inner: Chat, *, endpoint: str, address: str, store: CallStore) -> None:
        self._inner, self._store = inner, store
        self._endpoint, self._address = endpoint, address
        self._under_way: dict[str, tuple[asyncio.Lock, int]] = {}

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The kept reply, or a new one that is kept by now; raises `CallFailed`."""
        key = request_hash(self._address, request)
        lock, waiting = self._under_way.get(key, (asyncio.Lock(), 0))
        self._under_way[key] = (lock, waiting + 1)
        try:
            async with lock:
                kept = await self._store.find(key, request)
                return kept if kept is not None else await self._new(key, request)
        finally:
            lock, waiting = self._under_way.pop(key)
            if waiting > 1:
                self._under_way[key] = (lock, waiting - 1)

    async def _new(self, key: str, request: ChatRequest) -> ChatReply:
        try:
            reply = await self._inner.ask(request)
        except CallFailed as failed:
            if failed.attempts:
                await self._store.keep(self._record(key, request, failed=failed))
            raise
        await self._store.keep(self._record(key, request, reply=reply))
        return reply

    def _record(
        self,
        key: str,
        request: ChatRequest,
        *,
        reply: ChatReply | None = None,
        failed: CallFailed | None = None,
    ) -> CallRecord:
        ended = reply or failed
        return CallRecord(
            request_hash=key,
            endpoint=self._endpoint,
            request=request,
            reply=reply,
            failure=failed.kind if failed else None,
            failure_message=failed.message if failed else None,
            failure_raw=failed.raw if failed else None,
            attempts=ended.attempts if ended else 0,
            seconds=reply.seconds if reply else 0.0,
        )
