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
    def needs_key(self) -> bool:
        """True if it must have an idempotency key to be sent again, when nobody knows whether it arrived."""
        return self.method == "POST" and not self.path.endswith(("/start", "/complete", "/cancel"))


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


class CodingRequests:
    """The requests of coding runs, job folders and evaluation results. Both clients send them.

    ``replace_scenario`` takes an id and the scenario, ``put_workspace`` that of a run and an archive. By an id
    alone: ``seed_task`` is for a scenario. ``coding_task`` asks for a seeded task, and ``workspace`` for the
    archive that an agent begins with there, as bytes. ``run`` asks for a run of any kind with its gates,
    ``gradings`` and ``files`` for what it has of these, such as its trajectory, diff and final response.
    ``cancel_coding_run`` closes a coding run.
    """

    replace_scenario = RequestAbout("PUT", "/scenarios/{}")
    put_workspace = RequestAbout("PUT", "/coding-runs/{}/workspace")
    seed_task = RequestAbout("POST", "/scenarios/{}/tasks")
    coding_task = RequestAbout("GET", "/coding-tasks/{}")
    workspace = RequestAbout("GET", "/coding-tasks/{}/workspace")
    cancel_coding_run = RequestAbout("POST", "/coding-runs/{}/cancel")
    run = RequestAbout("GET", "/runs/{}")
    gradings = RequestAbout("GET", "/runs/{}/gradings")
    files = RequestAbout("GET", "/runs/{}/files")

    @staticmethod
    def send_archive(content: bytes) -> Request:
        """An archive of files; the answer has the ``path`` for a scenario's ``workspace_seed``."""
        return Request("POST", "/archives", content)

    @staticmethod
    def create_scenario(scenario: Json) -> Request:
        return Request("POST", "/scenarios", scenario)

    @staticmethod
    def create_coding_run(task: str, agent: str, model: str | None = None, **more: Any) -> Request:
        return Request("POST", f"/coding-tasks/{part(task)}/runs", {"agent": agent, "model": model, **more})

    @staticmethod
    def put_log(run: str, path: str, content: bytes) -> Request:
        """A file of the agent's logs, such as ``trajectory.json`` or ``final_response.md``."""
        return Request("PUT", f"/coding-runs/{part(run)}/files/{quote(path)}", content)

    @staticmethod
    def complete_coding_run(run: str, turns: Sequence[Json] = (), status: str = "completed") -> Request:
        body = {"status": status, "turns": list(turns)}
        return Request("POST", f"/coding-runs/{part(run)}/complete", body)

    @staticmethod
    def grade_again(run: str, judge_only: bool = False) -> Request:
        return Request("POST", f"/runs/{part(run)}/gradings", {"judge_only": judge_only})

    @staticmethod
    def send_job(content: bytes, name: str | None = None) -> Request:
        """The archive of a job folder."""
        return Request("POST", "/jobs", content, {} if name is None else {"name": name})

    @staticmethod
    def job(identity: str, **question: str) -> Request:
        """A job with its report. ``question`` may have key, threshold, k and grading."""
        return Request("GET", f"/jobs/{part(identity)}", query=question)

    @staticmethod
    def send_evaluation_result(**told: Any) -> Request:
        """With ``run_id`` or ``trial``, and ``result`` or ``verifier``."""
        return Request("POST", "/evaluation-results", told)


def part(written: str) -> str:
    """A piece of a path, quoted."""
    return quote(written, safe="")
