"""From the thread that judges to the one that writes down."""

from __future__ import annotations

import threading
from collections import deque

from db.judged import Judged


class Outbox:
    """What has been judged and not yet written down, in order.

    Whoever writes is woken for a whole batch rather than for each outcome: waking takes the
    interpreter away from the thread that asks the model.
    """

    def __init__(self) -> None:
        self._waiting: deque[Judged] = deque()
        self._news = threading.Condition()
        self._wanted = 1
        self._closed = False

    def put(self, judged: Judged) -> None:
        """Add one more."""
        with self._news:
            self._waiting.append(judged)
            if len(self._waiting) >= self._wanted:
                self._news.notify()

    def close(self) -> None:
        """Say that no more will come."""
        with self._news:
            self._closed = True
            self._news.notify()

    def take(self, most: int, timeout: float) -> list[Judged]:
        """The next `most`; after `timeout` seconds, or once it is closed, those that are there."""
        with self._news:
            self._wanted = most
            self._news.wait_for(lambda: self._closed or len(self._waiting) >= most, timeout)
            return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def is_over(self) -> bool:
        """Whether everything has been taken and no more will come."""
        with self._news:
            return self._closed and not self._waiting

    def __len__(self) -> int:
        return len(self._waiting)
