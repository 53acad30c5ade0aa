"""A service that holds one of everything, and for each operation a request that it can answer."""

import itertools
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from assay.api.examples import EXAMPLES
from assay.engine.service.work import WorkKind
from tests.api.clinic import Clinic, portal
from tests.api.coding import completed, packed, scenario, seeded, uploaded, worked
from tests.api.test_jobs import SORTING, archive_of
from tests.coding import PROJECT

HERE: Final = "http://127.0.0.1:9/v1"


@dataclass(frozen=True)
class Given:
    """The parts of a request: the names in its path, and what it sends."""

    path: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)


class Everything:
    """Makes what requests are about. What they may change or remove is new every time."""

    def __init__(self, clinic: Clinic) -> None:
        self.clinic = clinic
        self._numbers = itertools.count()

    def new(self, place: str, **body: Any) -> str:
        return str(self.clinic.post(f"/v1/{place}", body)["id"])

    def task(self) -> str:
        return self.clinic.task(portal("status", "booked"))

    def criterion(self) -> str:
        return self.new(f"tasks/{self.task()}/criteria", label="x", assertion={})

    def slug(self) -> str:
        return f"visits-{next(self._numbers)}"

    def benchmark(self) -> str:
        slug = self.slug()
        self.clinic.benchmark(self.task(), slug=slug)
        return slug

    def benchmark_run(self) -> str:
        made = self.clinic.post("/v1/benchmark-runs", {"benchmark": self.benchmark()})
        return str(made["benchmark_run"]["id"])

    def ended_benchmark_run(self) -> str:
        run = self.benchmark_run()
        for one in self.clinic.get(f"/v1/benchmark-runs/{run}/task-runs")["data"]:
            self.clinic.post(f"/v1/task-runs/{one['id']}/cancel")
        return run

    def task_run(self) -> str:
        return self.clinic.run(portal("status", "booked"))

    def ended(self) -> str:
        run = self.task_run()
        self.clinic.post(f"/v1/task-runs/{run}/complete")
        return run

    @cached_property
    def graded(self) -> str:
        """A task run, for those who only read."""
        return self.ended()

    def criterion_run(self) -> str:
        found = self.clinic.get("/v1/criterion-runs", params={"task_run_id": self.graded})
        return str(found["data"][0]["id"])

    def listed_run(self) -> str:
        """A run of the explorer."""
        run = self.ended()
        [found] = [one for one in self.clinic.get("/v1/runs", params={"limit": 100})["data"] if one["name"] == run]
        return str(found["id"])

    def playground(self) -> str:
        made = self.new("playgrounds")
        self.clinic.fill(made)
        for kind in ("events", "responses"):
            self.clinic.post(f"/v1/playgrounds/{made}/{kind}", EXAMPLES[f"record_{kind}"])
        source = self.clinic.ask("PUT", f"/v1/playgrounds/{made}/sources/fhir", json={"url": HERE})
        assert source.status_code == 200, source.text
        return made

    def record(self, kind: str) -> Given:
        playground = self.playground()
        [found, *_] = self.clinic.get(f"/v1/playgrounds/{playground}/{kind}")["data"]
        return Given({"id": playground, "record": found["id"]})

    def work(self) -> str:
        run = self.task_run()
        later = self.clinic.ask("POST", f"/v1/task-runs/{run}/complete", headers={"Prefer": "respond-async"})
        worked(self.clinic)
        return str(later.json()["id"])

    def set_aside(self) -> str:
        work = self.clinic.service.work
        added = work.add(self.clinic.organisation, WorkKind.COMPLETE_TASK_RUN, self.task_run())
        with work.storage.transaction() as rows:
            rows.change("work", {"state": "set_aside", "reason": "it broke"}, id=added.id)
        return added.id

    def archive(self) -> str:
        return str(self.clinic.ask("POST", "/v1/archives", content=packed(PROJECT)).json()["path"])

    def scenario(self) -> str:
        return self.new("scenarios", **scenario(self.clinic))

    @cached_property
    def coding_task(self) -> str:
        return seeded(self.clinic)

    @cached_property
    def coding_run(self) -> str:
        """One that is graded."""
        run = uploaded(self.clinic, self.coding_task, final_response_md="done")
        completed(self.clinic, run)
        return run

    def upload(self) -> str:
        return uploaded(self.clinic, self.coding_task)

    def job(self) -> str:
        name = f"sorting-{next(self._numbers)}"
        sent = self.clinic.ask("POST", "/v1/jobs", content=archive_of(SORTING), params={"name": name})
        return str(sent.json()["job"]["id"])

    @cached_property
    def kept_job(self) -> str:
        return self.job()

    def evaluation_result(self) -> str:
        body = {**EXAMPLES["create_evaluation_result"], "run_id": self.listed_run()}
        return self.new("evaluation-results", **body)

    def key(self) -> str:
        return str(self.clinic.post("/v1/keys", {"name": "ci", "scope": "grader"})["key"]["id"])

    def webhook(self) -> str:
        """In place of those that there are: an organisation has few."""
        for one in self.clinic.get("/v1/webhooks")["data"]:
            self.clinic.ask("DELETE", f"/v1/webhooks/{one['id']}")
        body = {**EXAMPLES["create_webhook"], "url": HERE}
        return str(self.clinic.post("/v1/webhooks", body)["webhook"]["id"])

    def judge(self) -> Given:
        put = self.clinic.ask("PUT", "/v1/judge", json={"url": HERE, "models": ["careful-1"]})
        assert put.status_code == 200, put.text
        return Given()


