"""What the browser tests say to a Streamlit page."""

from __future__ import annotations

import os
import shutil

from playwright.sync_api import Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 30_000
"""Milliseconds until a page that does not come to rest is a failure."""


def chromium_path() -> str | None:
    """`$CHROMIUM`, else the system's Chromium, else `None`: the test tool's own."""
    return (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )


def at_rest(page: Page) -> None:
    """Wait until Streamlit has finished its script run and drawn the result."""
    page.wait_for_selector(
        "[data-testid=stApp][data-test-script-state=notRunning]", timeout=PATIENCE
    )


def exceptions_on(page: Page) -> list[str]:
    """The texts of the error boxes that Streamlit shows for uncaught exceptions."""
    return page.locator("[data-testid=stException]").all_inner_texts()


def say_name(page: Page, name: str = "Mara Okafor") -> None:
    """Give the reviewer's name in the header."""
    page.locator(".st-key-rd-reviewer button").first.click()
    asked = page.get_by_test_id("stPopoverBody")
    asked.get_by_role("textbox").fill(name)
    asked.get_by_role("button", name="Keep this name").click()
    page.locator(".st-key-rd-reviewer").get_by_text(name).wait_for(timeout=PATIENCE)
    at_rest(page)
