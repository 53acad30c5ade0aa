"""Work that was accepted is done, whoever dies; what can't be done is set aside and can be sent again."""

import contextlib
import dataclasses
import threading
import time
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text, update

from assay.adapters.store.opening import open_store
from assay.adapters.store.service.run_claims import StoredRunClaims
from assay.adapters.store.service.storage import StoredStorage
from assay.adapters.store.service_tables import task_runs, work
from assay.api.service import Service
from assay.core.errors import BrokenCheckError, MeasurementError
from assay.dialects.criteria.resources import NewTask, NewTaskRun, Status
from assay.engine.service.do_work import ServiceWork
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.engine.service.runs import TaskRuns
from assay.engine.service.work import MOST_TRIES, Doer, Work, WorkEnding, WorkKind, WorkQueue, WorkState
from tests.api.clinic import Clinic, Served, portal, serve_on, work_off

pytestmark = pytest.mark.both_databases
LATER = {"Prefer": "respond-async"}
KINDS = [kind.value for kind in WorkKind]


@pytest.fixture
def idle(clinic: Clinic) -> Clinic:
    """Without work of other tests."""
    work_off(clinic.service)
    return clinic


def test_a_run_is_graded_later(idle: Clinic) -> None:
    run = idle.run(portal("status", "booked"))
    found = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER)
    assert (found.status_code, found.json()["state"], found.json()["target"]) == (202, "queued", run)
    again = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER)
    assert (again.status_code, again.json()["id"]) == (202, found.json()["id"])
    assert idle.get(f"/v1/task-runs/{run}")["status"] == "active"
    assert work_off(idle.service)
    assert not work_off(idle.service)
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
    assert work_off(idle.service)
    assert idle.get(f"/v1/work/{work}")["state"] == "done"
    assert idle.get(f"/v1/task-runs/{run}")["status"] == "cancelled"


def broken(doing: ServiceWork, doer: Doer) -> ServiceWork:
    """The same, but the completion of runs is done in another way."""
    return dataclasses.replace(doing, coding=lambda: {WorkKind.COMPLETE_TASK_RUN.value: doer})


def pass_time(service: Service, **by: float) -> None:
    """As if everything that waits had begun earlier."""
    known = ("not_before", "claimed_until", "source_down_since")
    with service.store.writing() as connection:
        if service.store.is_postgres:
            ago = {"ago": timedelta(**by)}
            connection.execute(text("UPDATE procrastinate_jobs SET scheduled_at = scheduled_at - :ago"), ago)
            since = (
                "UPDATE procrastinate_jobs SET args = jsonb_set(args, '{source_down_since}',"
                " to_jsonb((args->>'source_down_since')::timestamptz - :ago))"
                " WHERE args->'source_down_since' IS NOT NULL"
            )
            connection.execute(text(since), ago)
            return
        for row in connection.execute(select(work)).mappings().all():
            earlier = {name: row[name] - timedelta(**by) for name in known if row[name] is not None}
            connection.execute(update(work).where(work.c.id == row["id"]).values(earlier))


def test_what_fails_three_times_is_set_aside_with_its_reason(idle: Clinic) -> None:
    def down(_work: object) -> None:
        raise MeasurementError("the FHIR server is down")

    added = idle.service.work.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    for tries in range(MOST_TRIES):
        assert work_off(idle.service, broken(idle.service.doing, down))
        assert idle.get(f"/v1/work/{added.id}")["tries"] == tries + 1
        assert not work_off(idle.service), "it waits before it is tried again"
        pass_time(idle.service, minutes=1)
    aside = idle.get(f"/v1/work/{added.id}")
    assert (aside["state"], aside["reason"]) == ("set_aside", "MeasurementError: the FHIR server is down")
    assert [one["id"] for one in idle.get("/v1/work", params={"state": "set_aside"})["data"]] == [added.id]
    assert idle.post(f"/v1/work/{added.id}/retry")["state"] == "queued"
    assert idle.ask("POST", f"/v1/work/{added.id}/retry").status_code == 409
    assert work_off(idle.service)
    done = idle.get(f"/v1/work/{added.id}")
    assert (done["state"], done["tries"]) == ("done", 1)
    assert done["finished_at"]


def test_a_source_that_is_down_uses_up_no_tries(idle: Clinic) -> None:
    """Pauses double up to a quarter of an hour. After a day, somebody has to look at it."""

    def down(*_: Any, **__: Any) -> Any:
        raise MeasurementError("the FHIR server is down")

    run = idle.run(portal("status", "booked"))
    added = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).json()
    doing = dataclasses.replace(idle.service.doing, grade=down)
    pauses, began = list[float](), idle.service.host.now()
    for _ in range(11):
        assert work_off(idle.service, doing)
        kept = idle.service.work.get(idle.organisation, added["id"])
        pauses.append(round((kept.not_before - idle.service.host.now()).total_seconds()))
        pass_time(idle.service, seconds=pauses[-1] + 1)
    assert pauses[:4] == [2, 4, 8, 16]
    assert pauses[-1] == 900
    found = idle.get(f"/v1/work/{added['id']}")
    assert (found["state"], found["tries"], found["reason"]) == ("queued", 0, "the FHIR server is down")
    since = datetime.fromisoformat(found["waiting_for_source_since"])
    assert timedelta(seconds=sum(pauses)) < began - since < timedelta(seconds=sum(pauses) + 60)
    assert idle.service.work.waiting_for_source() == 1
    pass_time(idle.service, hours=25)
    assert work_off(idle.service, doing)
    assert idle.get(f"/v1/work/{added['id']}")["state"] == "set_aside"
    assert idle.service.work.waiting_for_source() == 0
    assert idle.post(f"/v1/work/{added['id']}/retry")["waiting_for_source_since"] is None
    assert work_off(idle.service)
    assert idle.get(f"/v1/task-runs/{run}")["score"] == 1.0


