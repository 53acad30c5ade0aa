"""A client of the service, for scripts and other services. The public face.

>>> from assay.client import Client
>>> client = Client("https://assay.example", "ask_…")
>>> client.url
'https://assay.example'

``Client`` waits for each answer; ``AsyncClient`` has the same methods, to be awaited. ``Requests`` makes the
requests, and ``send`` sends one. Answers are plain dictionaries, as the API's reference describes them; one that
is no success raises ``ServiceError``. What may work a little later (409 busy, 429, 503) is tried again. After a
connection broke, only what can be repeated without harm is sent again: starting, completing and cancelling, and
all that only reads.

It needs httpx: ``pip install assay[service]``.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote

from assay.core.errors import AssayError, InputError

if TYPE_CHECKING:
    import httpx

Json: TypeAlias = dict[str, Any]
TIMEOUT_SEC: Final = 90.0
PATIENCE_SEC: Final = 60.0
FIRST_PAUSE_SEC: Final = 0.2
LONGEST_PAUSE_SEC: Final = 5.0
_JSON: Final = "application/json"
_OVER: Final = ("done", "set_aside")
_AGAIN: Final = frozenset((429, 502, 503, 504))


class ServiceError(AssayError):
    """The service answered with an error. ``status`` is that of HTTP, ``code`` the service's own.

    ``status`` is 0 if there was no answer.
    """

    def __init__(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(f"{message} ({status} {code})" if status else message)
        self.status = status
        self.code = code
        self.details = details


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
        """Whether it may be sent again after a connection broke, when nobody knows whether it arrived."""
        return self.method in ("GET", "PUT", "DELETE") or self.path.endswith(("/start", "/complete", "/cancel"))


class Requests:
    """The requests that the service understands, by what they are for. Both clients send them."""

    @staticmethod
    def create_task(name: str, criteria: Sequence[Json] = (), **more: Any) -> Request:
        return Request("POST", "/tasks", {"name": name, "criteria": list(criteria), **more})

    @staticmethod
    def create_benchmark(slug: str, name: str | None = None) -> Request:
        return Request("POST", "/benchmarks", {"slug": slug, "name": name})

    @staticmethod
    def create_version(benchmark: str, tasks: Sequence[str]) -> Request:
        return Request("POST", f"/benchmarks/{_part(benchmark)}/versions", {"tasks": list(tasks)})

    @staticmethod
    def create_benchmark_run(benchmark: str, scored: bool = False, **more: Any) -> Request:
        return Request("POST", "/benchmark-runs", {"benchmark": benchmark, "scored": scored, **more})

    @staticmethod
    def benchmark_run(identity: str) -> Request:
        return Request("GET", f"/benchmark-runs/{_part(identity)}")

    @staticmethod
    def create_task_run(task_id: str, playground_id: str | None = None, scored: bool = False) -> Request:
        body = {"task_id": task_id, "playground_id": playground_id, "scored": scored}
        return Request("POST", "/task-runs", body)

    @staticmethod
    def task_run(identity: str) -> Request:
        return Request("GET", f"/task-runs/{_part(identity)}")

    @staticmethod
    def start(task_run: str) -> Request:
        return Request("POST", f"/task-runs/{_part(task_run)}/start")

    @staticmethod
    def complete(task_run: str, later: bool = False, idempotency_key: str | None = None) -> Request:
        headers = {"Prefer": "respond-async"} if later else {}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return Request("POST", f"/task-runs/{_part(task_run)}/complete", headers=headers)

    @staticmethod
    def cancel(task_run: str, reason: str | None = None) -> Request:
        return Request("POST", f"/task-runs/{_part(task_run)}/cancel", {"reason": reason})

    @staticmethod
    def criterion_run(identity: str) -> Request:
        return Request("GET", f"/criterion-runs/{_part(identity)}")

    @staticmethod
    def create_playground(**more: Any) -> Request:
        return Request("POST", "/playgrounds", more)

    @staticmethod
    def record(playground: str, kind: str, records: Json | Sequence[Json]) -> Request:
        """``kind`` is events, rows, turns or responses."""
        if kind not in ("events", "rows", "turns", "responses"):
            raise InputError(f"records must be events, rows, turns or responses, got {kind!r}")
        return Request("POST", f"/playgrounds/{_part(playground)}/{kind}", records)

    @staticmethod
    def put_file(playground: str, path: str, content: bytes) -> Request:
        return Request("PUT", f"/playgrounds/{_part(playground)}/files/{quote(path)}", content)

    @staticmethod
    def put_source(playground: str, kind: str, **settings: Any) -> Request:
        return Request("PUT", f"/playgrounds/{_part(playground)}/sources/{_part(kind)}", settings)

    @staticmethod
    def create_key(name: str, scope: str, **more: Any) -> Request:
        return Request("POST", "/keys", {"name": name, "scope": scope, **more})

    @staticmethod
    def rotate_key(identity: str) -> Request:
        """A new secret in place of the old one, which is revoked at once."""
        return Request("POST", f"/keys/{_part(identity)}/rotate")

    @staticmethod
    def revoke_key(identity: str) -> Request:
        return Request("POST", f"/keys/{_part(identity)}/revoke")

    @staticmethod
    def annotate(run: str, reviewer_id: str, judgment: str, **more: Any) -> Request:
        """A reviewer's verdict on a run: pass, fail or defer."""
        body = {"reviewer_id": reviewer_id, "judgment": judgment, **more}
        return Request("POST", f"/runs/{_part(run)}/annotations", body)

    @staticmethod
    def work(identity: str) -> Request:
        return Request("GET", f"/work/{_part(identity)}")

    @staticmethod
    def page(resource: str, cursor: str | None = None, limit: int = 100, **filters: str) -> Request:
        """A page of a list, such as that of ``task-runs``."""
        query = {"limit": str(limit), **filters, **({} if cursor is None else {"cursor": cursor})}
        return Request("GET", f"/{resource.strip('/')}", query=query)


