"""A service to be tested, in this process: its keys, and what most tests send first."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from assay.adapters.service.job_worker import JobWorker
from assay.adapters.service.secret_box import SecretBox
from assay.adapters.sources.source_guard import SourcePolicy
from assay.adapters.store.opening import open_store
from assay.api.app import Settings, make_app
from assay.api.service import Service
from assay.engine.service.do_work import ServiceWork
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.engine.service.storage import UpTo
from tests.api.serving import serving

BOOKED = {"status": "booked", "patient": {"mrn": "007"}}
ROW = {"resource": "appointments", "key": "a1", "data": BOOKED}
SPOKEN = [
    {"number": 1, "speaker": "agent", "text": "Good morning, this is the clinic."},
    {"number": 2, "speaker": "patient", "text": "Hello."},
]


def portal(path: str, expected: object, **more: object) -> dict[str, Any]:
    """A criterion about the row that ``ROW`` is."""
    assertion = {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "appointments", "key": "a1"},
        "assertions": [{"path": path, "expected": expected}],
    }
    return {"label": f"{path} is {expected}", "assertion": assertion, **more}


def said(phrase: str, **more: object) -> dict[str, Any]:
    assertion = {"assert": "voice-transcript", "speaker": "agent", "contains": [phrase]}
    return {"label": f"says {phrase}", "assertion": assertion, **more}


@dataclass
class Clinic:
    """A service, a client, and a key of each scope."""

    service: Service
    client: httpx.Client
    keys: dict[str, str]
    organisation: str

    def ask(self, method: str, path: str, *, key: str = "admin", **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.keys.get(key, key)}", **more.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **more)

    def get(self, path: str, *, key: str = "admin", **more: Any) -> Any:
        found = self.ask("GET", path, key=key, **more)
        assert found.status_code == 200, found.text
        return found.json()

    def post(self, path: str, body: object = None, *, key: str = "admin", **more: Any) -> Any:
        found = self.ask("POST", path, key=key, json={} if body is None else body, **more)
        assert found.status_code in (200, 201), found.text
        return found.json()

    def task(self, *criteria: dict[str, Any], **more: object) -> str:
        made = self.post("/v1/tasks", {"name": "book a visit", "criteria": list(criteria), **more})
        return str(made["id"])

    def run(self, *criteria: dict[str, Any], scored: bool = False, start: bool = True, **task: object) -> str:
        """A task run with the row and the turns of above in its playground, started unless told otherwise."""
        body = {"task_id": self.task(*criteria, **task), "scored": scored}
        made = self.post("/v1/task-runs", body)
        self.fill(made["playground_id"])
        if start:
            self.post(f"/v1/task-runs/{made['id']}/start")
        return str(made["id"])

    def fill(self, playground: str) -> None:
        self.post(f"/v1/playgrounds/{playground}/rows", ROW)
        self.post(f"/v1/playgrounds/{playground}/turns", SPOKEN)

    def benchmark(self, *tasks: str, slug: str = "visits") -> str:
        self.post("/v1/benchmarks", {"slug": slug})
        made = self.post(f"/v1/benchmarks/{slug}/versions", {"tasks": list(tasks)})
        return str(made["benchmark"])


@dataclass(frozen=True)
class Served:
    """A service, and the address at which it is served."""

    service: Service
    url: str


@contextmanager
def serve_on(
    where: str, settings: Settings | None = None, policy: SourcePolicy | None = None, claim_sec: float = 60.0
) -> Iterator[Served]:
    """A service on a database, behind a real server."""
    service = Service(open_store(where), SecretBox(b"k" * 32), policy, claim_sec=claim_sec)
    try:
        with serving(make_app(service, settings)) as url:
            yield Served(service, url)
    finally:
        service.close()


def clinic_of(served: Served, client: httpx.Client, organisation: str) -> Clinic:
    """A new organisation, with keys."""
    service = served.service
    service.keys.add_organisation(organisation, organisation)
    keys = {
        scope.value: issue_key(service.keys, Owner(organisation), scope, scope.value).secret
        for scope in (Scope.ADMIN, Scope.GRADER, Scope.READER)
    }
    return Clinic(service, client, keys, organisation)


def work_off(service: Service, doing: ServiceWork | None = None) -> bool:
    """Do all work that is due, as a worker does. Returns whether anything was done."""
    doing = doing or service.doing
    due = service.work.storage.find("work", state="queued", not_before=UpTo(service.host.now()))
    if service.store.is_postgres:
        asyncio.run(JobWorker(service.store.url, doing, 1)._work(wait=False))
    else:
        while doing.step():
            pass
    return due is not None and service.work.storage.find("work", id=due["id"]) != due
