"""A stop ends the commands and child processes of its own work at once, and nobody else's."""

import threading
import time
from collections.abc import Callable
from typing import ClassVar

import pytest

from assay.adapters.machine.own_process import Stop, stoppable
from assay.adapters.machine.tree_walk import walk
from assay.adapters.sandbox.backends import choose
from assay.core.errors import StoppedError
from assay.core.grading import outcome_of
from assay.core.outcome import Outcome, Scored
from assay.engine.sandbox import BASE_ENV, CommandLimits, Ran, Sandbox, SandboxCommand
from tests.sandbox.backends import NAMES, need

LONG_SEC = 600


@pytest.fixture(params=[name for name in NAMES if name != "container"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return need(str(request.param)).sandbox


def command(line: str) -> SandboxCommand:
    return SandboxCommand(("/bin/sh", "-c", line), "/", CommandLimits(timeout_sec=LONG_SEC), env=BASE_ENV)


class Work(threading.Thread):
    """Does something in a thread, under a stop."""

    def __init__(self, stop: Stop, do: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._stop_of_work, self._do = stop, do
        self.answer: object = None
        self.start()

    def run(self) -> None:
        try:
            with self._stop_of_work.applies():
                self.answer = self._do()
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            self.answer = error


def test_a_stop_ends_its_own_commands_and_no_others(sandbox: Sandbox) -> None:
    one, other = Stop(), Stop()
    stopped = [Work(one, lambda: sandbox.run(command("sleep 600"))) for _ in range(2)]
    going_on = Work(other, lambda: sandbox.run(command("sleep 3; echo done")))
    time.sleep(0.5)
    one.ring()
    for work in stopped:
        work.join(120)
        assert isinstance(work.answer, StoppedError)
    going_on.join(120)
    assert isinstance(going_on.answer, Ran)
    assert going_on.answer.output == b"done\n"
    again = Work(Stop(), lambda: sandbox.run(command("echo again")))
    again.join(120)
    assert isinstance(again.answer, Ran)
    assert again.answer.output == b"again\n"


def test_nothing_starts_after_a_stop() -> None:
    sandbox = choose("auto")
    with stoppable() as stop:
        stop.ring()
        with pytest.raises(StoppedError):
            sandbox.run(command("echo no"))
        with pytest.raises(StoppedError):
            list(walk("/etc"))
    assert sandbox.run(command("echo yes")).output == b"yes\n"


def test_a_scorer_that_is_stopped_has_no_outcome() -> None:
    """An answer would be an error of the scorer, and so count for or against the agent."""

    def run(_check: object, _evidence: object) -> Outcome:
        raise StoppedError("the work was stopped")

    with pytest.raises(StoppedError):
        outcome_of(Fine(), None, run)


class Fine:
    """Passes."""

    kind: ClassVar[str] = "fine"

    def run(self, evidence: None) -> Outcome:  # noqa: ARG002 - it passes anyway
        return Scored(1.0, True, "fine")
