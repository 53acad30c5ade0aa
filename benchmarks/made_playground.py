"""A playground that counts what it is asked, and a FHIR server on loopback that is slow."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from assay.evidence.playground import Event, FhirSource, StateRow, StoredFile, Turn
from benchmarks.made_messages import NOW


class MadePlayground:
    """Fulfils ``PlaygroundState``; it is its own FHIR server, unless one is given, and its own place for files."""

    def __init__(
        self, hl7: Sequence[Event] = (), x12: Sequence[Event] = (), server: FhirSource | None = None
    ) -> None:
        self.asked: Counter[object] = Counter()
        self.run_start: datetime = NOW
        self._hl7, self._x12, self._server = hl7, x12, server

    @property
    def fhir(self) -> FhirSource:
        return self._server or self

    @property
    def files(self) -> "MadeFiles":
        return MadeFiles(self.asked)

    def events(self, event_type: str) -> Sequence[Event]:
        self.asked["events", event_type] += 1
        return self._hl7

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        self.asked["rows", resource] += 1
        return [StateRow(resource, str(n), {"status": "open", "n": n}, NOW) for n in range(20)]

    def turns(self) -> Sequence[Turn]:
        self.asked["turns"] += 1
        return [Turn(n, "agent", f"the appointment number {n} is confirmed", NOW) for n in range(1, 21)]

    def x12_responses(self) -> Sequence[Event]:
        self.asked["x12"] += 1
        return self._x12

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        self.asked["search", resource_type, str(parameters)] += 1
        yield from (appointment(str(n)) for n in range(5))

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        self.asked["read", resource_type, identity] += 1
        return appointment(identity)


class MadeFiles:
    """Files with a line each."""

    def __init__(self, asked: Counter[object]) -> None:
        self._asked = asked

    def files(self) -> list[StoredFile]:
        self._asked["listing"] += 1
        return [StoredFile(f"out/{n}.txt", 5, NOW) for n in range(20)]

    def chunks(self, path: str) -> Iterator[bytes]:
        self._asked["content", path] += 1
        yield b"done\n"


def appointment(identity: str) -> dict[str, object]:
    return {"resourceType": "Appointment", "id": identity, "status": "booked", "description": f"number {identity}"}


@contextmanager
def slow_server(answer_sec: float) -> Iterator[str]:
    """The base URL of a server that takes its time for every answer, but answers all at once."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(answer_sec)
            content = json.dumps(appointment(self.path.rpartition("/")[2])).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
