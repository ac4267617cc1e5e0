"""Requests to a desk: sent again where that is safe, refused in a sentence."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import httpx2 as httpx

from recall_client.errors import DeskError

TRIES = 4
WAIT = 0.5
"""Seconds before the second try; doubled before each further one."""
BUSY = 503
TIMEOUT = httpx.Timeout(30.0, read=120.0, write=120.0)
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Connection:
    """A desk at an address; may be used by several threads at once."""

    def __init__(
        self,
        address: str,
        token: str | None,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.address = address.rstrip("/")
        # In process there is no token whose writes could be remembered by their keys.
        self._keyed = transport is None
        self._http = httpx.Client(
            base_url=self.address,
            headers={"X-Auth-Token": token} if token else {},
            timeout=TIMEOUT,
            transport=transport,
        )

    def get(self, path: str, **params: Any) -> Any:
        """The JSON at this path."""
        return self.request("GET", path, params=params).json()

    def post(
        self, path: str, json: object = None, *, seconds: float | None = None, **params: Any
    ) -> Any:
        """What the desk answers to this JSON; `seconds`: how long it may take to."""
        answer = self.request("POST", path, json=json, params=params, timeout=seconds)
        return answer.json()

    def request(
        self, method: str, path: str, *, timeout: float | None = None, **content: Any
    ) -> httpx.Response:
        """The answer, if all went well. A desk that is busy or out of reach is asked again; a write
        carries the same key each time, so that it is done once. `DeskError` says what went wrong.
        """
        headers = dict(content.pop("headers", {}))
        if method != "GET" and self._keyed:
            headers["Idempotency-Key"] = uuid4().hex
        options: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
        for attempt in range(1, TRIES + 1):
            try:
                answer = self._http.request(method, path, headers=headers, **content, **options)
            except httpx.TransportError as error:
                # A write that was sent may still be under way: only a read is simply sent again.
                sent = isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout)
                last = attempt == TRIES or (sent and method != "GET")
                if last:
                    raise DeskError(self._unreachable(error)) from error
            else:
                if answer.status_code != BUSY or attempt == TRIES:
                    return _good(answer)
            time.sleep(WAIT * 2 ** (attempt - 1))
        raise AssertionError("the last try returns or raises")

    def _unreachable(self, error: httpx.TransportError) -> str:
        why = str(error) or "it did not answer in time"
        return f"The desk at {self.address} cannot be reached: {why.rstrip('.')}."

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _good(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        said = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        said = f"It answered {answer.status_code} {answer.reason_phrase}, and not as a desk does."
    raise DeskError(str(said), answer.status_code)
