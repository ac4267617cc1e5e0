"""What a model thought aloud before it answered is no part of its answer."""

from __future__ import annotations

import re

_NAME = r"(?:think|thinking|thoughts?|reasoning|reflection)"
_BEGIN = rf"(?:<{_NAME}\b[^>]{{0,99}}>|\[{_NAME}\]|◁{_NAME}▷)"
_END = rf"(?:</{_NAME}\s*>|\[/{_NAME}\]|◁/{_NAME}▷)"
_FLAGS = re.IGNORECASE | re.DOTALL
_BLOCK = re.compile(rf"\s*{_BEGIN}.*?{_END}", _FLAGS)
_OPEN = re.compile(rf"\s*{_BEGIN}", _FLAGS)
_CLOSE = re.compile(_END, _FLAGS)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\b.{0,40}?<\|message\|>", _FLAGS)


def without_thinking(text: str) -> str:
    """The answer behind the thought blocks at the beginning; empty where nothing follows them.

    A block that is never closed is all thought. Some servers swallow the opening tag, so what
    stands before a lone closing tag is thought too; some hand on the model's own channels, of
    which only the final one is the answer.
    """
    finals = list(_FINAL_CHANNEL.finditer(text))
    answer = text[finals[-1].end() :] if finals else text
    while block := _BLOCK.match(answer):
        answer = answer[block.end() :]
    if _OPEN.match(answer):
        return ""
    closings = list(_CLOSE.finditer(answer))
    if closings and not _OPEN.search(answer):
        answer = answer[closings[-1].end() :]
    return answer