class CodingRequests:
    """The requests of coding runs, job folders and evaluation results. Both clients send them."""

    @staticmethod
    def send_archive(content: bytes) -> Request:
        """An archive of files; the answer has the ``path`` for a scenario's ``workspace_seed``."""
        return Request("POST", "/archives", content)

    @staticmethod
    def create_scenario(scenario: Json) -> Request:
        return Request("POST", "/scenarios", scenario)

    @staticmethod
    def replace_scenario(identity: str, scenario: Json) -> Request:
        return Request("PUT", f"/scenarios/{_part(identity)}", scenario)

    @staticmethod
    def seed_task(scenario: str) -> Request:
        return Request("POST", f"/scenarios/{_part(scenario)}/tasks")

    @staticmethod
    def coding_task(identity: str) -> Request:
        return Request("GET", f"/coding-tasks/{_part(identity)}")

    @staticmethod
    def workspace(task: str) -> Request:
        """The archive that an agent begins with, as bytes."""
        return Request("GET", f"/coding-tasks/{_part(task)}/workspace")

    @staticmethod
    def create_coding_run(task: str, agent: str, model: str | None = None, **more: Any) -> Request:
        return Request("POST", f"/coding-tasks/{_part(task)}/runs", {"agent": agent, "model": model, **more})

    @staticmethod
    def put_workspace(run: str, content: bytes) -> Request:
        return Request("PUT", f"/coding-runs/{_part(run)}/workspace", content)

    @staticmethod
    def put_log(run: str, path: str, content: bytes) -> Request:
        """A file of the agent's logs, such as ``trajectory.json`` or ``final_response.md``."""
        return Request("PUT", f"/coding-runs/{_part(run)}/files/{quote(path)}", content)

    @staticmethod
    def complete_coding_run(run: str, turns: Sequence[Json] = (), status: str = "completed") -> Request:
        body = {"status": status, "turns": list(turns)}
        return Request("POST", f"/coding-runs/{_part(run)}/complete", body)

    @staticmethod
    def cancel_coding_run(run: str) -> Request:
        return Request("POST", f"/coding-runs/{_part(run)}/cancel")

    @staticmethod
    def grade_again(run: str, judge_only: bool = False) -> Request:
        return Request("POST", f"/runs/{_part(run)}/gradings", {"judge_only": judge_only})

    @staticmethod
    def run(identity: str) -> Request:
        """A run of any kind, with its gates."""
        return Request("GET", f"/runs/{_part(identity)}")

    @staticmethod
    def gradings(run: str) -> Request:
        return Request("GET", f"/runs/{_part(run)}/gradings")

    @staticmethod
    def files(run: str) -> Request:
        """What a run left: its trajectory, diff, final response and so on."""
        return Request("GET", f"/runs/{_part(run)}/files")

    @staticmethod
    def send_job(content: bytes, name: str | None = None) -> Request:
        """The archive of a job folder."""
        return Request("POST", "/jobs", content, {} if name is None else {"name": name})

    @staticmethod
    def job(identity: str, **question: str) -> Request:
        """A job with its report. ``question`` may have key, threshold, k and grading."""
        return Request("GET", f"/jobs/{_part(identity)}", query=question)

    @staticmethod
    def send_evaluation_result(**told: Any) -> Request:
        """With ``run_id`` or ``trial``, and ``result`` or ``verifier``."""
        return Request("POST", "/evaluation-results", told)


