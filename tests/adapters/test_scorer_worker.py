"""Scorers in a process of their own: whatever one does, it ends, and the others answer."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import checks
from assay.adapters.tasks import scoring_files
from assay.adapters.tasks.scoring_files import TimeLimit, end_idle, prepare
from assay.core.errors import MeasurementError
from assay.core.grading import PlacedCheck, run_here
from assay.core.outcome import Scored
from assay.dialects.scorers.report import Provenance, RowVerdict, ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import kinds, placed_checks, score_run
from assay.evidence.coding_run import AgentRecord, ProcessEnd
from assay.evidence.workspace import AS_LEFT, CommandResult, Opened, Tree, Workspace
from assay.formats.trajectories.messages import read_trajectory
from tests.checks.configuration import CONFIGURATION
from tests.checks.fake_workspace import FakeWorkspace, edited

PROVENANCE = Provenance(engine="0", scenario_sha256="")
KIND = "misbehaves"
CHECK = """
import os, re, signal, time
from dataclasses import dataclass
from typing import ClassVar
from assay.core.errors import MeasurementError
from assay.core.outcome import NotApplicable, Scored
from assay.evidence.workspace import Tree

@dataclass(frozen=True, slots=True)
class Misbehaves:
    kind: ClassVar[str] = "misbehaves"
    advisory: ClassVar[bool] = True
    how: str

    def run(self, evidence):
        return eval(self.how)
