"""The systems of a small clinic: a FHIR server, and a gateway for HL7 that records what is sent to it.

Both are real servers on this machine, of a few lines.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from assay.adapters.sources.mllp import listening


@contextmanager
def fhir_server() -> Iterator[str]:
    """The base URL of a FHIR server that keeps appointments in memory."""
    kept: dict[str, dict[str, Any]] = {}

    class Fhir(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            resource = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            changed = datetime.now(UTC).isoformat()
            resource = {**resource, "id": str(len(kept) + 1), "meta": {"lastUpdated": changed}}
            kept[resource["id"]] = resource
            self._answer(201, resource)

        def do_GET(self) -> None:
            asked = parse_qs(urlsplit(self.path).query)
            found = [one for one in kept.values() if _is_about(one, asked.get("patient", [""])[0])]
            entries = [{"resource": one, "search": {"mode": "match"}} for one in found]
            self._answer(200, {"resourceType": "Bundle", "type": "searchset", "entry": entries})

        def _answer(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/fhir+json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Fhir)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _is_about(appointment: dict[str, Any], patient: str) -> bool:
    return any(one["actor"]["reference"] == patient for one in appointment["participant"])


@contextmanager
def hl7_gateway(record: Callable[[bytes], None]) -> Iterator[int]:
    """The port of a gateway for HL7 over MLLP. It acknowledges a message once it is recorded."""

    class Recorder:
        def record(self, message: bytes, received_at: datetime, peer: str) -> None:  # noqa: ARG002
            record(message)

    loop, ended, ports = asyncio.new_event_loop(), asyncio.Event(), []
    ready = threading.Event()

    async def listen() -> None:
        async with listening(Recorder()) as port:
            ports.append(port)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(listen(),))
    thread.start()
    try:
        ready.wait()
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
