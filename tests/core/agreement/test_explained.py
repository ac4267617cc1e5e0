"""Every figure on the screen has its formula in the docs."""

from __future__ import annotations

import re
from pathlib import Path

from recall_core.agreement import Name


def test_every_measure_has_a_heading_that_its_link_leads_to(root: Path) -> None:
    page = (root / "docs" / "how-far-to-trust-a-score.md").read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}

    assert {name.value for name in Name} <= anchors
