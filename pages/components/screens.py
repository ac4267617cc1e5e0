"""The screens: file, title, and address. Nothing else may answer at these addresses."""

from __future__ import annotations

from typing import Final, NamedTuple


class Screen(NamedTuple):
    """One entry of the navigation; the first screen has the empty address, which is `/`.

    A hidden one has an address, but no entry: pages lead to it.
    """

    file: str
    title: str
    address: str
    hidden: bool = False


SCREENS: Final = (
    Screen("overview.py", "Overview", ""),
    Screen("data.py", "Data", "data"),
    Screen("run.py", "Run", "run"),
    Screen("examples_list.py", "Examples", "examples"),
    Screen("review.py", "Review", "review"),
    Screen("results.py", "Results", "results"),
    Screen("compare.py", "Compare", "compare"),
    Screen("calibration.py", "Calibration", "calibration"),
    Screen("trust.py", "How far to trust a score", "trust", hidden=True),
    Screen("person.py", "Your page", "person", hidden=True),
)
