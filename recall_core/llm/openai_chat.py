"""The one file that imports `openai`: requests to one endpoint over one client."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from urllib.parse import urlencode

import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient

from recall_core.llm.complaints import Complaint, Trouble, read_error
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.sentences import told
from recall_core.llm.types import ChatReply, ChatRequest
from recall_core.llm.wire import (
    Form,
    Manners,
    WireFailed,
    messages_of,
    parameters_of,
    read_completion,
    retry_after,
    shown,
)
from recall_core.types import FailureKind

LONGEST_WAIT = 300.0
"""Seconds; a server that asks for more has a daily limit, not a busy moment, and waiting in a run
that looks alive would only hide it."""
BUSY = frozenset({429, 503, 529})
_NO_LIMITS = {"timeout": httpx2.Timeout(None).as_dict()}
"""The transport's own limits; `asyncio.timeout` ends a try."""
_RAW = 20_000
"""How many characters of a server's error are kept."""


class OpenAIChat:
    """Asks one endpoint; one try a call, plus the repairs that the server asks for.

    Where the server refuses the output level or a parameter, the same request goes again at once
    in the form it does take; `manners` remembers that form once it was answered. Every other
    trouble is a `WireFailed`, which says whether trying again makes sense. Redirects are not
    followed, so the key goes to the endpoint's own address and nowhere else.

    Belongs to one event loop; close it there (`async with`).
    """

    def __init__(self, endpoint: Endpoint, *, manners: Manners | None = None) -> None:
        self._endpoint = endpoint
        self._redact = endpoint.redact
        self._manners = manners if manners is not None else Manners()
        limit = "max_completion_tokens" if endpoint.is_openai else "max_tokens"
        self._first_form = Form(limit_name=limit)
        self._http = DefaultAioHttpClient(follow_redirects=False, timeout=None)
        self._client = AsyncOpenAI(
            api_key="none", base_url=endpoint.base_url, max_retries=0, http_client=self._http
        )
        # The same for every question. The SDK's own `post` puts them together each time, which
        # takes as long as all the rest of a call on the wire.
        self._address = httpx2.URL(_address(endpoint))
        self._headers = _headers(self._client, endpoint)

    async def __aenter__(self) -> OpenAIChat:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The reply in whatever form the server takes the request; raises `WireFailed`."""
        form = self._manners.opening(request, self._first_form)
        while True:
            answer = await self._send(request, form)
            if isinstance(answer, ChatReply):
                self._manners.learn(request, form)
                return answer
            form = answer

    async def _send(self, request: ChatRequest, form: Form) -> ChatReply | Form:
        """One request on the wire: the reply, or the form in which to ask again at once."""
        parameters = parameters_of(request, form)
        body = {**parameters, "messages": messages_of(request, form.level)}
        question = httpx2.Request(
            "POST",
            self._address,
            headers=self._headers,
            content=json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(),
            extensions=_NO_LIMITS,
        )
        began = time.perf_counter()
        try:
            async with asyncio.timeout(request.timeout_seconds):
                response = await self._http.send(question)
        except (TimeoutError, httpx2.RequestError) as error:
            raise self._unanswered(error, request) from None
        if not response.is_success:
            return self._repaired(response, request, form)
        return replace(
            self._read(response, request),
            level=form.level,
            seconds=time.perf_counter() - began,
            parameters=shown(parameters, form.level, body),
        )

    def _repaired(self, response: httpx2.Response, request: ChatRequest, form: Form) -> Form:
        """The form that an error asks for; raises `WireFailed` where no other form would help."""
        body = self._redact(response.text)
        complaint = read_error(response.status_code, body)
        repaired = form.repaired(complaint)
        if repaired is None:
            wait = retry_after(response.headers)
            raise self._failure(response.status_code, complaint, body, request, wait) from None
        return repaired

    def _read(self, response: httpx2.Response, request: ChatRequest) -> ChatReply:
        """The reply in a body that came with a 2xx; raises `WireFailed` if it is none."""
        try:
            content = json.loads(response.content)
        except ValueError:
            content = None
        reply = read_completion(content, request) if isinstance(content, dict) else None
        if reply is not None:
            return self._without_key(reply)
        if isinstance(content, dict) and content.get("error"):
            error = content["error"]
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            body = self._redact(response.text)
            raise self._failure(status, read_error(status, body), body, request)
        raise WireFailed(
            FailureKind.CONNECTION,
            f"{self._who(request)} answered something else than a chat completion. "
            "Does its address end where the API begins (often /v1)?",
            raw=self._redact(response.text)[:_RAW],
            again=True,
            charged=True,
        )

    def _without_key(self, reply: ChatReply) -> ChatReply:
        """The reply as it may be kept and shown, even if the server echoes what it was sent."""
        clean = self._redact.keys_only
        return replace(
            reply,
            text=clean(reply.text),
            reasoning_text=clean(reply.reasoning_text) if reply.reasoning_text else None,
            refusal=clean(reply.refusal) if reply.refusal else None,
        )

    def _unanswered(self, error: Exception, request: ChatRequest) -> WireFailed:
        """The failure of a call that got no HTTP answer."""
        who = self._who(request)
        if _timed_out(error):
            return WireFailed(
                FailureKind.TIMEOUT,
                f"{who} did not answer within {request.timeout_seconds:g} seconds.",
                again=True,
                charged=True,
            )
        cause = list(_causes(error))[-1]
        return WireFailed(
            FailureKind.CONNECTION,
            self._redact(f"{who} cannot be reached: {cause or type(cause).__name__}."),
            again=True,
            charged=not any(hasattr(cause, "os_error") for cause in _causes(error)),
        )

    def _failure(
        self,
        status: int,
        complaint: Complaint,
        body: str,
        request: ChatRequest,
        wait: float | None = None,
    ) -> WireFailed:
        """The failure that an error of the server comes to."""
        trouble = complaint.trouble
        unknown = not self._manners.knows(request.model)
        passing = status >= 500 or trouble in (Trouble.RATE, Trouble.WEATHER)
        too_long = (wait or 0.0) > LONGEST_WAIT
        return WireFailed(
            _kind_of_weather(status) if passing else _KINDS.get(trouble, FailureKind.INTERNAL),
            told(
                status,
                complaint,
                who=self._who(request),
                key_variable=self._endpoint.key_variable,
                wait=wait,
            ),
            raw=body[:_RAW],
            hopeless=(passing and too_long)
            or status == 401
            or trouble in (Trouble.QUOTA, Trouble.MISSING)
            or (unknown and trouble is Trouble.ACCESS),
            again=passing and not too_long,
            retry_after=wait,
            throttled=status in BUSY,
            strange=unknown and status >= 500 and status not in BUSY,
        )

    def _who(self, request: ChatRequest) -> str:
        return f"{request.model} at {self._endpoint.name} ({self._endpoint.host})"


_KINDS = {
    Trouble.TOO_LONG: FailureKind.CONTEXT_TOO_LONG,
    Trouble.POLICY: FailureKind.CONTENT_FILTER,
    Trouble.ACCESS: FailureKind.CONNECTION,
    Trouble.MISSING: FailureKind.CONNECTION,
    Trouble.QUOTA: FailureKind.RATE_LIMIT,
}


def _kind_of_weather(status: int) -> FailureKind:
    if status == 429:
        return FailureKind.RATE_LIMIT
    return FailureKind.TIMEOUT if status in (408, 504, 524) else FailureKind.CONNECTION


def _address(endpoint: Endpoint) -> str:
    """Where questions go, whole, so that nobody has to put it together for each."""
    query = f"?{urlencode(endpoint.query)}" if endpoint.query else ""
    return f"{endpoint.base_url}/chat/completions{query}"


def _headers(client: AsyncOpenAI, endpoint: Endpoint) -> httpx2.Headers:
    """What the SDK says of itself, and the endpoint's own key; no key or account that the
    environment holds for OpenAI."""
    own = {name: said for name, said in client.default_headers.items() if isinstance(said, str)}
    headers = httpx2.Headers(own)
    headers.pop("Authorization", None)
    if not endpoint.is_openai:
        for account in ("OpenAI-Organization", "OpenAI-Project"):
            headers.pop(account, None)
    key = None if endpoint.key is None else endpoint.key.get_secret_value()
    if key and endpoint.key_header:
        headers[endpoint.key_header] = key
    elif key:
        headers["Authorization"] = f"Bearer {key}"
    return headers


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it was raised from, down to the first. An aiohttp error with `os_error`
    among them means that there was never a connection."""
    while error is not None:
        yield error
        error = error.__cause__


def _timed_out(error: Exception) -> bool:
    """Whether it was slowness: the aiohttp transport calls a dropped connection a timeout too, so
    only a real one among the causes counts."""
    return any(isinstance(cause, TimeoutError) for cause in _causes(error))
