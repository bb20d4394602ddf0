"""A real browser for tests of the page: Chromium as it is installed, driven by Playwright."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hamiltree.view.film.browser import FLAGS, find_browser

TIMEOUT = 120_000  # ms: the machine may be busy


def find_chromium() -> str | None:
    """The browser that $CHROMIUM names, or one on the path."""
    return find_browser()[0]


@contextmanager
def chromium() -> Iterator[Any]:
    """One browser; skips with the reason where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium: install it, or name it in CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class OpenPage:
    """A page that was opened from disk, and what it complained about or asked for."""

    def __init__(self, browser: Any, path: Path, wishes: str = "", **options: Any):
        options = {"viewport": {"width": 1000, "height": 640}, "reduced_motion": "reduce"} | options
        self.tab = browser.new_page(accept_downloads=True, **options)
        self.tab.set_default_timeout(TIMEOUT)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("console", self.note_message)
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("dialog", self.note_dialog)
        self.address = path.as_uri() + wishes
        self.tab.goto(self.address)
        self.tab.wait_for_selector("[data-ready]")

    def note_message(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def note_dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def __call__(self, expression: str) -> Any:
        """What an expression of the page's own app is."""
        body = f"const app = window.hamiltree; return {expression}"
        return self.tab.evaluate(f"(() => {{ {body} }})()")

    def do(self, statements: str) -> None:
        """Run statements, then draw."""
        self.tab.evaluate(
            f"(() => {{ const app = window.hamiltree; {statements}; app.draw(); }})()"
        )

    def wait(self, condition: str) -> None:
        """Until a condition holds; the page's policy leaves no eval to wait inside it."""
        end = time.monotonic() + TIMEOUT / 1000
        while not self(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            self.tab.wait_for_timeout(30)

    @property
    def time(self) -> float:
        return self("app.player.time")

    @property
    def outside_requests(self) -> list[str]:
        """Requests other than the file itself and data inside it."""
        own = self.address.partition("#")[0]
        inside = ("data:", "blob:")
        return [url for url in self.requests if url != own and not url.startswith(inside)]
