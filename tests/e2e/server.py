"""Starts and ends the real app for a test."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN = 60.0
"""Seconds; a slow shared machine takes about five."""


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def streamlit_run(port: int) -> list[str]:
    """The command of `make run`, without a window."""
    python = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    return [*python, "--server.port", str(port), "--server.headless", "true"]


@dataclass
class Server:
    """One running app; `start` again after `stop` or `kill` finds the same database and port."""

    database_url: str
    log: Path
    port: int = field(default_factory=free_port)
    command: Sequence[str] = ()
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running server process."""
        assert self._process is not None, "the server is not running"
        return self._process

    def start(self) -> None:
        """Start it and wait until it is ready for people and has a worker."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                list(self.command) or streamlit_run(self.port),
                cwd=ROOT,
                env=os.environ
                | {
                    "RECALL_DATABASE_URL": self.database_url,
                    "STREAMLIT_SERVER_PORT": str(self.port),
                    "STREAMLIT_SERVER_HEADLESS": "true",
                },
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """End it as Ctrl-C or a service manager would."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it and its worker with `kill -9`, as a power cut would."""
        self._end(signal.SIGKILL)

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (names in lower case) and body of a plain GET."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, headers, answer.read()
        finally:
            connection.close()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < deadline:
            if self._process is not None and self._process.poll() is not None:
                break
            try:
                status, _, body = self.get("/readyz")
                if status == 200 and json.loads(body)["worker"] == "running":
                    return
            except OSError:
                pass
            time.sleep(0.1)
        self.kill()
        raise AssertionError(f"The app did not start:\n{self.log.read_text('utf-8')}")

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if how is signal.SIGKILL:
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        process.wait(timeout=30)
