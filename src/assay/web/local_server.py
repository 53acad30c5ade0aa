"""Serve pages to the browser of the person at this machine, and to nobody else.

The address has a token that only the person who started it knows, and only requests to this machine's own names
are answered, so that no page of another site can read along. Nothing can be changed through it.
"""

import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from assay.web.job_pages import JobPages
from assay.web.rendering import style

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


class LocalServer:
    """A server for the pages of one job. ``pages`` makes them for the path that addresses begin with."""

    def __init__(self, pages: Callable[[str], JobPages], port: int) -> None:
        self._base = f"/{secrets.token_urlsafe(16)}/"
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.base, self._server.pages = self._base, pages(self._base)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{self._base}"

    def serve(self) -> None:
        """Until it is stopped."""
        try:
            self._server.serve_forever(poll_interval=0.2)
        finally:
            self._server.server_close()

    def stop(self) -> None:
        self._server.shutdown()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    base: str
    pages: JobPages


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "assay"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if not self._is_ours():
            self._answer(403, "text/plain", "this server answers only to 127.0.0.1 and localhost\n")
        elif not secrets.compare_digest(parts.path[: len(self.server.base)].encode(), self.server.base.encode()):
            self._answer(404, "text/plain", "there is nothing here\n")
        else:
            self._page(unquote(parts.path[len(self.server.base) :]), dict(parse_qsl(parts.query)))

    def _page(self, path: str, query: dict[str, str]) -> None:
        if path == "style.css":
            self._answer(200, "text/css", style())
            return
        name = path.removeprefix("runs/")
        page = self.server.pages.job(query) if not path else self.server.pages.run(name) if name != path else None
        if page is None:
            self._answer(404, "text/plain", "there is no such run\n")
        else:
            self._answer(200, "text/html", page)

    def _is_ours(self) -> bool:
        """Whether the browser was sent to this machine by one of its own names."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        return host in ("127.0.0.1", "localhost")

    def _answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode(errors="backslashreplace")
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the person who would read it is the one who asks."""
