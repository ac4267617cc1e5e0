"""`python -m api.scoring_process`: scores what it is handed on standard input, until that closes.

It closes with the server, however the server ends, so this process never outlives it.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from collections.abc import Sequence
from typing import IO, Any

from recall_core.judges.base import LocalJudge
from recall_core.judging import judge_one
from recall_core.results import Result, result_of
from recall_core.types import Example

_LENGTH = struct.Struct(">Q")


def score(judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
    """One result an example, in order; a judge that breaks fails only that example."""
    return [result_of(example, judge, judge_one(judge, example)) for example in examples]


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value that the other end reads with `receive`."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next value; `EOFError` when the other end is gone. Both ends are this program."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)


def main() -> None:
    """Answer each (judge, examples) with its results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's business.
    # What a judge prints must not stand between the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            judge, examples = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(answers, score(judge, examples))


if __name__ == "__main__":
    main()
