"""Who is at work on a row: `host:pid:nonce`, so that the work of the dead can be taken over.

The nonce begins with the process's start time, because a process id comes round again.
"""

from __future__ import annotations

import os
import secrets
import socket

import psutil

SAME_START_SECONDS = 3
"""The kernel's idea of a start time may shift a little when the clock is set."""


def new_owner() -> str:
    """A name for this process at work, different on every call."""
    started = round(psutil.Process().create_time() * 1000)
    return f"{socket.gethostname()}:{os.getpid()}:{started}-{secrets.token_hex(4)}"


def is_gone(owner: str) -> bool:
    """Whether `owner` was a process of this host that no longer runs.

    Nothing is known about processes of other hosts, so for those the answer is no.
    """
    host, pid, nonce = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return False
    started = int(nonce.partition("-")[0]) / 1000
    try:
        process = psutil.Process(int(pid))
        if process.status() == psutil.STATUS_ZOMBIE:
            return True
        return abs(process.create_time() - started) > SAME_START_SECONDS
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False
