"""The requests that a service understands, by what they are for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

from assay.core.errors import InputError

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the service."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None

    @property
    def repeatable(self) -> bool:
        """True if it may be sent again after a connection broke, when nobody knows whether it arrived."""
        return self.method in ("GET", "PUT", "DELETE") or self.path.endswith(("/start", "/complete", "/cancel"))


@dataclass(frozen=True, slots=True)
class RequestAbout:
    """Makes a request about one thing, by its id, with what is sent for it."""

    method: str
    path: str

    def __call__(self, identity: str, body: Any = None, /) -> Request:
        return Request(self.method, self.path.format(part(identity)), body)


class Requests:
    """The requests that the service understands, by what they are for. Both clients send them.

    ``task_run``, ``benchmark_run``, ``criterion_run`` and ``work`` ask for one of these by its id. ``start`` is
    for a task run, ``rotate_key`` and ``revoke_key`` are for a key.
    """

    task_run = RequestAbout("GET", "/task-runs/{}")
    benchmark_run = RequestAbout("GET", "/benchmark-runs/{}")
    criterion_run = RequestAbout("GET", "/criterion-runs/{}")
    work = RequestAbout("GET", "/work/{}")
    start = RequestAbout("POST", "/task-runs/{}/start")
    rotate_key = RequestAbout("POST", "/keys/{}/rotate")
    revoke_key = RequestAbout("POST", "/keys/{}/revoke")

    @staticmethod
    def create_task(name: str, criteria: Sequence[Json] = (), **more: Any) -> Request:
        return Request("POST", "/tasks", {"name": name, "criteria": list(criteria), **more})

    @staticmethod
    def create_benchmark(slug: str, name: str | None = None) -> Request:
        return Request("POST", "/benchmarks", {"slug": slug, "name": name})

    @staticmethod
    def create_version(benchmark: str, tasks: Sequence[str]) -> Request:
        return Request("POST", f"/benchmarks/{part(benchmark)}/versions", {"tasks": list(tasks)})

    @staticmethod
    def create_benchmark_run(benchmark: str, scored: bool = False, **more: Any) -> Request:
        return Request("POST", "/benchmark-runs", {"benchmark": benchmark, "scored": scored, **more})

    @staticmethod
    def create_task_run(task_id: str, playground_id: str | None = None, scored: bool = False) -> Request:
        body = {"task_id": task_id, "playground_id": playground_id, "scored": scored}
        return Request("POST", "/task-runs", body)

    @staticmethod
    def complete(task_run: str, later: bool = False, idempotency_key: str | None = None) -> Request:
        headers = {"Prefer": "respond-async"} if later else {}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return Request("POST", f"/task-runs/{part(task_run)}/complete", headers=headers)

    @staticmethod
    def cancel(task_run: str, reason: str | None = None) -> Request:
        return Request("POST", f"/task-runs/{part(task_run)}/cancel", {"reason": reason})

    @staticmethod
    def create_playground(**more: Any) -> Request:
        return Request("POST", "/playgrounds", more)

    @staticmethod
    def record(playground: str, kind: str, records: Json | Sequence[Json]) -> Request:
        """``kind`` is events, rows, turns or responses."""
        if kind not in ("events", "rows", "turns", "responses"):
            raise InputError(f"records must be events, rows, turns or responses, got {kind!r}")
        return Request("POST", f"/playgrounds/{part(playground)}/{kind}", records)

    @staticmethod
    def put_file(playground: str, path: str, content: bytes) -> Request:
        return Request("PUT", f"/playgrounds/{part(playground)}/files/{quote(path)}", content)

    @staticmethod
    def put_source(playground: str, kind: str, **settings: Any) -> Request:
        return Request("PUT", f"/playgrounds/{part(playground)}/sources/{part(kind)}", settings)

    @staticmethod
    def create_key(name: str, scope: str, **more: Any) -> Request:
        return Request("POST", "/keys", {"name": name, "scope": scope, **more})

    @staticmethod
    def annotate(run: str, reviewer_id: str, judgment: str, **more: Any) -> Request:
        """A reviewer's verdict on a run: pass, fail or defer."""
        body = {"reviewer_id": reviewer_id, "judgment": judgment, **more}
        return Request("POST", f"/runs/{part(run)}/annotations", body)

    @staticmethod
    def page(resource: str, cursor: str | None = None, limit: int = 100, **filters: str) -> Request:
        """A page of a list, such as that of ``task-runs``."""
        query = {"limit": str(limit), **filters, **({} if cursor is None else {"cursor": cursor})}
        return Request("GET", f"/{resource.strip('/')}", query=query)


def part(written: str) -> str:
    """A piece of a path, quoted."""
    return quote(written, safe="")
