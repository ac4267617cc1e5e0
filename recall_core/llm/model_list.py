"""Asks an endpoint which models it has, so that nobody has to know their names by heart."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx2

from recall_core.llm.endpoints import Endpoint

MOST = 500
"""So many names are kept; nobody chooses from more."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class ModelList:
    """The names that the endpoint gives, in alphabetical order; or `problem`, why there are none.

    A server that has no such list can still be asked by a name that somebody types.
    """

    names: tuple[str, ...] = ()
    problem: str | None = None


async def list_models(endpoint: Endpoint, *, timeout_seconds: float = 15.0) -> ModelList:
    """`GET …/models` once, without redirects, so the key goes to the endpoint's own address."""
    if endpoint.problem is not None:
        return ModelList(problem=endpoint.problem)
    where = f"{endpoint.name} ({endpoint.host})"
    try:
        async with (
            asyncio.timeout(timeout_seconds),
            httpx2.AsyncClient(follow_redirects=False, timeout=None, trust_env=False) as client,
        ):
            response = await client.get(
                f"{endpoint.base_url}/models",
                headers=_headers(endpoint),
                params=dict(endpoint.query),
            )
    except TimeoutError:
        return ModelList(problem=f"{where} did not answer within {timeout_seconds:g} seconds.")
    except httpx2.RequestError as error:
        why = endpoint.redact(str(error)) or type(error).__name__
        return ModelList(problem=f"{where} cannot be reached: {why}.")
    if not response.is_success:
        return ModelList(problem=f"{where} gives no list of models ({response.status_code}).")
    try:
        names = _names(response.json())
    except ValueError:
        names = []
    if not names:
        return ModelList(problem=f"{where} answered with something else than a list of models.")
    return ModelList(tuple(sorted(endpoint.redact(name) for name in names))[:MOST])


def _headers(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.key is None:
        return {}
    key = endpoint.key.get_secret_value()
    return {endpoint.key_header: key} if endpoint.key_header else {"Authorization": f"Bearer {key}"}


def _names(content: Any) -> list[str]:
    """The ids of `{"data": [{"id": …}]}`, the form that all such servers have taken over."""
    entries = content.get("data") if isinstance(content, dict) else None
    ids = [e.get("id") for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []
    return [name for name in ids if isinstance(name, str) and _is_name(name)]


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST and name.isprintable()
