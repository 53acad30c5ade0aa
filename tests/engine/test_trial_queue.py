"""A job of trials: their order, how many at a time, which are tried again, and what is written when."""

import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from assay.adapters.machine.local_machine import ThisHost
from assay.core.errors import StoppedError
from assay.dialects.harbor.trial import Trial
from assay.dialects.harbor.wire import EXCLUDED_FROM_RETRY
from assay.engine.run import trial_queue
from assay.engine.run.ports import Planned, plan_trials, trial_name
from assay.engine.run.trial_queue import EndedTrial, TrialQueue
from tests.tasks import make_task

LETTERS = ThisHost({}).random_letters


def ok(planned: Planned, name: str) -> Trial:
    return Trial(name=name, task=planned.task.name, agent="a", rewards={"reward": 1.0}, verified=True)


def failing(kind: str) -> Callable[[Planned, str], Trial]:
    return lambda planned, name: Trial(name=name, task=planned.task.name, agent="a", exception_type=kind)


class FakeStore:
    """Runs trials as it is told and remembers what was asked."""

    def __init__(self, *answers: Callable[[Planned, str], Trial], writing_sec: float = 0.0) -> None:
        self._answers = list(answers)
        self._writing_sec = writing_sec
        self._lock = threading.Lock()
        self._running = 0
        self.most_at_once = 0
        self.ran: list[str] = []
        self.discarded: list[str] = []
        self.remarks: dict[str, str] = {}
        self.written: list[tuple[int, int, int, bool]] = []

    def run(self, planned: Planned, name: str) -> EndedTrial:
        with self._lock:
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
            self.ran.append(name)
            answer = self._answers.pop(0) if self._answers else ok
        time.sleep(0.01)
        with self._lock:
            self._running -= 1
        return EndedTrial(answer(planned, name), self.remarks.get(name))

    def discard(self, name: str) -> None:
        self.discarded.append(name)

    def write(self, trials: Sequence[Trial], n_retries: int, n_running: int, finished: bool) -> None:
        time.sleep(self._writing_sec)
        self.written.append((len(trials), n_retries, n_running, finished))


