"""The house rules that no other test would notice: theme, fonts, packages, commands, imports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from streamlit.config import get_config_options

from api.http import routes
from api.lifecycle import Lifecycle
from pages.components import charts
from pages.components.screens import SCREENS

ROOT = Path(__file__).resolve().parent.parent
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PIN = re.compile(r"^([A-Za-z0-9_.-]+(?:\[[a-z,]+\])?)>=[\d.]+,<[\d.]+$")
HEX = re.compile(r"^#[0-9A-Fa-f]{6}$")


def pins(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text("utf-8").splitlines()
    return {
        re.split("[><=]", line)[0]: line
        for line in lines
        if line and not line.startswith(("#", "-r"))
    }


def test_every_package_is_pinned_to_a_range() -> None:
    for file in ("requirements.txt", "requirements-dev.txt"):
        for line in pins(file).values():
            assert PIN.match(line), f"{file}: {line}"


def test_the_core_asks_for_the_same_versions_as_the_dashboard() -> None:
    dashboard = pins("requirements.txt")

    for line in PROJECT["project"]["dependencies"]:
        assert line in dashboard.values(), line


@pytest.mark.parametrize(
    ("parts", "declared"),
    [
        # Who asks the client for a data frame has pandas.
        (["recall_core", "recall_client"], [*PROJECT["project"]["dependencies"], "pandas"]),
        (
            ["recall_core", "db", "api", "pages", "app.py", "worker.py"],
            list(pins("requirements.txt").values()),
        ),
    ],
    ids=["core", "dashboard"],
)
def test_every_package_that_is_imported_is_asked_for(parts: list[str], declared: list[str]) -> None:
    asked_for = {_distribution_name(re.split(r"[><=\[]", line)[0]) for line in declared}
    owners = packages_distributions()
    ours = {"recall_core", "recall_client", "db", "api", "pages"}
    comes_with_pydantic = {"pydantic_core"}

    for module in sorted(
        _imported_by(parts) - ours - comes_with_pydantic - sys.stdlib_module_names
    ):
        names = {_distribution_name(name) for name in owners[module]}
        assert names & asked_for, f"{module} is imported and not asked for"


def _distribution_name(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def _imported_by(parts: list[str]) -> set[str]:
    files = [
        file
        for part in parts
        for file in ([ROOT / part] if part.endswith(".py") else (ROOT / part).rglob("*.py"))
    ]
    found: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found


def test_installing_the_project_gives_core_and_client_and_nothing_of_the_dashboard() -> None:
    setuptools = PROJECT["tool"]["setuptools"]
    data = setuptools["package-data"]["*"]

    assert setuptools["packages"]["find"]["include"] == ["recall_core*", "recall_client*"]
    for package in ("recall_core", "recall_client"):
        for file in (ROOT / package).rglob("*"):
            if file.is_dir() or "__pycache__" in file.parts:
                continue
            assert (file.parent / "__init__.py").is_file(), f"{file} is in no package"
            assert file.suffix == ".py" or any(file.match(pattern) for pattern in data), file


def test_every_font_of_the_theme_is_committed_with_its_licence() -> None:
    fonts = ROOT / "pages" / "components" / "fonts"
    licences = {p.name.removesuffix("-LICENSE.txt") for p in fonts.glob("*-LICENSE.txt")}

    for face in CONFIG["theme"]["fontFaces"]:
        file = fonts / face["url"].removeprefix("/fonts/")
        assert file.read_bytes()[:4] == b"wOF2", file
        assert any(file.name.startswith(licence) for licence in licences), file
        assert face["family"] in CONFIG["theme"]["font"] + CONFIG["theme"]["codeFont"]


def test_every_setting_is_one_that_streamlit_knows() -> None:
    known = get_config_options()

    for section, options in CONFIG.items():
        for name, value in options.items():
            children = value if isinstance(value, dict) else {"": value}
            for child in children:
                assert ".".join(p for p in (section, name, child) if p) in known


def test_the_server_is_private_quiet_and_keeps_its_errors_to_itself() -> None:
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "type"


def test_light_and_dark_say_the_same_things() -> None:
    light, dark = CONFIG["theme"]["light"], CONFIG["theme"]["dark"]

    assert light.keys() == dark.keys()
    assert all(HEX.match(colour) for theme in (light, dark) for colour in _colours(theme))


def _colours(theme: dict[str, str | list[str]]) -> list[str]:
    return [c for value in theme.values() for c in ([value] if isinstance(value, str) else value)]


@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("textColor", "backgroundColor"),
        ("textColor", "secondaryBackgroundColor"),
        ("grayColor", "backgroundColor"),
        ("grayColor", "secondaryBackgroundColor"),
        ("primaryColor", "backgroundColor"),
        ("redTextColor", "redBackgroundColor"),
        ("orangeTextColor", "orangeBackgroundColor"),
        ("grayTextColor", "grayBackgroundColor"),
        ("blueTextColor", "blueBackgroundColor"),
        ("greenTextColor", "greenBackgroundColor"),
        ("yellowTextColor", "yellowBackgroundColor"),
    ],
)
def test_text_can_be_read_on_its_ground(text: str, ground: str) -> None:
    for name in ("light", "dark"):
        theme = CONFIG["theme"][name]
        assert contrast(theme[text], theme[ground]) >= 4.5, name


def test_the_digits_inside_score_bars_can_be_read() -> None:
    for palette in (charts.LIGHT, charts.DARK):
        for fill, text in zip(palette.score_fill, palette.score_text, strict=True):
            assert contrast(fill, text) >= 5.0, fill


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2: from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_no_page_and_no_route_share_an_address() -> None:
    pages = {screen.address for screen in SCREENS}
    first_parts = {route.path.split("/")[1] for route in routes(Lifecycle())}

    assert pages & first_parts == set()
    assert len(pages) == len(SCREENS)


def test_every_route_answers_without_blocking_a_thread_of_the_server() -> None:
    assert all(_is_async(route.endpoint) for route in routes(Lifecycle()))


def _is_async(endpoint: object) -> bool:
    """A coroutine function, or an ASGI application, which is an object that is called as one."""
    return iscoroutinefunction(endpoint) or iscoroutinefunction(type(endpoint).__call__)


def test_every_screen_is_there_and_named_like_no_standard_module() -> None:
    for screen in SCREENS:
        assert (ROOT / "pages" / screen.file).is_file(), screen.file
        assert screen.file.removesuffix(".py") not in sys.stdlib_module_names, screen.file


def test_the_readme_names_the_commands_and_they_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    targets = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    for target in ("run", "test"):
        assert f"make {target}" in readme.split("##")[0]
        assert target in targets[0].split()


def test_a_machine_without_a_new_enough_python_is_told_what_to_do(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)

    made = subprocess.run(
        ["/bin/bash", str(ROOT / "scripts" / "make-venv"), str(tmp_path / "venv")],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert made.returncode != 0
    assert "Python 3.11 or newer" in made.stderr


def test_ci_runs_what_make_test_runs() -> None:
    assert "exec make test" in (ROOT / ".ci" / "run").read_text("utf-8")
