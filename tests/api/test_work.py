"""Work that was accepted is done, whoever dies; what can't be done is set aside and can be sent again."""

import contextlib
import dataclasses
import threading
import time
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from assay.adapters.service.worker import Worker
from assay.adapters.store.opening import open_store
from assay.adapters.store.service.run_claims import StoredRunClaims
from assay.adapters.store.service.storage import StoredStorage
from assay.api.service import Service
from assay.core.errors import BrokenCheckError, MeasurementError
from assay.dialects.criteria.resources import NewTask, NewTaskRun, Status
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.engine.service.runs import TaskRuns
from assay.engine.service.work import MOST_TRIES, WorkKind, WorkQueue, WorkState, work_once
from tests.api.clinic import Clinic, Served, portal, serve_on

pytestmark = pytest.mark.both_databases
LATER = {"Prefer": "respond-async"}
KINDS = [kind.value for kind in WorkKind]


@pytest.fixture
def idle(clinic: Clinic) -> Clinic:
    """Without work of other tests."""
    while clinic.service.doing.step():
        pass
    return clinic


def test_a_run_is_graded_later(idle: Clinic) -> None:
    run = idle.run(portal("status", "booked"))
    found = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER)
    assert (found.status_code, found.json()["state"], found.json()["target"]) == (202, "queued", run)
    again = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER)
    assert (again.status_code, again.json()["id"]) == (202, found.json()["id"])
    assert idle.get(f"/v1/task-runs/{run}")["status"] == "active"
    assert idle.service.doing.step()
    assert not idle.service.doing.step()
    assert idle.get(f"/v1/work/{found.json()['id']}")["state"] == "done"
    done = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER)
    assert (done.status_code, done.json()["verdict"]) == (200, "pass")


def test_a_run_that_was_not_started_is_refused_at_once(idle: Clinic) -> None:
    run = idle.run(start=False)
    assert idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).status_code == 409


def test_work_for_a_run_that_ended_meanwhile(idle: Clinic) -> None:
    run = idle.run()
    work = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).json()["id"]
    idle.post(f"/v1/task-runs/{run}/cancel")
    assert idle.service.doing.step()
    assert idle.get(f"/v1/work/{work}")["state"] == "done"
    assert idle.get(f"/v1/task-runs/{run}")["status"] == "cancelled"


def later(clinic: Clinic, **ahead: float) -> Any:
    """The same host, with a clock that is ahead."""

    class Ahead(type(clinic.service.host)):  # type: ignore[misc] # The class of the host that there is.
        def now(self) -> Any:
            return super().now() + timedelta(**ahead)

    return Ahead()


def test_what_fails_three_times_is_set_aside_with_its_reason(idle: Clinic) -> None:
    def down(_work: object) -> None:
        raise MeasurementError("the FHIR server is down")

    work = idle.service.work.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    for minutes in range(MOST_TRIES):
        host = later(idle, minutes=minutes)
        tried = work_once(idle.service.work, host, {work.kind: down}, idle.service.claims)
        assert tried is not None
        assert tried.tries == minutes + 1
    aside = idle.get(f"/v1/work/{work.id}")
    assert (aside["state"], aside["reason"]) == ("set_aside", "MeasurementError: the FHIR server is down")
    assert [one["id"] for one in idle.get("/v1/work", params={"state": "set_aside"})["data"]] == [work.id]
    assert idle.post(f"/v1/work/{work.id}/retry")["state"] == "queued"
    assert idle.ask("POST", f"/v1/work/{work.id}/retry").status_code == 409
    assert idle.service.doing.step()
    assert idle.get(f"/v1/work/{work.id}")["state"] == "done"


