"""Judging by asking a model: one event loop and one client a run, every reply kept on arrival."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal

from sqlalchemy import Engine

from db.call_store import SqlCallStore
from db.claims import Claim
from db.endpoints import known_endpoints
from db.judged import Judged
from db.judging import ROOM, JudgingThread, Stopped, Waiting, unjudged_examples
from db.recording import Clock
from db.run_cards import RunState
from db.spending import budget_and_spending, keep_uncertain
from db.statements import keep_statements
from recall_core.asking.judge import ModelJudge
from recall_core.judging import judge_stream
from recall_core.llm.budgeted import Budget
from recall_core.llm.client import chosen, open_chat
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.paced import workers_for
from recall_core.llm.types import CallFailed, Chat, ChatReply, ChatRequest, NotConfigured
from recall_core.llm.waiting import Stop
from recall_core.llm.wire import Manners
from recall_core.types import Example, FailureKind, JudgeFailure, Outcome, Skipped

LOOK = 0.1
"""Seconds between looks at whether the run should stop."""
ENDING = 5.0
"""Seconds that a call may take beyond its timeout until its outcome is there."""


@dataclass(frozen=True, slots=True)
class Models:
    """Whom a worker can ask. `manners` remembers what each server was found to take, for as long
    as the process lives."""

    endpoints: Callable[[], Mapping[str, Endpoint]] = known_endpoints
    manners: dict[str, Manners] = field(default_factory=dict)


class ModelJudging(JudgingThread):
    """Judges with a model. What ends the asking for good (the budget, a wrong key) stops the run;
    examples whose questions were not asked because of that stay without a judgement.
    """

    def __init__(
        self,
        engine: Engine,
        claim: Claim,
        judge: ModelJudge,
        halt: threading.Event,
        *,
        clock: Clock,
        models: Models,
    ) -> None:
        super().__init__(engine, claim, halt)
        self.patience = judge.timeout_seconds + ENDING
        self._judge, self._clock, self._models = judge, clock, models
        self._begun: dict[int, Waiting] = {}
        self._handed_over = 0
        self._recorded = 0

    def make_room(self, count: int) -> None:
        self._recorded += count

    def judge_everything(self) -> None:
        endpoint = chosen(self._models.endpoints(), self._judge.endpoint)
        problem = self._judge.not_set or endpoint.problem
        if problem is None:
            asyncio.run(self._ask(endpoint))
        else:
            self.stopped = Stopped(RunState.FAILED, problem)

    async def _ask(self, endpoint: Endpoint) -> None:
        limit, spending = budget_and_spending(self.engine, self.claim.run_id)
        budget = Budget(limit, spent=spending.known)
        stop = Stop()
        store = SqlCallStore(
            self.engine,
            self.claim.run_id,
            clock=self._clock,
            claim=self.claim,
            fresh=self._judge.fresh,
            redact=endpoint.redact.keys_only,
        )
        chat_around = open_chat(
            endpoint,
            store=store,
            budget=budget,
            stop=stop,
            concurrency=self._judge.concurrency,
            requests_per_minute=self._judge.requests_per_minute,
            tokens_per_minute=self._judge.tokens_per_minute,
            manners=self._models.manners.setdefault(endpoint.base_url, Manners()),
        )
        async with chat_around as chat, self._halting(stop):
            watched = WatchedChat(chat, stop)
            await self._stream(watched, store, endpoint, budget, spending.uncertain)
        self.stopped = watched.why_stopped()

    async def _stream(
        self,
        chat: WatchedChat,
        store: SqlCallStore,
        endpoint: Endpoint,
        budget: Budget,
        uncertain: Decimal,
    ) -> None:
        asker = WithKeptStatements(self._judge, self.engine, self.claim.statement_set_id)
        window = endpoint.model(self._judge.model).window
        stream = judge_stream(
            asker,
            self._examples(store, chat),
            chat,
            concurrency=workers_for(self._judge.concurrency),
            window=window,
        )
        noted = budget.uncertain
        async for place, outcome in stream:
            begun = self._begun.pop(place)
            if str(begun.example_id) not in chat.unasked:
                await self._hand_over(begun, outcome, asker)
            if budget.uncertain != noted:
                noted = budget.uncertain
                run_id = self.claim.run_id
                await asyncio.to_thread(keep_uncertain, self.engine, run_id, uncertain + noted)

    def _examples(self, store: SqlCallStore, chat: WatchedChat) -> Iterator[Example]:
        """Under the number of their row, so that two examples of one id are never confused."""
        for place, waiting in enumerate(unjudged_examples(self.engine, self.claim)):
            if self.halt.is_set() or chat.is_over:
                return
            self._begun[place] = waiting
            if waiting.calls_after:
                store.ask_anew(waiting.example_id, waiting.calls_after)
            yield replace(waiting.example, id=str(waiting.example_id))

    async def _hand_over(self, begun: Waiting, outcome: Outcome, asker: WithKeptStatements) -> None:
        example = begun.example
        made = asker.made.pop(str(begun.example_id), None)
        if made is not None:
            example = replace(example, statements=made)
        outcome = replace(outcome, example_id=example.id)
        while self._handed_over - self._recorded >= ROOM and not self.halt.is_set():
            await asyncio.sleep(LOOK)
        self._handed_over += 1
        self.outbox.put(Judged(begun.example_id, begun.position, example, outcome))

    @asynccontextmanager
    async def _halting(self, stop: Stop) -> AsyncIterator[None]:
        """Pass a halt, which comes from another thread, on to everything that waits here."""

        async def look() -> None:
            while not self.halt.is_set():
                await asyncio.sleep(LOOK)
            stop.set()

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()


class WatchedChat:
    """The outermost layer: notices when asking has come to an end, and who was not asked then."""

    def __init__(self, inner: Chat, stop: Stop) -> None:
        self._inner, self._stop = inner, stop
        self.unasked: set[str] = set()
        """Examples for which a question was not asked or not answered because asking ends."""
        self._last: CallFailed | None = None
        self._broken: Exception | None = None

    @property
    def is_over(self) -> bool:
        """Whether no question is asked any more."""
        return self._stop.is_set

    async def ask(self, request: ChatRequest) -> ChatReply:
        """As the chat inside."""
        try:
            return await self._inner.ask(request)
        except CallFailed as failed:
            if failed.hopeless:
                self._last = self._last or failed
            if failed.hopeless or failed.kind is FailureKind.CANCELLED:
                self._end(request)
            raise
        except NotConfigured:
            raise
        except Exception as error:
            # Not the model's fault but ours: the store cannot be written, say.
            self._broken = self._broken or error
            self._end(request)
            raise

    def _end(self, request: ChatRequest) -> None:
        self.unasked.add(request.example_id or "")
        self._stop.set()

    def why_stopped(self) -> Stopped | None:
        """The end that asking came to, or `None` if it did not; raises what was broken."""
        if self._broken is not None:
            raise self._broken
        if self._last is None:
            return None
        paused = self._last.kind is FailureKind.BUDGET
        return Stopped(RunState.PAUSED if paused else RunState.FAILED, self._last.message)


class WithKeptStatements:
    """A judge whose examples get the statements that their dataset keeps; where a model makes them
    and has not yet, they are made and kept first. `made` holds those, by the example's row id.
    """

    def __init__(self, judge: ModelJudge, engine: Engine, set_id: int | None) -> None:
        self._judge, self._engine, self._set_id = judge, engine, set_id
        self.made: dict[str, tuple[str, ...]] = {}

    @property
    def name(self) -> str:
        return self._judge.name

    def lacks(self, example: Example) -> str | None:
        """As the judge itself."""
        return self._judge.lacks(example)

    async def judge(self, example: Example, chat: Chat, *, window: int | None = None) -> Outcome:
        """As the judge itself, of the statements that are kept."""
        if self._judge.splits_by_model and example.statements is None and self._set_id is not None:
            try:
                statements = await self._statements(self._set_id, example, chat)
            except NotConfigured as error:
                return Skipped(example.id, str(error))
            except CallFailed as failed:
                return JudgeFailure(
                    example.id, failed.kind, failed.message, raw_response=failed.raw
                )
            example = replace(example, statements=statements or None)
        return await self._judge.judge(example, chat, window=window)

    async def _statements(self, set_id: int, example: Example, chat: Chat) -> tuple[str, ...]:
        made = await self._judge.split(example, chat)
        kept = await asyncio.to_thread(keep_statements, self._engine, set_id, int(example.id), made)
        if kept:
            self.made[example.id] = kept
        return kept
