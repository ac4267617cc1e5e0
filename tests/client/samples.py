"""Examples that several tests evaluate."""

from __future__ import annotations

from recall_client import Example

POLICY = "Return policy, all items: 30-day limit for full refund, no questions asked."


def socks(**changes: object) -> Example:
    """The documents' example, with one statement that is supported and one that is not."""
    fields = {
        "input": "What's your return policy for a pair of socks?",
        "actual_output": "We offer a 30-day return policy for all items, including socks!",
        "expected_output": f"{POLICY} Shipping costs four euros.",
        "retrieval_context": [POLICY],
        "expected_contexts": [POLICY, "Shipping costs four euros."],
        **changes,
    }
    return Example(**fields)  # type: ignore[arg-type]
