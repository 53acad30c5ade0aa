"""The budget of ``tests_bite``: all runs together stay within it, and it ends when the verdict is clear."""

from dataclasses import dataclass, field, replace

import pytest

from assay.checks import tests_bite
from assay.core.outcome import NotApplicable, Outcome, Scored
from assay.detectors.effects.choose import in_order, mutants_in
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.workspace import AS_LEFT, CommandResult, Tree
from tests.checks.fake_workspace import FakeWorkspace

SOURCE = "".join(f"def f{n}(a):\n    return a < {n}\n\n\n" for n in range(50))


@dataclass(frozen=True)
class Timed(FakeWorkspace):
    """Tests that take some seconds, with some around them. ``still`` says whether the agent's notice mutants."""

    sec: float = 5.0
    around_sec: float = 1.0
    still: bool = True
    circles: bool = False
    busy: float | None = None
    spent: list[float] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    def run(
        self,
        command: str,  # noqa: ARG002
        timeout_sec: float,
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),  # noqa: ARG002
        remember: bool = False,
        watch: bool = False,  # noqa: ARG002
        once: bool = False,  # noqa: ARG002
    ) -> CommandResult:
        assert remember
        mutated = bool(tree.files)
        endless = mutated and self.circles
        took = timeout_sec if endless or timeout_sec < self.sec else self.sec
        self.spent.append(took + self.around_sec)
        end = ProcessEnd(1 if mutated and (self.still or tree.swapped) else 0)
        if endless or timeout_sec < self.sec:
            end = ProcessEnd(None, timed_out=True, signal=9)
        ran = CommandResult(end, "", False, took, {}, took + self.around_sec)
        return ran if self.busy is None else replace(ran, duration_sec=took * self.busy, cpu_sec=took)


def bite(workspace: Timed, budget: int = 20) -> Outcome:
    return tests_bite.TestsBite("make check", 900, budget=budget, mutants=50).run(workspace)


def timed(**how: object) -> Timed:
    old, new = {"a.py": SOURCE, "tests/test_a.py": "1"}, {"a.py": SOURCE, "tests/test_a.py": "2"}
    return Timed(old, new, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", [{}, {"around_sec": 4.0}, {"sec": 30.0}, {"circles": True}, {"sec": 0.1}], ids=str)
def test_all_runs_together_stay_within_the_budget(how: dict[str, float]) -> None:
    workspace = timed(**how)
    found = bite(workspace)
    if isinstance(found, Scored):
        assert (found.passed, found.evidence["tests_run"]) == (True, "all, for each mutant")
    else:
        assert found.summary.endswith("could be tried, too few to say anything")
    allowed = 20 * max(workspace.sec, 2.0)
    assert allowed / 2 < sum(workspace.spent) <= allowed


def test_a_busy_machine_tries_as_many() -> None:
    tried = []
    for busy in (1.0, 1.9):
        workspace = timed(busy=busy)
        bite(workspace)
        tried.append(len(workspace.spent))
    assert tried[0] == tried[1] > 2


def test_a_budget_that_the_first_two_runs_spend_leaves_no_mutant() -> None:
    workspace = timed()
    assert bite(workspace, budget=2) == NotApplicable("there was no time for a mutant within the budget")
    assert len(workspace.spent) == 2


def test_it_ends_when_the_verdict_is_clear() -> None:
    workspace = timed(still=False)
    found = bite(workspace, budget=1000)
    assert isinstance(found, Scored)
    assert (found.passed, found.evidence["mutants"], len(workspace.spent)) == (False, 5, 2 + 5 * 4)


def test_that_a_function_raises_is_tried_first() -> None:
    found = in_order(mutants_in(timed(), ["a.py"]), set(), None)
    assert next(mutant.rule for mutant, _ in found) == "raises"