def _part(written: str) -> str:
    return quote(written, safe="")


class _Connection:
    """What both clients have in common: the address, the key, and how an answer is read."""

    def __init__(self, url: str, key: str, patience_sec: float = PATIENCE_SEC) -> None:
        if not url.startswith(("http://", "https://")):
            raise InputError(f"the URL of a service must begin with https:// or http://, got {url!r}")
        self.url = url.rstrip("/")
        self._key = key
        self._patience = patience_sec

    def _sent(self, request: Request) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._key}", **(request.headers or {})}
        content = {"content": request.body} if isinstance(request.body, bytes) else {"json": request.body}
        if request.body is None:
            content = {}
        return {
            "method": request.method,
            "url": f"{self.url}/v1{request.path}",
            "headers": headers,
            "params": request.query,
            **content,
        }


class _Tries:
    """Whether and when to try once more."""

    def __init__(self, patience_sec: float) -> None:
        self._end = time.monotonic() + patience_sec
        self._pause = FIRST_PAUSE_SEC

    def pause(self, wanted: float = 0) -> float | None:
        """The seconds to wait; None once the time is over."""
        wait = max(wanted, self._pause * random.uniform(0.5, 1))  # noqa: S311 - no secret
        self._pause = min(self._pause * 2, LONGEST_PAUSE_SEC)
        return wait if time.monotonic() + wait < self._end else None


def _error(response: "httpx.Response") -> ServiceError:
    try:
        told = response.json()["error"]
        return ServiceError(response.status_code, told["code"], told["message"], told["details"])
    except (ValueError, KeyError, TypeError):
        return ServiceError(response.status_code, "unknown", "the answer isn't one of this service", {})


def _read(response: "httpx.Response") -> Any:
    if response.status_code >= 400:
        raise _error(response)
    if not response.content:
        return None
    return response.json() if response.headers.get("content-type", "").startswith(_JSON) else response.content


def _wanted_pause(response: "httpx.Response") -> float | None:
    """How long to wait before the same request may work; None if it never will."""
    busy = response.status_code == 409 and "retry-after" in response.headers
    if response.status_code not in _AGAIN and not busy:
        return None
    written = response.headers.get("retry-after", "")
    return float(written) if written.isdecimal() else 0.0


