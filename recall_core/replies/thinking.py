"""What a model thought aloud before it answered is no part of its answer."""

from __future__ import annotations

import re

_NAMES = r"(?:think|thinking|thoughts?|reasoning|reflection)"
_BLOCK = re.compile(rf"\s*<(?P<name>{_NAMES})\b[^>]{{0,99}}>.*?</(?P=name)\s*>", re.I | re.S)
_OPEN = re.compile(rf"\s*<{_NAMES}\b[^>]{{0,99}}>", re.I)
_CLOSE = re.compile(rf"</{_NAMES}\s*>", re.I)


def without_thinking(text: str) -> str:
    """The answer behind the thought blocks at the beginning; empty where nothing follows them.

    A block that is never closed is all thought. Some servers swallow the opening tag, so what
    stands before a lone closing tag is thought too.
    """
    answer = text
    while block := _BLOCK.match(answer):
        answer = answer[block.end() :]
    if _OPEN.match(answer):
        return ""
    closings = list(_CLOSE.finditer(answer))
    if closings and not _OPEN.search(answer):
        answer = answer[closings[-1].end() :]
    return answer
