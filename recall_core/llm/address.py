"""Whether an address is one that a key may be sent to."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from recall_core.errors import InvalidSetting

OPENAI = "https://api.openai.com/v1"
_NEAR_NAME = re.compile(r"^[^.]+$|\.(local|internal|lan|home|intranet|localhost|test)$")
_TAIL = re.compile(r"(/chat/completions|/completions)?/*$")


def checked_address(address: str, where: str, *, with_key: bool) -> str:
    """The address of a server's API root, without what people paste behind it.

    Refused: anything but http and https, a user name or password in it, a query (endpoints have
    `query` for that), and plain http to a public host when a key would travel with it. `where`
    says in errors where the address stands.
    """
    text = address.strip()
    parts = _parts(text, where)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidSetting(
            f"{where} must be an address like https://host/v1 or http://localhost:11434/v1."
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidSetting(f"{where} must not hold a user name or password; use a key variable.")
    if parts.query or parts.fragment:
        raise InvalidSetting(f"{where} must end before “?” or “#”; give queries as `query`.")
    if with_key and parts.scheme == "http" and not is_near(parts.hostname):
        raise InvalidSetting(
            f"{where} would send the key unencrypted to {parts.hostname}; use https."
        )
    return _TAIL.sub("", text)


def _parts(text: str, where: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  # reading it is what checks it
    except ValueError as error:
        raise InvalidSetting(f"{where} is not an address: {error}.") from None
    if re.search(r"[\s\x00-\x1f\\]", text):
        raise InvalidSetting(f"{where} is not an address: it holds blanks or backslashes.")
    return parts


def is_near(host: str) -> bool:
    """Whether a host is this machine or on a private network, as far as its name tells."""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return bool(_NEAR_NAME.search(host))
    return number.is_private or number.is_loopback or number.is_link_local


def host_of(address: str) -> str:
    """Host and port of an address, for sentences; never a path, which may hold a secret."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host