def test_a_check_that_breaks_uses_up_tries(idle: Clinic) -> None:
    def breaks(*_: Any, **__: Any) -> Any:
        raise BrokenCheckError("the check of criterion 'x' broke")

    run = idle.run()
    work = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).json()
    doing = dataclasses.replace(idle.service.doing, grade=breaks)
    for _ in range(MOST_TRIES):
        assert work_off(idle.service, doing)
        pass_time(idle.service, minutes=1)
    assert idle.get(f"/v1/work/{work['id']}")["state"] == "set_aside"


def test_the_operator_sees_how_much_waits(where: str) -> None:
    with serve_on(where) as served, httpx.Client(base_url=served.url) as client:
        service = served.service
        secret = issue_key(service.keys, Owner("default"), Scope.READER, "x").secret
        [run] = started(service, 1)
        service.runs.accept(Owner("default"), run, lambda _rows: None)

        def down(*_: Any, **__: Any) -> Any:
            raise MeasurementError("down")

        assert work_off(service, dataclasses.replace(service.doing, grade=down))
        text = client.get("/metrics", headers={"Authorization": f"Bearer {secret}"}).text
    assert "\nassay_work_waiting 1\n" in text
    assert "\nassay_work_waiting_for_source 1\n" in text


def test_an_answer_says_that_work_was_accepted(idle: Clinic) -> None:
    found = idle.ask("POST", f"/v1/task-runs/{idle.run()}/complete", headers=LATER)
    assert found.headers["location"] == f"/v1/work/{found.json()['id']}"
    assert (found.headers["preference-applied"], found.headers["retry-after"]) == ("respond-async", "1")


@pytest.mark.both_databases(False)
def test_work_of_a_worker_that_died_is_taken_over(idle: Clinic) -> None:
    store = idle.service.work
    work = store.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run(portal("status", "booked")))
    now = idle.service.host.now()
    assert store.take("dead", now, now + timedelta(seconds=60), KINDS)
    assert not work_off(idle.service)
    again = store.take("alive", now + timedelta(seconds=61), now + timedelta(seconds=120), KINDS)
    assert again is not None
    assert (again.id, again.tries) == (work.id, 2)
    assert not store.end(again, WorkEnding(), now, "dead")
    assert store.end(again, WorkEnding(), now, "alive")


@pytest.mark.both_databases(False)
def test_work_that_takes_its_worker_with_it_is_set_aside(idle: Clinic) -> None:
    store = idle.service.work
    work = store.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    now = idle.service.host.now()
    for number in range(MOST_TRIES):
        assert store.take(f"dead {number}", now, now + timedelta(seconds=60), KINDS)
        pass_time(idle.service, minutes=2)
    assert idle.service.doing.step()
    found = store.get(idle.organisation, work.id)
    assert (found.state, found.reason) == (WorkState.SET_ASIDE, "its worker ended without a word, three times")
    assert found.tries == MOST_TRIES


def test_organisations_take_turns_and_priority_goes_first(idle: Clinic, served: Served) -> None:
    store: WorkQueue = idle.service.work
    for name in ("busy", "small"):
        served.service.keys.add_organisation(f"{idle.organisation}{name}", name)
    busy, small = f"{idle.organisation}busy", f"{idle.organisation}small"
    kind = WorkKind.COMPLETE_TASK_RUN
    for number in range(4):
        store.add(busy, kind, f"b{number}")
    store.add(busy, kind, "urgent", priority=5)
    store.add(small, kind, "s0")
    store.add(small, kind, "s1")
    order = list[str]()

    def note(work: Work) -> None:
        order.append(work.target)

    assert work_off(idle.service, broken(idle.service.doing, note))
    assert order == ["urgent", "b0", "s0", "b1", "s1", "b2", "b3"]


def test_work_that_is_done_is_forgotten_after_a_while(idle: Clinic) -> None:
    run = idle.run()
    added = idle.ask("POST", f"/v1/task-runs/{run}/complete", headers=LATER).json()["id"]
    waiting = idle.service.work.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, idle.run())
    assert work_off(idle.service)
    idle.service.doing.sweep()
    assert idle.get(f"/v1/work/{added}")["state"] == "done"
    again = idle.service.work.add(idle.organisation, WorkKind.COMPLETE_TASK_RUN, waiting.target)
    dataclasses.replace(idle.service.doing, kept=timedelta()).sweep()
    assert idle.ask("GET", f"/v1/work/{added}").status_code == 404
    assert idle.get(f"/v1/work/{again.id}")["state"] == "queued", "only what is done"
    assert idle.get(f"/v1/task-runs/{run}")["status"] == "completed"


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
                    assert work_off(idle.service)
    assert (seen[0], seen[-1]) == ("queued", "done")
    assert idle.ask("GET", "/v1/work/work_0/events").status_code == 404


def test_runs_whose_time_is_over_end_by_themselves(idle: Clinic) -> None:
    run = idle.run(timeout_s=0.05)
    idle.service.host.sleep(0.1)
    idle.service.doing.sweep()
    found = idle.service.store.rows(_status(run))
    assert found[0].status == "timed_out"


def _status(run: str) -> Any:
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
            object.__setattr__(one, "doing", doing)
            worker = one.worker(1)
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