_OF_ID: Final[Mapping[str, Callable[[Everything], str]]] = {
    "/tasks/": Everything.task,
    "/criteria/": Everything.criterion,
    "/benchmarks/": Everything.benchmark,
    "/benchmark-runs/": Everything.benchmark_run,
    "/task-runs/": Everything.task_run,
    "/criterion-runs/": Everything.criterion_run,
    "/playgrounds/": Everything.playground,
    "/work/": Everything.work,
    "/runs/": Everything.listed_run,
    "/scenarios/": Everything.scenario,
    "/coding-tasks/": lambda known: known.coding_task,
    "/coding-runs/": Everything.upload,
    "/jobs/": Everything.job,
    "/evaluation-results/": Everything.evaluation_result,
    "/keys/": Everything.key,
    "/webhooks/": Everything.webhook,
}
# Where an operation needs something else than an id of its kind.
_SPECIAL: Final[Mapping[str, Callable[[Everything], Given]]] = {
    **{
        f"{verb}_{kind.removesuffix('s')}": lambda known, kind=kind: known.record(kind)  # type: ignore[misc]
        for verb in ("get", "delete")
        for kind in ("events", "rows", "turns", "responses")
    },
    "get_version": lambda known: Given({"id": known.benchmark(), "version": "1"}),
    "get_scenario_version": lambda known: Given({"id": known.scenario(), "version": "1"}),
    "get_archive": lambda known: Given({"path": known.archive()}),
    "get_judge": Everything.judge,
    "remove_judge": Everything.judge,
    "retry_work": lambda known: Given({"id": known.set_aside()}),
    "put_file": lambda known: Given({"id": known.playground(), "path": "notes/a.txt"}, b"hello"),
    "put_source": lambda known: Given({"id": known.playground(), "kind": "fhir"}, {"url": HERE}),
    "delete_source": lambda known: Given({"id": known.playground(), "kind": "fhir"}),
    "put_workspace": lambda known: Given({"id": known.upload()}, packed(PROJECT)),
    "put_log": lambda known: Given({"id": known.upload(), "path": "stdout.txt"}, b"hello"),
    "list_run_files": lambda known: Given({"id": known.coding_run}),
    "read_run_file": lambda known: Given({"id": known.coding_run, "name": "final_response"}),
    "grade_run_again": lambda known: Given({"id": known.coding_run}, {"judge_only": False}),
    "annotate_task_run": lambda known: Given({"id": known.ended()}, EXAMPLES["annotate_task_run"]),
    "list_task_run_annotations": lambda known: Given({"id": known.ended()}),
    "delete_task_run": lambda known: Given({"id": known.ended()}),
    "delete_benchmark_run": lambda known: Given({"id": known.ended_benchmark_run()}),
    "delete_job": lambda known: Given({"id": known.job()}),
    "get_job": lambda known: Given({"id": known.kept_job}),
    "list_trials": lambda known: Given({"id": known.kept_job}),
    "list_criteria": lambda known: Given(query={"task_id": known.task()}),
    "create_job": lambda known: Given(body=archive_of(SORTING), query={"name": known.slug()}),
    "create_archive": lambda _known: Given(body=packed({**PROJECT, "other.py": ""})),
}


def _with(name: str, **values: Callable[[Everything], Any]) -> Callable[[Everything], Any]:
    return lambda known: {**deepcopy(EXAMPLES[name]), **{field: make(known) for field, make in values.items()}}


_BODIES: Final[Mapping[str, Callable[[Everything], Any]]] = {
    "try_out_criterion": _with("try_out_criterion", playground_id=Everything.playground),
    "create_benchmark": _with("create_benchmark", slug=Everything.slug),
    "create_whole_benchmark": _with("create_whole_benchmark", slug=Everything.slug),
    "create_version": _with("create_version", tasks=lambda known: [known.task()]),
    "create_benchmark_run": _with("create_benchmark_run", benchmark=Everything.benchmark),
    "create_task_run": _with("create_task_run", task_id=Everything.task),
    "create_scenario": lambda known: scenario(known.clinic),
    "replace_scenario": lambda known: scenario(known.clinic),
    "put_judge": _with("put_judge", url=lambda _known: HERE),
    "create_webhook": _with("create_webhook", url=lambda _known: HERE),
    "create_evaluation_result": _with("create_evaluation_result", run_id=Everything.listed_run),
    "record_turns": lambda _known: [{"number": 3, "speaker": "agent", "text": "It is booked."}],
    "grade_outputs": lambda _known: {"task": "number", "outputs": [{"answer": "0.5"}]},
}


def given(name: str, path: str, known: Everything) -> Given:
    """The request that an operation, by its name and its path, can answer."""
    if name in _SPECIAL:
        return _SPECIAL[name](known)
    make = next((make for start, make in _OF_ID.items() if path.startswith(start)), None)
    body = _BODIES[name](known) if name in _BODIES else deepcopy(EXAMPLES.get(name))
    return Given({} if make is None or "{id}" not in path else {"id": make(known)}, body)
