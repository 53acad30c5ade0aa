"""Servers and workers are killed in the middle of their work: what was acknowledged is graded, exactly once."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from assay.adapters.store.opening import open_store
from assay.adapters.tasks.scenario_file import scenario_of
from assay.api.service import Service
from assay.dialects.criteria.resources import NewTask, NewTaskRun
from assay.dialects.scorers.resources import GradingState, NewCodingRun
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.service.coding_grading import CodingWork, seed_coding_task
from assay.engine.service.keys import Owner, Scope, issue_key
from tests.adapters.files.servers import free_port
from tests.api.clinic import said
from tests.api.coding import DONE, packed
from tests.builders import REPO
from tests.coding import GUARD, PROJECT
from tests.sampling import SEARCHING

pytestmark = pytest.mark.both_databases
KILLS, RUNS = (50, 100) if SEARCHING else (6, 8)
CODING_KILLS, CODING_RUNS = (12, 10) if SEARCHING else (3, 3)
CLAIM_SEC = 1
PATIENCE_SEC = 240.0


class Zygote:
    """Processes of the service that can be killed and started again at once."""

    def __init__(self, store: str, port: int) -> None:
        command = [sys.executable, "-m", "tests.api.zygote", store, str(port), str(CLAIM_SEC)]
        self._process = subprocess.Popen(
            command, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._alive: dict[str, int] = {}

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def start(self, name: str) -> None:
        self._alive[name] = int(self._ask(name.partition("-")[0]))

    def kill(self, name: str) -> None:
        os.kill(self._alive[name], signal.SIGKILL)
        self._ask(f"ended {self._alive.pop(name)}")

    def end(self) -> None:
        for name in list(self._alive):
            self.kill(name)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(120)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def processes(store: str, port: int) -> Iterator[Zygote]:
    zygote = Zygote(store, port)
    try:
        for name in ("serve", "work-1", "work-2"):
            zygote.start(name)
        yield zygote
    finally:
        zygote.end()


def test_coding_runs_are_graded_exactly_once(where: str) -> None:
    service = Service(open_store(where))
    key = issue_key(service.keys, Owner("default"), Scope.GRADER, "load").secret
    runs = coding_runs(service)
    acknowledged: list[str] = []
    port = free_port()
    with processes(where, port) as zygote:
        address = f"http://127.0.0.1:{port}"
        load = threading.Thread(target=submit, args=(address, key, runs, acknowledged, "coding-runs"))
        load.start()
        chance = random.Random(11)
        for _ in range(CODING_KILLS):
            name = chance.choice(["serve", "work-1", "work-2"])
            time.sleep(chance.uniform(0.05, 0.4))
            zygote.kill(name)
            zygote.start(name)
        load.join(PATIENCE_SEC)
        assert sorted(acknowledged) == sorted(runs)
        end = time.monotonic() + PATIENCE_SEC
        while service.work.waiting() or service.work.slice("default", SliceRequest(1), state="set_aside").rows:
            assert time.monotonic() < end
            send_again(service)
            time.sleep(0.2)
    for run in runs:
        [grading] = service.imports.gradings("default", run)
        assert (grading["number"], grading["report"]["overall"]["verdict"]) == (1, "PASS")
        assert service.coding.runs.get("default", run).state is GradingState.GRADED
    service.close()


def coding_runs(service: Service) -> list[str]:
    """Runs with a workspace, at a task that is seeded."""
    coding = service.coding
    seed = coding.archives.add("default", packed(PROJECT))
    scenario = scenario_of({"scorers": [GUARD], "workspace_seed": {"type": "archive", "path": seed.path}}, "s")
    task = coding.tasks.add("default", coding.scenarios.add("default", scenario).id).id
    parts = CodingWork(coding.policy, coding.tasks, coding.runs, coding.gradings, coding.grader, service.host.now)
    seed_coding_task(parts, "default", task)
    runs = [coding.runs.add("default", task, NewCodingRun(agent="ana")).id for _ in range(CODING_RUNS)]
    for run in runs:
        coding.runs.put_workspace("default", run, packed(DONE))
    return runs


def test_nothing_acknowledged_is_lost(where: str) -> None:
    service = Service(open_store(where))
    key = issue_key(service.keys, Owner("default"), Scope.GRADER, "load").secret
    task = service.tasks.add("default", NewTask(name="x", criteria=[said("good morning"), said("bye")])).id
    runs = [service.runs.add("default", NewTaskRun(task_id=task)).id for _ in range(RUNS)]
    for run in runs:
        service.runs.start(Owner("default"), run, service.host.now())
    acknowledged: list[str] = []
    port = free_port()
    with processes(where, port) as zygote:
        load = threading.Thread(target=submit, args=(f"http://127.0.0.1:{port}", key, runs, acknowledged))
        load.start()
        chance = random.Random(7)
        for _ in range(KILLS):
            name = chance.choice(["serve", "work-1", "work-2"])
            time.sleep(chance.uniform(0.01, 0.2))
            zygote.kill(name)
            zygote.start(name)
        load.join(PATIENCE_SEC)
        assert sorted(acknowledged) == sorted(runs)
        graded = wait_for(service, runs)
    assert set(graded.values()) == {"completed"}
    for run in runs:
        assert len(service.runs.criterion_runs_of(Owner("default"), run)) == 2
    assert service.work.waiting() == 0
    service.close()


def submit(url: str, key: str, runs: list[str], acknowledged: list[str], kind: str = "task-runs") -> None:
    """Send each run until it is acknowledged."""
    headers = {"Authorization": f"Bearer {key}", "Prefer": "respond-async"}
    for run in runs:
        end = time.monotonic() + PATIENCE_SEC
        while time.monotonic() < end:
            try:
                answer = httpx.post(f"{url}/v1/{kind}/{run}/complete", headers=headers, timeout=10)
            except httpx.TransportError:
                time.sleep(0.02)
                continue
            assert answer.status_code in (200, 202, 503), answer.text
            if answer.status_code != 503:
                acknowledged.append(run)
                break


def wait_for(service: Service, runs: list[str]) -> dict[str, str]:
    """How the runs ended. Work that its workers' deaths set aside is sent again, as an operator would."""
    end = time.monotonic() + PATIENCE_SEC
    while time.monotonic() < end:
        found = {run: service.runs.task_run(Owner("default"), run).status.value for run in runs}
        if set(found.values()) == {"completed"} and service.work.waiting() == 0:
            return found
        send_again(service)
        time.sleep(0.3)
    return found


def send_again(service: Service) -> None:

    for row in service.work.slice("default", SliceRequest(100), state="set_aside").rows:
        service.work.send_again("default", row.id)