def test_a_source_that_is_down_uses_up_no_tries(idle: Clinic) -> None:
    """Pauses double up to a quarter of an hour. After a day, somebody has to look at it."""

    def down(*_: Any, **__: Any) -> Any:
        raise MeasurementError("the FHIR server is down")

    run = idle.run(portal("status", "booked"))
    work = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).json()
    doing = dataclasses.replace(idle.service.doing, grade=down)
    pauses, since = list[float](), idle.service.host.now()
    ahead = timedelta()
    for _ in range(20):
        host = later(idle, seconds=ahead.total_seconds())
        assert work_once(idle.service.work, host, doing.doers(), idle.service.claims)
        kept = idle.service.work.get(idle.organisation, work["id"])
        pauses.append(round((kept.not_before - host.now()).total_seconds()))
        ahead += kept.not_before - host.now() + timedelta(seconds=1)
    assert pauses[:4] == [2, 4, 8, 16]
    assert pauses[-1] == 900
    found = idle.get(f"/v1/work/{work['id']}")
    assert (found["state"], found["tries"], found["reason"]) == ("queued", 0, "the FHIR server is down")
    assert datetime.fromisoformat(found["waiting_for_source_since"]) - since < timedelta(minutes=1)
    assert datetime.fromisoformat(found["next_try_at"]) > since + timedelta(hours=2)
    assert idle.service.work.waiting_for_source() == 1
    host = later(idle, hours=25)
    assert work_once(idle.service.work, host, doing.doers(), idle.service.claims)
    assert idle.get(f"/v1/work/{work['id']}")["state"] == "set_aside"
    assert idle.service.work.waiting_for_source() == 0
    assert idle.post(f"/v1/work/{work['id']}/retry")["waiting_for_source_since"] is None
    assert idle.service.doing.step()
    assert idle.get(f"/v1/task-runs/{run}")["score"] == 1.0


def test_a_check_that_breaks_uses_up_tries(idle: Clinic) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise BrokenCheckError("the check of criterion 'x' broke")

    run = idle.run()
    work = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).json()
    doing = dataclasses.replace(idle.service.doing, grade=broken)
    for minutes in range(MOST_TRIES):
        assert work_once(idle.service.work, later(idle, minutes=minutes), doing.doers(), idle.service.claims)
    assert idle.get(f"/v1/work/{work['id']}")["state"] == "set_aside"


def test_the_operator_sees_how_much_waits(where: str) -> None:
    with serve_on(where) as served, httpx.Client(base_url=served.url) as client:
        service = served.service
        secret = issue_key(service.keys, Owner("default"), Scope.READER, "x").secret
        [run] = started(service, 1)
        service.runs.accept(Owner("default"), run, service.host.now())

        def down(*_: Any, **__: Any) -> Any:
            raise MeasurementError("down")

        assert dataclasses.replace(service.doing, grade=down).step()
        text = client.get("/metrics", headers={"Authorization": f"Bearer {secret}"}).text
    assert "\nassay_work_waiting 1\n" in text
    assert "\nassay_work_waiting_for_source 1\n" in text


def test_an_answer_says_that_work_was_accepted(idle: Clinic) -> None:
    found = idle.ask("POST", f"/v1/task-runs/{idle.run()}/complete", headers=LATER)
    assert found.headers["location"] == f"/v1/work/{found.json()['id']}"
    assert (found.headers["preference-applied"], found.headers["retry-after"]) == ("respond-async", "1")


def test_work_that_broke_waits_before_it_is_tried_again(idle: Clinic) -> None:
    def down(_work: object) -> None:
        raise MeasurementError("down")

    work = idle.service.work.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    assert work_once(idle.service.work, idle.service.host, {work.kind: down}, idle.service.claims)
    assert not idle.service.doing.step()
    idle.service.work.fail(work, "nobody", "x", None, idle.service.host.now())
    assert idle.get(f"/v1/work/{work.id}")["state"] == "queued"
    host = later(idle, seconds=30)
    assert work_once(idle.service.work, host, idle.service.doing.doers(), idle.service.claims)


def test_work_of_a_worker_that_died_is_taken_over(idle: Clinic) -> None:
    store = idle.service.work
    work = store.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run(portal("status", "booked")))
    now = idle.service.host.now()
    assert store.take("dead", now, now + timedelta(seconds=60), KINDS)
    assert not idle.service.doing.step()
    again = store.take("alive", now + timedelta(seconds=61), now + timedelta(seconds=120), KINDS)
    assert again is not None
    assert (again.id, again.tries) == (work.id, 2)
    assert not store.finish(again, "dead", now)
    assert store.finish(again, "alive", now)