class Client(_Connection):
    """Asks the service and waits for the answer. To be closed, or used in a ``with``. Safe to use from threads."""

    def __init__(self, url: str, key: str, patience_sec: float = PATIENCE_SEC) -> None:
        super().__init__(url, key, patience_sec)
        self._client = _httpx().Client(timeout=TIMEOUT_SEC)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def send(self, request: Request) -> Any:
        """The answer to a request. Raises ``ServiceError``."""
        tries = _Tries(self._patience)
        while True:
            try:
                response = self._client.request(**self._sent(request))
            except _httpx().TransportError as error:
                pause = tries.pause() if request.repeatable else None
                if pause is None:
                    raise _unreachable(self.url, error) from error
            else:
                wanted = _wanted_pause(response)
                pause = None if wanted is None else tries.pause(wanted)
                if pause is None:
                    return _read(response)
            time.sleep(pause)

    def each(self, resource: str, limit: int = 100, **filters: str) -> Iterator[Json]:
        """Everything in a list, the newest first, ``limit`` at a time."""
        cursor: str | None = None
        while True:
            found = self.send(Requests.page(resource, cursor, limit, **filters))
            yield from found["data"]
            cursor = found["_meta"]["next"]
            if cursor is None:
                return

    def start(self, task_run: str) -> Json:
        """Start a task run."""
        return dict(self.send(Requests.start(task_run)))

    def complete(self, task_run: str, idempotency_key: str | None = None) -> Json:
        """Complete a task run, and wait for its result."""
        return dict(self.send(Requests.complete(task_run, idempotency_key=idempotency_key)))

    def finished(self, work: str, within_sec: float = 3600) -> Json:
        """Wait until a piece of work is done. Raises ``ServiceError`` if it was set aside, or takes longer."""
        tries = _Tries(within_sec)
        while (found := self.send(Requests.work(work)))["state"] not in _OVER:
            pause = tries.pause()
            if pause is None:
                raise _unfinished(found)
            time.sleep(pause)
        return _done(found)


class AsyncClient(_Connection):
    """The same for code that awaits. To be closed, or used in an ``async with``."""

    def __init__(self, url: str, key: str, patience_sec: float = PATIENCE_SEC) -> None:
        super().__init__(url, key, patience_sec)
        self._client = _httpx().AsyncClient(timeout=TIMEOUT_SEC)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up."""
        await self._client.aclose()

    async def send(self, request: Request) -> Any:
        """The answer to a request. Raises ``ServiceError``."""
        tries = _Tries(self._patience)
        while True:
            try:
                response = await self._client.request(**self._sent(request))
            except _httpx().TransportError as error:
                pause = tries.pause() if request.repeatable else None
                if pause is None:
                    raise _unreachable(self.url, error) from error
            else:
                wanted = _wanted_pause(response)
                pause = None if wanted is None else tries.pause(wanted)
                if pause is None:
                    return _read(response)
            await asyncio.sleep(pause)

    async def each(self, resource: str, limit: int = 100, **filters: str) -> AsyncIterator[Json]:
        """Everything in a list, the newest first, ``limit`` at a time."""
        cursor: str | None = None
        while True:
            found = await self.send(Requests.page(resource, cursor, limit, **filters))
            for one in found["data"]:
                yield one
            cursor = found["_meta"]["next"]
            if cursor is None:
                return

    async def start(self, task_run: str) -> Json:
        """Start a task run."""
        return dict(await self.send(Requests.start(task_run)))

    async def complete(self, task_run: str, idempotency_key: str | None = None) -> Json:
        """Complete a task run, and wait for its result."""
        return dict(await self.send(Requests.complete(task_run, idempotency_key=idempotency_key)))

    async def finished(self, work: str, within_sec: float = 3600) -> Json:
        """Wait until a piece of work is done. Raises ``ServiceError`` if it was set aside, or takes longer."""
        tries = _Tries(within_sec)
        while (found := await self.send(Requests.work(work)))["state"] not in _OVER:
            pause = tries.pause()
            if pause is None:
                raise _unfinished(found)
            await asyncio.sleep(pause)
        return _done(found)


def _done(work: Json) -> Json:
    if work["state"] != "done":
        raise ServiceError(0, "set_aside", f"the work was set aside: {work['reason']}", {"work": work["id"]})
    return dict(work)


def _unfinished(work: Json) -> ServiceError:
    return ServiceError(0, "unfinished", f"the work is still {work['state']}", {"work": work["id"]})


def _unreachable(url: str, error: Exception) -> ServiceError:
    return ServiceError(0, "unreachable", f"the service at {url} can't be reached ({type(error).__name__})", {})


def _httpx() -> Any:
    try:
        import httpx  # noqa: PLC0415 - only who has a client needs it
    except ImportError as error:
        raise InputError("a client needs httpx: install assay[service]") from error
    return httpx


__all__ = ["AsyncClient", "Client", "CodingRequests", "Request", "Requests", "ServiceError"]
