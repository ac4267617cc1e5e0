"""What a server's error means: a shape it does not speak, a parameter, a limit, or the weather.

Servers that speak OpenAI's protocol agree on little here, so the body is read loosely: every
known envelope, then the words in the message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Trouble(Enum):
    """What kind of trouble an error is, by what can be done about it."""

    FORMAT = "format"
    """The output level is not spoken here: step down."""
    PARAMETER = "parameter"
    """One parameter is not taken: leave it out or rename it."""
    TOO_LONG = "too long"
    POLICY = "policy"
    """The server's filter refused the content."""
    ACCESS = "access"
    """The key is wrong or may not do this."""
    MISSING = "missing"
    """No such model or address."""
    QUOTA = "quota"
    """The account's money or quota is used up; waiting does not help."""
    RATE = "rate"
    WEATHER = "weather"
    """Out of order for the moment: wait and try the same again."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One error, read; `numbers` are what a message about length counts (needed, allowed)."""

    trouble: Trouble
    message: str
    parameter: str | None = None
    numbers: tuple[int, int] | None = None


LIMITS = ("max_tokens", "max_completion_tokens")
"""The two names of the same limit."""
PARAMETERS = ("temperature", "seed", "reasoning_effort", *LIMITS)
"""What a server may do without, or knows by another name."""

_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|schema|grammar|guided|structured"
    r"|\bformat\b",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[_ ](length|size|window)|maximum context|exceeds? the (available|model's)? ?context"
    r"|prompt is too long|too many (input )?tokens|input is too long|exceed_context",
    re.IGNORECASE,
)
_POLICY = re.compile(
    r"content[_ ](filter|policy|management)|responsibleai|safety (policy|system)|moderation",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|insufficient (credits?|balance|funds)", re.IGNORECASE
)
"""Not the word billing: plain rate limits advertise a page of that name."""
_MODEL = re.compile(r"model_not_found|model .{1,80}(not found|does not exist)", re.IGNORECASE)
_REFUSING = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|extra|not (permitted|allowed)"
    r"|does not exist|only the default|invalid|deprecated|cannot",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"context (?:length|size|window)\D{0,40}?(\d[\d,]*)", re.IGNORECASE)
_NEEDED = re.compile(
    r"(?:requested|resulted in|request has|prompt)\D{0,30}?(\d[\d,]*)", re.IGNORECASE
)


def read_error(status: int, body: str) -> Complaint:
    """What the answer of an HTTP status from 300 up means; `body` is its text."""
    error = _unwrapped(body)
    message = _message(error, body)
    words = f"{error.get('code') or ''} {error.get('type') or ''} {message}"
    by_status = _by_status(status, words)
    if by_status is not None:
        return Complaint(by_status, message)
    if status < 500:
        return _of_the_request(error, message, words)
    names_the_format = _FORMAT.search(words) is not None
    return Complaint(Trouble.FORMAT if names_the_format else Trouble.WEATHER, message)


def _by_status(status: int, words: str) -> Trouble | None:
    if status in (401, 403):
        return Trouble.POLICY if _POLICY.search(words) else Trouble.ACCESS
    if status == 429:
        return Trouble.QUOTA if _QUOTA.search(words) else Trouble.RATE
    if status == 402:
        return Trouble.QUOTA
    if status in (404, 405) or 300 <= status < 400:
        return Trouble.MISSING
    if status == 413:
        return Trouble.TOO_LONG
    return Trouble.WEATHER if status in (408, 409, 425) else None


def _of_the_request(error: Mapping[str, Any], message: str, words: str) -> Complaint:
    """A 400 and its like: something in the request itself."""
    if _TOO_LONG.search(words):
        return Complaint(Trouble.TOO_LONG, message, numbers=_numbers(error, message))
    if _POLICY.search(words):
        return Complaint(Trouble.POLICY, message)
    named = str(error.get("param") or "")
    if named not in PARAMETERS and _FORMAT.search(f"{words} {named}"):
        return Complaint(Trouble.FORMAT, message)
    parameter = _parameter(error, message)
    if parameter is not None:
        return Complaint(Trouble.PARAMETER, message, parameter)
    return Complaint(Trouble.MISSING if _MODEL.search(words) else Trouble.OTHER, message)


def _unwrapped(body: str) -> Mapping[str, Any]:
    """The error object inside whichever envelope; an empty one where there is none."""
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    while True:
        if isinstance(content, list) and content:
            content = content[0]
        elif isinstance(content, dict) and content.get("error"):
            content = content["error"]
        else:
            break
    return content if isinstance(content, dict) else {"message": content}


def _message(error: Mapping[str, Any], body: str) -> str:
    said = error.get("message") or error.get("detail") or body
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return " ".join(text.split())


def _parameter(error: Mapping[str, Any], message: str) -> str | None:
    """The parameter that the error names: in its own field, else quoted in a refusing sentence."""
    named = str(error.get("param") or "")
    if named in PARAMETERS:
        return named
    if not _REFUSING.search(message):
        return None
    found = [(m.start(), p) for p in PARAMETERS if (m := re.search(rf"(?<!\w){p}(?!\w)", message))]
    return min(found)[1] if found else None


def _numbers(error: Mapping[str, Any], message: str) -> tuple[int, int] | None:
    """Tokens needed and tokens allowed, where an error about length gives both."""
    needed, window = _NEEDED.search(message), _WINDOW.search(message)
    if needed and window:
        pair: tuple[Any, Any] = int(needed[1].replace(",", "")), int(window[1].replace(",", ""))
    else:
        pair = error.get("n_prompt_tokens"), error.get("n_ctx")
    match pair:
        case int(tokens), int(allowed) if tokens > allowed:
            return tokens, allowed
    return None
