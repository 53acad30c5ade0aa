"""Serve pages to the browser of the person at this machine, and to nobody else.

The address has a token that only the person who started it knows, and only requests to this machine's own names
are answered, so that no page of another site can read along. Nothing can be changed through it.
"""

import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from assay.core.errors import InputError
from assay.engine.explorer.page_source import PageSource
from assay.engine.service.keys import Scope
from assay.web.reading import READING
from assay.web.routing import (
    HEADERS,
    Fields,
    PageAnswer,
    PageCall,
    answer_page,
    asset_answer,
    route_at,
    trouble,
)
from assay.web.site import Site, Viewer

HERE = Viewer(Scope.READER)


class LocalServer(ThreadingHTTPServer):
    """A server for what is in some folders. ``read`` gives it, for each page anew: a job may still be running."""

    daemon_threads = True

    def __init__(self, read: Callable[[], PageSource], port: int, name: str) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site = Site(f"/{secrets.token_urlsafe(16)}/", READING, name)
        self.read = read

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.site.base}"

    def serve(self) -> None:
        """Until it is stopped."""
        with self:
            self.serve_forever(poll_interval=0.2)

    def stop(self) -> None:
        self.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: LocalServer
    server_version = "assay"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    # Head and body are sent apart; together with late acknowledgements that would take 40 ms.
    disable_nagle_algorithm = True
    timeout = 30

    def do_GET(self) -> None:
        parts, base = urlsplit(self.path), self.server.site.base
        if not self._is_ours():
            self._send(PageAnswer("this server answers only to 127.0.0.1 and localhost\n", 403, "text/plain"))
        elif not secrets.compare_digest(parts.path[: len(base)].encode(), base.encode()):
            self._send(PageAnswer("there is nothing here\n", 404, "text/plain"))
        else:
            self._send(self._safely(parts.path[len(base) :], parts.query))

    def _safely(self, place: str, query: str) -> PageAnswer:
        """The page, or one that says that something broke: a browser always gets an answer."""
        try:
            return self._page(place, query)
        except Exception as error:  # noqa: BLE001 - the outermost boundary
            number = secrets.token_hex(4)
            print(f"assay: the page {place} broke, request {number}: {error!r}", file=sys.stderr)
            call = PageCall(site=self.server.site, viewer=HERE, place=place)
            return trouble(call, 500, f"this page broke (request {number}); the terminal says more")

    def _page(self, place: str, query: str) -> PageAnswer:
        if place.startswith("assets/"):
            accepted = self.headers.get("Accept-Encoding") or ""
            return asset_answer(place.removeprefix("assets/"), query.removeprefix("v="), accepted)
        site = self.server.site
        call = PageCall(site=site, viewer=HERE, place=place)
        try:
            asked = Fields.of(query)
            call = replace(call, reads=self.server.read())
        except InputError as error:
            return trouble(call, 422, str(error))
        found = route_at(READING, "GET", place)
        if found is None:
            return trouble(call, 404, "there is no page at this address")
        partial = self.headers.get("HX-Request") == "true"
        return answer_page(found[0], replace(call, path=found[1], query=asked, partial=partial))

    def _is_ours(self) -> bool:
        """Whether the browser was sent to this machine by one of its own names."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        return host in ("127.0.0.1", "localhost")

    def _send(self, answer: PageAnswer) -> None:
        parts = answer.chunks
        length = {"Content-Length": str(len(parts[0]))} if isinstance(parts, list) else {"Connection": "close"}
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.media_type, **length, **HEADERS, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        # A browser that went on to another page doesn't wait for this one.
        with suppress(ConnectionError):
            for part in parts:
                self.wfile.write(part)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the person who would read it is the one who asks."""