def test_work_that_takes_its_worker_with_it_is_set_aside(idle: Clinic) -> None:
    store = idle.service.work
    work = store.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    now = idle.service.host.now()
    for number in range(MOST_TRIES):
        at = now + timedelta(minutes=2 * number)
        assert store.take(f"dead {number}", at, at + timedelta(seconds=60), KINDS)
    assert store.take("next", now + timedelta(minutes=9), now + timedelta(minutes=10), KINDS) is None
    found = store.get(idle.organisation, work.id)
    assert (found.state, found.reason) == (WorkState.SET_ASIDE, "its worker ended without a word, three times")


def test_organisations_take_turns_and_priority_goes_first(idle: Clinic, served: Served) -> None:
    store: WorkQueue = idle.service.work
    now = idle.service.host.now()
    for name in ("busy", "small"):
        served.service.keys.add_organisation(f"{idle.organisation}{name}", name)
    busy, small = f"{idle.organisation}busy", f"{idle.organisation}small"
    kind = WorkKind.COMPLETE_TASK_RUN
    for number in range(4):
        store.add(busy, kind, f"b{number}")
    store.add(small, kind, "s0")
    store.add(small, kind, "s1")
    store.add(busy, kind, "urgent", priority=5)
    order, now = [], idle.service.host.now()
    for number in range(7):
        taken = store.take(f"{idle.organisation}{number}", now, now + timedelta(seconds=60), KINDS)
        assert taken is not None
        order.append(taken.target)
        store.finish(taken, f"{idle.organisation}{number}", now)
    assert order == ["urgent", "b0", "s0", "b1", "s1", "b2", "b3"]


def test_progress_as_events(idle: Clinic) -> None:
    work = idle.service.work.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    headers = {"Authorization": f"Bearer {idle.keys['reader']}"}
    seen = []
    with idle.client.stream("GET", f"/v1/work/{work.id}/events", headers=headers) as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        for line in events.iter_lines():
            if line.startswith("event: "):
                seen.append(line.removeprefix("event: "))
                if len(seen) == 1:
                    assert idle.service.doing.step()
    assert (seen[0], seen[-1]) == ("queued", "done")
    assert idle.ask("GET", "/v1/work/work_0/events").status_code == 404


def test_runs_whose_time_is_over_end_by_themselves(idle: Clinic) -> None:
    run = idle.run(timeout_s=0.05)
    idle.service.host.sleep(0.1)
    idle.service.doing.sweep()
    found = idle.service.store.rows(_status(run))
    assert found[0].status == "timed_out"


def _status(run: str) -> Any:
    from sqlalchemy import select  # noqa: PLC0415 - only here

    from assay.adapters.store.service_tables import task_runs  # noqa: PLC0415

    return select(task_runs.c.status).where(task_runs.c.id == run)


def test_two_workers_share_the_work(where: str) -> None:
    """Each grades at the same time as the other: neither could do all of it alone."""
    both, done = threading.Barrier(2, timeout=60), list[str]()
    with contextlib.ExitStack() as stack:
        services = [Service(open_store(where)) for _ in range(2)]
        for one in services:
            stack.callback(one.close)
        runs = started(services[0], 6)
        for name, one in zip("ab", services, strict=True):

            def grade(*told: Any, who: str = name, real: Any = one.grade) -> Any:
                both.wait()
                done.append(who)
                return real(*told)

            counting: Any = grade
            doing = dataclasses.replace(one.doing, grade=counting)
            worker = Worker(doing.step, doing.sweep, 1)
            worker.start()
            stack.callback(worker.end)
        end = time.monotonic() + 60
        while services[0].work.waiting() and time.monotonic() < end:
            time.sleep(0.05)
    assert sorted(done) == ["a"] * 3 + ["b"] * 3
    with open_store(where) as store:
        found = TaskRuns(StoredStorage(store), services[0].host, StoredRunClaims(store))
        assert {found.task_run(Owner("default"), run).status for run in runs} == {Status.COMPLETED}


def started(service: Service, count: int) -> list[str]:
    """Runs that wait for a worker."""
    task = service.tasks.add("default", NewTask(name="x")).id
    runs = [service.runs.add("default", NewTaskRun(task_id=task)).id for _ in range(count)]
    for run in runs:
        service.runs.start(Owner("default"), run, service.host.now())
        service.work.add("default", WorkKind.COMPLETE_TASK_RUN, run)
    return runs
