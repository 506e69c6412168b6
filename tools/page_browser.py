"""Chromium on a page that is served from a folder, for `dev.py page` and `dev.py bench page`."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

from ptxscope.features.page.command import run as write_page

_NO_STORAGE = """
for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore"])
  Object.defineProperty(window, name, {get() { throw new DOMException(name, "SecurityError"); }});
const refuse = () => { throw new DOMException("cookie", "SecurityError"); };
Object.defineProperty(document, "cookie", {get: refuse, set: refuse});
Object.defineProperty(navigator, "serviceWorker", {value: undefined});
"""
"""A script that makes every use of storage an error, and therefore a complaint."""
READY_MS = 90_000
"""Maximum time for the engine to start, on a busy machine."""


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - as in its base
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def __init__(self, *words: Any, never: str, ended: threading.Event, **named: Any) -> None:
        self._never, self._ended = never, ended
        super().__init__(*words, **named)

    def do_GET(self) -> None:
        """Answer, except for the file that never arrives."""
        if self._never and self.path.endswith(self._never):
            self._ended.wait()
        else:
            super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def serve_folder(folder: Path, never: str = "") -> Iterator[str]:
    """Serve a folder, except for one file that never arrives; yield its address."""
    ended = threading.Event()
    handle = partial(_Handler, directory=str(folder), never=never, ended=ended)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handle)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


@contextmanager
def serve_site(packages: Path) -> Iterator[tuple[str, Path]]:
    """Write a page with the runtime of npm's packages; yield its address and its folder."""
    with tempfile.TemporaryDirectory() as name:
        write_page(["-o", name, "--runtime", str(packages / "pyodide")])
        with serve_folder(Path(name)) as address:
            yield address, Path(name)


@contextmanager
def start_browser(chromium: str) -> Iterator[Any]:
    """Start Chromium without a window."""
    playwright_api = import_module("playwright.sync_api")  # of .venv-page alone
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class PageDriver:
    """A page in a browser, with its complaints and requests."""

    def __init__(self, browser: Any, url: str, width: int = 1280, scheme: str = "light") -> None:
        self.url = url
        self.context = browser.new_context(
            viewport={"width": width, "height": 1000}, color_scheme=scheme
        )
        self.context.add_init_script(_NO_STORAGE)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._add_complaint)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self._refuse_dialog(dialog))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _add_complaint(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _refuse_dialog(self, dialog: Any) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, fragment: str = "") -> None:
        """Open the page and wait for its engine."""
        self.page.goto(f"{self.url}#{fragment}" if fragment else self.url)
        self.wait_for("document.body.classList.contains('ready')", READY_MS)

    def settle(self) -> None:
        """Wait until all changes are drawn."""
        self.page.evaluate("ptxscopeAnswer()")

    def wait_for(self, expression: str, most_ms: int = 5_000) -> None:
        """Wait until a JavaScript expression is true; the policy forbids Playwright's way.

        Raise TimeoutError if it takes too long.
        """
        for _ in range(most_ms // 50):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        seen = self.page.evaluate("document.getElementById('loading')?.innerText")
        raise TimeoutError(f"not true: {expression}; loading: {seen!r}; {self.complaints}")

    def close(self) -> None:
        """Close the page."""
        self.context.close()
