"""`python -m api`: the command line."""

import signal
import sys

from api.cli import main


def _stop(*_: object) -> None:
    """The first Ctrl-C lets what is being judged end; the second one ends everything at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


signal.signal(signal.SIGINT, _stop)
sys.exit(main())
