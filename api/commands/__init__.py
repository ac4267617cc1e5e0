"""One file a command of `python -m api`."""
