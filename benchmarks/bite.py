"""What ``tests_bite`` costs against the suite that it runs, again when it is remembered, and how it grows."""

import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.remembered_commands import RunFolder
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.checks.tests_bite import LEAST_TRIED
from assay.dialects.scorers.report import ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score_coding_run import Candidate, Files, score_against
from assay.engine.sandbox import Images, Isolation, Ran, Sandbox, SandboxCommand
from assay.evidence.coding_run import AgentRecord
from assay.evidence.workspace import AS_LEFT, CommandResult
from benchmarks.made_job import MadeJobs
from benchmarks.made_suite import COMMAND, change_honestly, default_scenario, scenario, write_suite
from benchmarks.measure import SMOKE, TIMES, Result, sized, wall

TESTS = sized(200, 10)
MUTANTS, FEW_MUTANTS = sized(30, 20), sized(10, 10)
GOAL = 20.0
"""The default budget: so many times the suite's own time."""
DEFAULT_GOAL = 3.5
AMPLE = 1000
AGAIN_GOAL = 1.0
GROWTH_GOAL = 2.0
"""Twice the tests cost at most twice, in CPU: the clock says more about the neighbours."""


@dataclass
class Counted:
    """A sandbox that counts the commands it runs, their time, and their CPU."""

    real: Sandbox
    runs: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def images(self) -> Images | None:
        return self.real.images

    @property
    def isolation(self) -> Isolation:
        return self.real.isolation

    @property
    def owner(self) -> tuple[int, int] | None:
        return self.real.owner

    def run(self, command: SandboxCommand) -> Ran:
        ran = self.real.run(command)
        self.runs.append((ran.finished_at - ran.started_at).total_seconds())
        self.cpu.append(ran.cpu_sec or 0.0)
        return ran


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, seconds of CPU (ours and that of all commands), and seconds that commands ran."""

    wall: float
    cpu: float
    commands: float

    def over(self, other: "Cost") -> str:
        """The other two ratios, for whoever shares the machine with others."""
        cpu, commands = self.cpu / other.cpu, self.commands / other.commands
        return f"{TIMES} {cpu:.1f} in CPU, {TIMES} {commands:.1f} in seconds of tests"


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """tests_bite against the suite's own time: 200 tests of 5 s by default, more mutants, more tests, again."""
    sandbox = Counted(choose("auto"))
    yield from by_default(sandbox)
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder, "many"), TESTS, sandbox)
        first = project.suite()
        took, found = project.scored(LEAST_TRIED) if SMOKE else project.scored()
        runs = len(sandbox.runs)
        # Before and after, because others use the machine, too.
        suite = first if SMOKE else mean(first, project.suite())
        tried = json.dumps(found.scorers[0].evidence.get("mutants"))
        detail = f"{took.wall:.0f} s against {suite.wall:.1f} s, {tried} mutants, {runs} runs; {took.over(suite)}"
        yield Result(f"tests_bite, {TESTS} tests", took.wall / suite.wall, f"{TIMES} the suite", GOAL, detail)
        if SMOKE:
            return
        again, _ = project.scored()
        detail = f"{again.wall:.2f} s, {len(sandbox.runs)} runs"
        yield Result("  again, remembered", again.wall / suite.wall, f"{TIMES} the suite", AGAIN_GOAL, detail)
        few, many = (project.scored(n, AMPLE, anew=True)[0] for n in (FEW_MUTANTS, MUTANTS))
        detail = f"{many.wall:.0f} s against {few.wall:.0f} s; {many.over(few)}"
        yield Result(f"  {MUTANTS} mutants", many.wall / few.wall, f"{TIMES} {FEW_MUTANTS} mutants", None, detail)
        smaller = Project(Path(folder, "half"), TESTS // 2, sandbox)
        less = smaller.scored(MUTANTS, AMPLE, anew=True)[0]
        detail = f"{many.cpu:.0f} s against {less.cpu:.0f} s of CPU for {MUTANTS} mutants; {many.over(less)}"
        yield Result(f"  {TESTS} tests", many.cpu / less.cpu, f"{TIMES} {TESTS // 2} tests", GROWTH_GOAL, detail)


def by_default(sandbox: Counted) -> Iterator[Result]:
    """What ``assay score`` guesses, against the suite's own time: with tests that were changed, and without."""
    for what, tests_too in (("tests changed", True), ("source changed", False)):
        with tempfile.TemporaryDirectory() as folder:
            project = Project(Path(folder), TESTS, sandbox, tests_too)
            first = project.suite()
            found: list[ScorersReport] = []
            took = cost(lambda: found.append(project.score(default_scenario())), sandbox)  # noqa: B023 - at once
            suite = mean(first, project.suite())
            words = {row.name: row.verdict.value for row in found[0].scorers if row.required}
            assert set(words.values()) <= {"PASS", "N/A"}, found[0].scorers
            detail = (
                f"{took.cpu:.1f} s against {suite.cpu:.1f} s of CPU, {len(sandbox.runs)} runs; {took.over(suite)}"
            )
            yield Result(
                f"assay score, {what}", took.commands / suite.commands, f"{TIMES} the suite", DEFAULT_GOAL, detail
            )


def mean(one: Cost, other: Cost) -> Cost:
    return Cost((one.wall + other.wall) / 2, (one.cpu + other.cpu) / 2, (one.commands + other.commands) / 2)


def cost(work: Callable[[], object], sandbox: Counted) -> Cost:
    """What a work costs. A sandbox's commands are no children of ours, so the sandbox says what they used."""
    sandbox.runs.clear()
    sandbox.cpu.clear()
    before = os.times()
    took = wall(work)
    ours = sum(os.times()[:4]) - sum(before[:4])
    return Cost(took, ours + sum(sandbox.cpu), sum(sandbox.runs))


class Project:
    """A made project with a change, scored in a real sandbox."""

    def __init__(self, folder: Path, tests: int, sandbox: Counted, tests_too: bool = True) -> None:
        self.before, self.after, self.sandbox = folder / "before", folder / "after", sandbox
        self.runs = RunFolder(str(folder / "runs"))
        for root in (self.before, self.after):
            write_suite(root, tests)
        change_honestly(self.after, tests_too)

    def suite(self) -> Cost:
        """What the suite costs by itself, without capturing the workspace."""
        files = self._files()
        with (
            files.open_baseline(Files(str(self.before))) as known,
            files.capture(
                Files(str(self.after)), known, scenario(), remember=False, agent=AgentRecord()
            ) as workspace,
        ):
            found: list[CommandResult] = []
            took = cost(lambda: found.append(workspace.run(COMMAND, 600, AS_LEFT)), self.sandbox)
        assert found[0].end.exit_code == 0, found[0].output
        return replace(took, wall=found[0].duration_sec)

    def scored(
        self, mutants: int | None = None, budget: int | None = None, anew: bool = False
    ) -> tuple[Cost, ScorersReport]:
        """What it costs, and the report. ``anew`` forgets what was run before."""
        if anew:
            self.runs = RunFolder(tempfile.mkdtemp(dir=self.before.parent))
        found: list[ScorersReport] = []
        took = cost(lambda: found.append(self._score(mutants, budget)), self.sandbox)
        row = found[0].scorers[0]
        assert row.verdict.value == "PASS", row.detail
        return took, found[0]

    def _score(self, mutants: int | None, budget: int | None) -> ScorersReport:
        return self.score(scenario(mutants, budget))

    def score(self, by: Scenario) -> ScorersReport:
        files, attempt = self._files(), Candidate(str(self.after))
        with files.open_baseline(Files(str(self.before))) as known:
            left = Files(str(self.after))
            return score_against(by, "benchmark", left, known, attempt, files)

    def _files(self) -> LocalScoringFiles:
        return LocalScoringFiles(functools.cache(lambda: self.sandbox), runs=self.runs)
