"""Sharing examples out among people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def even_split(
    examples: Sequence[int],
    reviewers: Sequence[str],
    *,
    each: int = 1,
    taken: Mapping[str, int] | None = None,
) -> list[tuple[int, str]]:
    """Give each example to `each` different people, so that all come to as many as possible alike.

    `taken` says how many somebody has already. People who have fewest come first, in the order of
    `reviewers` among equals, and neighbouring examples go to different people.
    """
    names = list(dict.fromkeys(reviewers))
    load = {name: (taken or {}).get(name, 0) for name in names}
    shared = []
    for example in examples:
        for name in sorted(names, key=lambda n: (load[n], names.index(n)))[:each]:
            load[name] += 1
            shared.append((example, name))
    return shared