"""
CALM = edited("tests/test_a.py", "def test_a():\n    assert f() == 1\n", "def test_a():\n    assert f()\n")


@pytest.fixture(autouse=True)
def _one_more_scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / f"{KIND}.py").write_text(CHECK)
    monkeypatch.setattr(checks, "__path__", [*checks.__path__, str(tmp_path)])
    end_idle()
    yield
    end_idle()
    sys.modules.pop(f"assay.checks.{KIND}", None)


def placed(*hows: str) -> list[PlacedCheck[Workspace]]:
    scorers = [{"name": how[:20], "type": KIND, "how": how, "required": False} for how in hows]
    calm = {"name": "calm", "type": "assertions_not_weakened"}
    return placed_checks(Scenario.model_validate({"scorers": [*scorers, calm]}), "s.yaml")


def scored(how: str, workspace: Workspace = CALM, limit_sec: float = 60) -> tuple[RowVerdict, str, object]:
    """What becomes of a scorer. The one after it always has its answer."""
    row, calm = score_run(placed(how), workspace, PROVENANCE, run_check=TimeLimit(limit_sec)).scorers
    assert calm.verdict is RowVerdict.FAIL
    return row.verdict, row.detail, row.evidence.get("error_type")


@pytest.mark.parametrize(
    "how",
    [
        "[0 for _ in iter(int, 1)]",
        "re.match('(a|a)*$', 'a' * 60 + 'b')",
        "time.sleep(1000)",
        "sum(range(10**15))",
        '__import__(\'ast_grep_py\').SgRoot(\'[x*new@n}.\\\\["""=/"""}~{{;f""\', \'typescript\')',
    ],
)
def test_a_scorer_that_never_ends_is_an_error_and_the_others_answer(how: str) -> None:
    began = time.monotonic()
    said = "stopped after 2 s: a scorer must finish within its time limit"
    assert scored(how, limit_sec=2) == (RowVerdict.ERROR, said, "TimeLimitError")
    assert time.monotonic() - began < 300


@pytest.mark.parametrize(
    ("how", "said", "error_type"),
    [
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "the process of the scorer ended before it had an answer (signal 9)",
            "LostScorerError",
        ),
        ("os._exit(0)", "the process of the scorer ended before it had an answer (exit code 0)",
         "LostScorerError"),
        ("1 / 0", "division by zero", "ZeroDivisionError"),
        ("Scored(1.0, True, '', {'a': {1, 2}})", "Object of type set is not JSON serializable", "TypeError"),
        ("evidence._ask_parent(str, 'commands')",
         "the scorer asked for 'commands', which a workspace doesn't have", "LostScorerError"),
        ("evidence.parent.send(b'[')",
         "the scorer's answer can't be used: Expecting value: line 1 column 2 (char 1)",
         "LostScorerError"),
        ("evidence.parent.send(b'{}')", "the scorer gave no answer", "LostScorerError"),
        ("evidence.parent.send(b'{\"scored\": [2, true, \"\", {}]}')",
         "a score must be a finite number from 0 to 1, got 2.0", "ValueError"),
    ],
)  # fmt: skip
def test_a_scorer_that_breaks_is_an_error_of_its_own(how: str, said: str, error_type: str) -> None:
    assert scored(how) == (RowVerdict.ERROR, said, error_type)


def test_what_a_scorer_prints_is_no_answer() -> None:
    assert scored("print('x' * 99) or os.write(1, b'y') and NotApplicable('quiet')")[:2] == (
        RowVerdict.NOT_APPLICABLE,
        "quiet",
    )


def test_a_measurement_that_broke_in_a_scorer_breaks_the_grading() -> None:
    with pytest.raises(MeasurementError, match="the source is down"):
        scored("(_ for _ in ()).throw(MeasurementError('the source is down'))")


class Changed(FakeWorkspace):
    """A workspace whose baseline is not what was recorded."""

    def before(self, path: str) -> bytes | None:
        raise MeasurementError(f"{path} is not what was recorded")


def test_a_measurement_that_broke_in_the_workspace_breaks_the_grading() -> None:
    with pytest.raises(MeasurementError, match="is not what was recorded"):
        scored("evidence.before('a')", Changed({"a": "x"}, {"a": "y"}))


class Slow(FakeWorkspace):
    """A workspace whose commands take a while."""

    def run(
        self,
        command: str,
        timeout_sec: float,  # noqa: ARG002
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),
        remember: bool = False,
        watch: bool = False,
        once: bool = False,  # noqa: ARG002
    ) -> CommandResult:
        time.sleep(6.5 if not watch else 0)
        said = f"{command} {tree.swapped} {tree.files} {collect} {remember}"
        seen = Opened(frozenset({"a"})) if watch else None
        return CommandResult(ProcessEnd(0), said, False, 6.5, {}, opened=seen)


def test_the_clock_is_paused_while_a_command_runs() -> None:
    tree = "Tree(swapped=('a',), files={'x': b'\\xff'})"
    how = f"NotApplicable(evidence.run('true', 9, {tree}, ('b', 'c'), True).output)"
    slow = Slow({"tests/test_a.py": CALM.old["tests/test_a.py"]}, {"tests/test_a.py": CALM.new["tests/test_a.py"]})
    assert scored(how, slow, limit_sec=6)[1] == "true ('a',) {'x': b'\\xff'} ('b', 'c') True"
    watched = "NotApplicable(str(evidence.run('true', 9, watch=True).opened))"
    assert scored(watched, slow, limit_sec=6)[1] == str(Opened(frozenset({"a"})))


def test_a_worker_that_somebody_ended_is_started_again() -> None:
    assert scored("NotApplicable('a')")[0] is RowVerdict.NOT_APPLICABLE
    (worker,) = scoring_files._idle
    os.kill(worker.child.pid, signal.SIGKILL)
    assert scored("NotApplicable('a')")[0] is RowVerdict.NOT_APPLICABLE


def test_one_process_serves_one_grading_after_the_other() -> None:
    prepare(placed())
    (worker,) = scoring_files._idle
    for path in ("a", "b"):
        found = scored(f"NotApplicable(str(evidence.after({path!r})))", edited_and(path))
        assert found[1] == repr(path.encode())
    assert scoring_files._idle == [worker]


def edited_and(path: str) -> FakeWorkspace:
    return FakeWorkspace(dict(CALM.old), {**CALM.new, path: path})


ODD = b"odd\xff\x1b[31m\n".decode(errors="surrogateescape")


def test_every_type_answers_as_it_does_here() -> None:
    scorers = [{"type": kind, **CONFIGURATION.get(kind, {})} for kind in kinds() if kind != KIND]
    every = placed_checks(Scenario.model_validate({"scorers": scorers}), "s.yaml")
    workspace = FakeWorkspace(
        {**CALM.old, "a.test.js": "it('a', () => { expect(f()).toBe(1) })", "gone": "x"},
        {**CALM.new, "a.test.js": "it.skip('a', () => {})", f"tests/test_{ODD}.py": "x", "conftest.py": "x"},
        links={"link": "gone"},
        nested_repositories=(ODD,),
    )

    def report(limited: bool) -> ScorersReport:
        return score_run(every, workspace, PROVENANCE, run_check=TimeLimit() if limited else run_here)

    assert report(True) == report(False)
    assert len({row.verdict for row in report(True).scorers}) == 3


def test_processes_that_ended_with_their_threads_are_not_the_scorers_fault() -> None:
    """A process dies with the thread that started it, and several may be idle by then."""
    limit = TimeLimit()
    (first, _) = placed("Scored(1.0, True, 'fine')")
    together = threading.Barrier(3)

    def use() -> None:
        limit(first.check, CALM)
        together.wait()

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert limit(first.check, CALM) == Scored(1.0, True, "fine", {})


def test_a_scorer_reads_the_agents_own_record() -> None:
    call = b'{"role": "assistant", "tool_calls": [{"id": "1", "name": "bash", "arguments": "cat /tests/a"}]}'
    agent = AgentRecord(read_trajectory(call, "t.jsonl", lambda _: None))
    scenario = Scenario.model_validate({"scorers": [{"type": "trajectory", "must_not_read": ["/tests/*"]}]})
    found = score_run(
        placed_checks(scenario, "s.yaml"),
        FakeWorkspace({}, {"a": ""}, agent=agent),
        PROVENANCE,
        run_check=TimeLimit(),
    )
    (row,) = found.scorers
    assert (row.verdict, row.required, row.evidence["findings"][0]["step"]) == (RowVerdict.FAIL, False, 1)
