"""Answers leave when they are written."""

from __future__ import annotations

import socket

from api.sockets import send_at_once


def waits(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_connections_to_this_process_do_not_wait_for_more_to_send() -> None:
    # As Streamlit makes its own, and asyncio then leaves alone.
    with socket.socket(socket.AF_INET) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        assert waits(listening)

        send_at_once()

        assert not waits(listening)
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert not waits(accepted)