class Quiet:
    """Hears everything."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def started(self, name: str) -> None:  # noqa: ARG002
        self.heard.append("started")

    def retrying(self, trial: Trial, wait_sec: float) -> None:  # noqa: ARG002
        self.heard.append(f"retrying after {trial.exception_type}")

    def ended(self, ended: EndedTrial, done: int, total: int) -> None:
        remark = ended.remark
        self.heard.append(f"ended {done}/{total}" if remark is None else f"ended {done}/{total}: {remark}")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_queue, "MAX_WAIT_SEC", 0.01)


def plan(*names: str, attempts: int = 1) -> list[Planned]:
    return plan_trials([(make_task(name=name), None) for name in names], attempts)


def job_of(store: FakeStore, total: int, **options: Any) -> TrialQueue:
    settings: dict[str, Any] = {"concurrent": 1, "max_retries": 0, "finished": {}} | options
    listener = settings.pop("listener", Quiet())
    return TrialQueue(store, store, listener, host=ThisHost({}), total=total, **settings)


@pytest.mark.statement("harbor.attempts-option")
def test_every_first_attempt_comes_before_every_second() -> None:
    planned = plan_trials([(make_task(name="a"), "ds"), (make_task(name="b"), None)], 3)
    assert [(one.task.name, one.attempt, one.source) for one in planned] == [
        ("a", 0, "ds"), ("b", 0, None), ("a", 1, "ds"), ("b", 1, None), ("a", 2, "ds"), ("b", 2, None),
    ]  # fmt: skip
    assert [one.position for one in planned] == list(range(6))


@pytest.mark.parametrize(
    ("task", "stem"), [("t", "t"), ("org/name", "name"), ("x" * 40, "x" * 32), ("a" * 31 + "_b", "a" * 31)]
)
def test_names_of_trials(task: str, stem: str) -> None:
    assert re.fullmatch(re.escape(stem) + r"__[A-Za-z0-9]{7}", trial_name(task, LETTERS))
    assert trial_name(task, LETTERS) != trial_name(task, LETTERS)


def test_all_are_run_and_come_back_in_their_order() -> None:
    store, listener = FakeStore(), Quiet()
    planned = plan("a", "b", "c", attempts=2)
    trials = job_of(store, 6, concurrent=4, listener=listener).run(planned)
    assert [trial.task for trial in trials] == ["a", "b", "c", "a", "b", "c"]
    assert sorted(store.ran) == sorted(trial.name for trial in trials)
    assert listener.heard.count("started") == 6
    assert "ended 6/6" in listener.heard


@pytest.mark.parametrize("concurrent", [1, 3])
def test_so_many_at_a_time_and_no_more(concurrent: int) -> None:
    store = FakeStore()
    job_of(store, 9, concurrent=concurrent).run(plan(*"abcdefghi"))
    assert store.most_at_once == concurrent


def test_what_was_finished_before_is_not_run_again() -> None:
    store = FakeStore()
    planned = plan("a", "b", "c")
    before = {1: Trial(name="b__before", task="b", agent="a")}
    trials = job_of(store, 3, finished=before).run([one for one in planned if one.position not in before])
    assert [trial.task for trial in trials] == ["a", "b", "c"]
    assert trials[1].name == "b__before"
    assert len(store.ran) == 2


def test_a_failure_is_tried_again() -> None:
    store, listener = FakeStore(failing("MeasurementError"), failing("OSError")), Quiet()
    (trial,) = job_of(store, 1, max_retries=5, listener=listener).run(plan("a"))
    assert trial.exception_type is None
    assert len(store.ran) == 3
    assert store.discarded == [trial.name] * 2
    assert listener.heard[1:3] == ["retrying after MeasurementError", "retrying after OSError"]
    assert store.written[-1] == (1, 2, 0, True)


def test_the_last_try_counts_as_it_is() -> None:
    store = FakeStore(*[failing("OSError")] * 3)
    (trial,) = job_of(store, 1, max_retries=2).run(plan("a"))
    assert (trial.exception_type, len(store.ran), len(store.discarded)) == ("OSError", 3, 2)


@pytest.mark.parametrize("kind", EXCLUDED_FROM_RETRY)
def test_what_another_try_would_only_repeat_is_not_tried_again(kind: str) -> None:
    store = FakeStore(failing(kind))
    (trial,) = job_of(store, 1, max_retries=5).run(plan("a"))
    assert (trial.exception_type, len(store.ran), store.discarded) == (kind, 1, [])


def test_retries_of_an_earlier_run_are_counted_on() -> None:
    store = FakeStore(failing("OSError"))
    job_of(store, 1, max_retries=1, n_retries=4).run(plan("a"))
    assert store.written[-1] == (1, 5, 0, True)


def test_the_result_is_written_first_and_last() -> None:
    store = FakeStore()
    job_of(store, 2).run(plan("a", "b"))
    assert store.written[0] == (0, 0, 0, False)
    assert store.written[-1] == (2, 0, 0, True)
    assert [written[3] for written in store.written].count(True) == 1


def test_writing_costs_little_however_long_it_takes() -> None:
    store = FakeStore(writing_sec=0.05)
    began = time.monotonic()
    job_of(store, 30).run(plan(*map(str, range(30))))
    # The first and the last, and in between one for every twenty times that it takes.
    assert len(store.written) <= 4 + (time.monotonic() - began) * trial_queue.WRITING_SHARE / 0.05


def test_after_ctrl_c_the_trials_under_way_are_waited_for() -> None:
    """Wherever the thread that waits is interrupted."""
    under_way, release = threading.Event(), threading.Event()

    def slow(planned: Planned, name: str) -> Trial:
        under_way.set()
        release.wait(60)
        return ok(planned, name)

    def interrupt() -> None:
        under_way.wait(60)
        time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    listener = Quiet()
    job = job_of(FakeStore(slow), 1, listener=listener)
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            job.run(plan("a"))
    finally:
        signal.signal(signal.SIGINT, before)
    job.stop()
    threading.Timer(0.1, release.set).start()
    job.wait()
    assert listener.heard == ["started", "ended 1/1"]


def test_what_was_not_written_yet_is_caught_up_with() -> None:
    """A job whose last trial takes long shows the others before it ends."""
    release = threading.Event()
    seen: list[int] = []

    def slow(planned: Planned, name: str) -> Trial:
        until = time.monotonic() + 60
        while time.monotonic() < until and not any(written[0] == 2 for written in store.written):
            time.sleep(0.01)
        seen.extend(written[0] for written in store.written)
        release.set()
        return ok(planned, name)

    store = FakeStore(ok, ok, slow, writing_sec=0.01)
    job_of(store, 3).run(plan("a", "b", "c"))
    assert release.is_set()
    assert 2 in seen


def test_a_job_that_is_stopped_starts_nothing_more() -> None:
    def stopping(planned: Planned, name: str) -> Trial:
        job.stop()
        return ok(planned, name)

    store = FakeStore(ok, stopping)
    job = job_of(store, 5)
    job.run(plan(*"abcde"))
    assert len(store.ran) == 2


def test_a_trial_that_was_interrupted_is_no_trial() -> None:
    def interrupted(_planned: Planned, _name: str) -> Trial:
        raise StoppedError("the run was stopped")

    store = FakeStore(ok, interrupted)
    trials = job_of(store, 3).run(plan("a", "b", "c"))
    assert [trial.task for trial in trials] == ["a"]


def test_a_job_that_is_stopped_has_written_all_that_is_finished() -> None:
    """However long it is until the next writing would be due."""
    jobs: list[TrialQueue] = []

    def last(planned: Planned, name: str) -> Trial:
        jobs[0].stop()
        return ok(planned, name)

    store = FakeStore(ok, last, writing_sec=0.2)
    jobs.append(job_of(store, 3, concurrent=1))
    jobs[0].run(plan("a", "b", "c"))
    assert len(store.ran) == 2
    assert store.written[-2] == (2, 0, 0, False)
