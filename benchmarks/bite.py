"""What ``tests_bite`` costs against the suite that it runs, again when it is remembered, and how it grows."""

import functools
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.run_folder import RunFolder
from assay.adapters.sandbox.backends import choose
from assay.adapters.scoring_files import LocalScoringFiles
from assay.dialects.scorers.report import ScorersReport
from assay.engine.sandbox import Command, Images, Isolation, Ran, Sandbox
from assay.engine.score_coding_run import Attempt, Files, score_against
from assay.evidence.workspace import AS_LEFT
from benchmarks.made_job import MadeJobs
from benchmarks.made_suite import COMMAND, change_honestly, scenario, write_suite
from benchmarks.measure import TIMES, Result, wall

TESTS, FEW_TESTS = 200, 50
MUTANTS, FEW_MUTANTS = 12, 4
GOAL = 20.0
"""The default budget: so many times the suite's own time."""
AMPLE = 1000
AGAIN_GOAL = 1.0


@dataclass
class Counted:
    """A sandbox that counts the commands it runs, and their time."""

    real: Sandbox
    runs: list[float] = field(default_factory=list)

    @property
    def images(self) -> Images | None:
        return self.real.images

    @property
    def isolation(self) -> Isolation:
        return self.real.isolation

    @property
    def owner(self) -> tuple[int, int] | None:
        return self.real.owner

    def run(self, command: Command) -> Ran:
        ran = self.real.run(command)
        self.runs.append((ran.finished_at - ran.started_at).total_seconds())
        return ran


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """tests_bite against the suite's own time: 200 tests of 5 s by default, more mutants, more tests, again."""
    sandbox = Counted(choose("auto"))
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder, "many"), TESTS, sandbox)
        first = project.suite_sec()
        took, found = project.scored()
        runs = len(sandbox.runs)
        # Before and after, because others use the machine, too.
        suite = (first + project.suite_sec()) / 2
        tried = json.dumps(found.scorers[0].evidence.get("mutants"))
        detail = f"{took:.0f} s against {suite:.1f} s, {tried} mutants, {runs} runs"
        yield Result(f"tests_bite, {TESTS} tests", took / suite, f"{TIMES} the suite", GOAL, detail)
        again, _ = project.scored()
        detail = f"{again:.2f} s, {len(sandbox.runs)} runs"
        yield Result("  again, remembered", again / suite, f"{TIMES} the suite", AGAIN_GOAL, detail)
        few, many = (project.scored(n, AMPLE, anew=True)[0] for n in (FEW_MUTANTS, MUTANTS))
        detail = f"{many:.0f} s against {few:.0f} s"
        yield Result(f"  {MUTANTS} mutants", many / few, f"{TIMES} {FEW_MUTANTS} mutants", None, detail)
        smaller = Project(Path(folder, "few"), FEW_TESTS, sandbox)
        less, small = smaller.scored(MUTANTS, AMPLE, anew=True)[0], smaller.suite_sec()
        detail = f"{many:.0f} s against {less:.0f} s; their suites {suite:.1f} s and {small:.1f} s"
        yield Result(f"  {TESTS} tests", many / less, f"{TIMES} {FEW_TESTS} tests", None, detail)


class Project:
    """A made project with a change, scored in a real sandbox."""

    def __init__(self, folder: Path, tests: int, sandbox: Counted) -> None:
        self.before, self.after, self.sandbox = folder / "before", folder / "after", sandbox
        self.runs = RunFolder(str(folder / "runs"))
        for root in (self.before, self.after):
            write_suite(root, tests)
        change_honestly(self.after)

    def suite_sec(self) -> float:
        """How long the suite takes by itself."""
        files = self._files()
        with (
            files.open_baseline(Files(str(self.before))) as known,
            files.capture(Files(str(self.after)), known, scenario(), remember=False) as workspace,
        ):
            ran = workspace.run(COMMAND, 600, AS_LEFT)
        assert ran.end.exit_code == 0, ran.output
        return ran.duration_sec

    def scored(
        self, mutants: int | None = None, budget: int | None = None, anew: bool = False
    ) -> tuple[float, ScorersReport]:
        """How long it takes, and the report. ``anew`` forgets what was run before."""
        self.sandbox.runs.clear()
        if anew:
            self.runs = RunFolder(tempfile.mkdtemp(dir=self.before.parent))
        found: list[ScorersReport] = []
        took = wall(lambda: found.append(self._score(mutants, budget)))
        row = found[0].scorers[0]
        assert row.verdict.value == "PASS", row.detail
        return took, found[0]

    def _score(self, mutants: int | None, budget: int | None) -> ScorersReport:
        files, attempt = self._files(), Attempt(str(self.after))
        with files.open_baseline(Files(str(self.before))) as known:
            left = Files(str(self.after))
            return score_against(scenario(mutants, budget), "benchmark", left, known, attempt, files)

    def _files(self) -> LocalScoringFiles:
        return LocalScoringFiles(functools.cache(lambda: self.sandbox), runs=self.runs)
