"""Pages and routes live side by side: no address is both."""

from __future__ import annotations

import re

from starlette.routing import Match, Route

from api.http import operations, routes
from api.lifecycle import Lifecycle
from pages.components.screens import SCREENS


def addresses_of_pages() -> list[str]:
    return [f"/{screen.address}" for screen in SCREENS]


def test_no_page_has_the_name_of_a_route() -> None:
    made = [route for route in routes(Lifecycle()) if isinstance(route, Route)]
    for page in addresses_of_pages():
        for method in ("GET", "POST"):
            scope = {"type": "http", "path": page, "method": method, "headers": []}
            taken = [r.path for r in made if r.matches(scope)[0] is not Match.NONE]
            assert taken == [], f"{page} is a page and a route"


def test_no_route_begins_with_the_name_of_a_page() -> None:
    first_words = {re.split("/", operation.path)[1] for operation in operations()}

    assert not first_words & {screen.address for screen in SCREENS}


def test_no_route_is_declared_twice() -> None:
    declared = [(operation.method, operation.path) for operation in operations()]

    assert len(declared) == len(set(declared))
    assert len({operation.id for operation in operations()}) == len(declared)


def test_every_declared_path_is_found_by_its_own_route_first() -> None:
    made = routes(Lifecycle())
    for operation in operations():
        path = re.sub(r"{\w+(:path)?}", "1", operation.path)
        scope = {"type": "http", "path": path, "method": operation.method, "headers": []}
        first = next(r for r in made if r.matches(scope)[0] is Match.FULL)
        assert isinstance(first, Route)
        assert first.path == operation.path
