"""Puts the layers together: what the rest of the program opens to ask a model."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from recall_core.llm.budgeted import Budget, BudgetedChat
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.openai_chat import OpenAIChat
from recall_core.llm.paced import PacedChat
from recall_core.llm.patient import PatientChat
from recall_core.llm.stored import StoredChat
from recall_core.llm.types import CallStore, Chat, ChatReply, ChatRequest, NotConfigured
from recall_core.llm.waiting import RealTime, Stop, Time
from recall_core.llm.wire import Manners


class UnsetChat:
    """Stands where an endpoint cannot be asked: every example is skipped with the reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    async def ask(self, request: ChatRequest) -> ChatReply:
        """Raises `NotConfigured`."""
        raise NotConfigured(self.reason)


@asynccontextmanager
async def open_chat(
    endpoint: Endpoint,
    *,
    store: CallStore | None = None,
    budget: Budget | None = None,
    stop: Stop | None = None,
    concurrency: int | None = None,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
    manners: Manners | None = None,
    clock: Time | None = None,
    rng: random.Random | None = None,
) -> AsyncIterator[Chat]:
    """A chat with every layer around one client, for one run; closes the client at the end.

    At most `concurrency` calls are under way at a time, whoever asks (`paced.workers_for`).
    `manners` (what models were found to take) may be shared by all runs of an endpoint. An
    endpoint with a `problem` gives a chat that raises `NotConfigured`. Without a `store` nothing
    is kept and nothing answered from before.
    """
    if endpoint.problem is not None:
        yield UnsetChat(endpoint.problem)
        return
    stop = stop or Stop()
    clock = clock or RealTime()
    rng = rng or random.Random()  # jitter only: no score hangs on it
    async with OpenAIChat(endpoint, manners=manners) as wire:
        paced = PacedChat(
            wire,
            stop=stop,
            clock=clock,
            rng=rng,
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            tokens_per_minute=tokens_per_minute,
        )
        budgeted = BudgetedChat(paced, endpoint=endpoint, budget=budget or Budget(), stop=stop)
        chat: Chat = PatientChat(budgeted, stop=stop, clock=clock, rng=rng)
        if store is not None:
            chat = StoredChat(chat, endpoint=endpoint.name, address=endpoint.base_url, store=store)
        yield chat


def chosen(endpoints: Mapping[str, Endpoint], name: str) -> Endpoint:
    """The endpoint of that name, or, where there is none any more, one whose problem says so."""
    known = endpoints.get(name)
    if known is not None:
        return known
    names = ", ".join(endpoints) or "none"
    return Endpoint(
        name, "", problem=f"There is no endpoint named {name} on this machine (there are: {names})."
    )
