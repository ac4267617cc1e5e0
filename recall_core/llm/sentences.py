"""What a server's error is told as; one sentence says what happened, the next what to do."""

from __future__ import annotations

from recall_core.llm.complaints import Complaint, Trouble

_TOLD = {
    Trouble.ACCESS: "{who} does not accept us ({status}). {check}",
    Trouble.MISSING: "{who} has no such model or address ({status}).{said}",
    Trouble.QUOTA: "{who} says that the account's quota is used up ({status}).{said}",
    Trouble.TOO_LONG: "The question is too long for {who}.{said}",
    Trouble.POLICY: "The content filter of {who} refused the question.{said}",
    Trouble.RATE: "{who} says that we ask too often ({status}).{asked}{said}",
}
_LONGEST = 500
"""How many characters of the server's own message a sentence takes in."""


def told(
    status: int, complaint: Complaint, *, who: str, key_variable: str | None, wait: float | None
) -> str:
    """The sentences for an HTTP error; `key_variable` is named where the key may be wrong."""
    if complaint.numbers:
        needed, window = complaint.numbers
        return f"The question is too long: it needs {needed} tokens, the window is {window}."
    if 300 <= status < 400:
        return f"{who} sends us to another address ({status}). Correct its base_url."
    known = _TOLD.get(complaint.trouble, "{who} answered with an error ({status}).{said}")
    return known.format(
        who=who,
        status=status,
        said=f" It said: {complaint.message[:_LONGEST]}" if complaint.message else "",
        asked="" if wait is None else f" It asks to wait {wait:g} seconds.",
        check=(
            f"Check the key in {key_variable}."
            if key_variable
            else "It wants a key: name the variable that holds it as key_env."
        ),
    )
