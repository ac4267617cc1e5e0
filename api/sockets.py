"""Answers leave when they are written, also the small ones."""

from __future__ import annotations

import contextlib
import os
import socket

import psutil


def send_at_once() -> None:
    """Turn off the waiting for more data (Nagle) on the sockets that this process listens on.

    asyncio does so by itself, but not for sockets that were made without naming TCP, as Streamlit
    makes its own: each answer's second part then waits 40 ms for the first one's receipt (measured:
    44 ms a request, with this 1.5 ms). Connections inherit it from the socket that accepts them.
    """
    with contextlib.suppress(psutil.Error):
        for found in psutil.Process().net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.fd >= 0:
                _without_waiting(found.fd)


def _without_waiting(descriptor: int) -> None:
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
