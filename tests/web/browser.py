"""A real browser for tests: Chromium, kept off the network, and a tab that tells what went wrong in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NOT_INSTALLED = "chromium is not installed: pages are not tested in a browser"
_LISTEN = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser for many tests. Where there is none, the tests are skipped, and say so."""
    if CHROMIUM is None:
        pytest.skip(NOT_INSTALLED)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A tab, and everything that went wrong in it or that it asked another server for."""

    page: Page
    wrong: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def open(self, address: str) -> Page:
        self.page.goto(address)
        return self.page

    def heading(self) -> str:
        return self.page.get_by_role("heading", level=1).inner_text()

    def refused(self) -> list[str]:
        """What the policy of the page has refused."""
        found: list[str] = self.page.evaluate("window.refused || []")
        return found


@contextmanager
def tab_of(browser: Browser, **options: Any) -> Iterator[Tab]:
    """A tab with cookies of its own. It can reach this machine only, and nothing may go wrong in it."""
    context = browser.new_context(**options)
    context.add_init_script(_LISTEN)
    page = context.new_page()
    page.set_default_timeout(15_000)
    tab = Tab(page)
    page.on("pageerror", lambda error: tab.wrong.append(f"script: {error}"))
    page.on("console", lambda said: tab.wrong.append(f"console: {said.text}") if said.type == "error" else None)

    def only_here(route: Route) -> None:
        if urlsplit(route.request.url).hostname in ("127.0.0.1", None):
            route.continue_()
        else:
            tab.outside.append(route.request.url)
            route.abort()

    context.route("**/*", only_here)
    yield tab
    if options.get("java_script_enabled", True):
        assert tab.refused() == []
    context.close()
    assert (tab.wrong, tab.outside) == ([], [])
