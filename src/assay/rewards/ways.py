"""The two ways to grade an output: by a task's verifier, and by a scenario's scorers. Each is made ready once.

Both are the use cases of ``assay run`` and ``assay score``.
"""

import contextlib
import functools
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import copy_whole
from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.output_bench import OutputBench
from assay.adapters.tasks.scenario_file import load_scenario
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.tasks.seeded_names import is_seeded
from assay.adapters.tasks.seeded_task import load_seeded, unpack_workspace
from assay.adapters.tasks.seeding_files import LocalSeedingFiles
from assay.adapters.tasks.task_folder import is_task, load_task
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.adapters.workspace.patched import copied_baseline
from assay.core.errors import InputError, MeasurementError
from assay.dialects.harbor.rewards import Profile
from assay.dialects.scorers.report import ScorersReport
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.score_coding_run import (
    Candidate,
    Files,
    baseline_source,
    score_against,
    score_by_scenario,
    score_by_seeded,
)
from assay.engine.coding.seed_task import seed_task
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.jobs.trial_additions import gate_facts, gates_of
from assay.engine.machine import TrialSite
from assay.engine.ports import DEFAULT_RULES, GradingRules
from assay.engine.run import grade_output as by_verifier
from assay.engine.run.control import VerifierControl
from assay.engine.tasks.prepare_task import prepare_task
from assay.evidence.coding_run import AgentRecord
from assay.evidence.run import decide
from assay.rewards.graded import GradedOutput, broken, of_report, of_trial, unusable
from assay.rewards.outputs import Answer, Output, UnusableOutputError, as_folder, putting


class Way(Protocol):
    """Grades outputs in the threads of its callers."""

    instruction: str

    def grade(self, output: Output) -> GradedOutput: ...

    def write_workspace(self, folder: str) -> None:
        """Put the files that an agent begins with into an empty folder."""

    def close(self) -> None: ...


class ByVerifier:
    """By the verifier of a task folder."""

    def __init__(self, task: str, isolation: str, profile: str | None, key: str | None, *, control: bool) -> None:
        rules = DEFAULT_RULES if profile is None else GradingRules(_profile(profile))
        self._site = TrialSite(choose(isolation), ThisHost())
        self._task = prepare_task(replace(load_task(task), rules=rules), self._site)
        if self._task.multi_step:
            raise InputError(f"{task} must be a task without steps: each step has an output of its own")
        self._step = self._task.steps[0]
        self.instruction = self._step.instruction
        self._question = JobQuestion(key=key)
        self._workshop = DiskWorkshop(self._site.sandbox)
        self._control = VerifierControl(self._site, self._workshop, control=control)

    def grade(self, output: Output) -> GradedOutput:
        expected = self._step.verifier.expected_output_path
        with contextlib.closing(self._bench(output, expected)) as bench:
            left = by_verifier.OutputBench(bench, lambda: bench.seed_again(self.instruction), bench.checksum)
            try:
                return of_trial(
                    by_verifier.grade_output(
                        self._site, self._workshop, self._control, self._task, left, self._question
                    )
                )
            except UnusableOutputError as error:
                return unusable(str(error))

    def write_workspace(self, folder: str) -> None:
        with contextlib.closing(self._bench({}, "")) as bench:
            bench.seed()
            copy_whole(bench.workdir(), folder)

    def _bench(self, output: Output, expected: str) -> OutputBench:
        put = putting(output, expected)
        return OutputBench(self._task.environment, self._workshop, self._site.sandbox, put)

    def close(self) -> None:
        self._workshop.close()


class ByScorers:
    """By a seeded task; by a scenario, which is seeded now; or by a scenario against a baseline."""

    def __init__(self, path: str, baseline: str | None, isolation: str, *, strict: bool) -> None:
        self._strict = strict
        self._open = contextlib.ExitStack()
        self._files = LocalScoringFiles(functools.cache(lambda: choose(isolation)))
        with contextlib.ExitStack() as opening:
            self._seeded: Seeded | None = None
            if baseline is None:
                task = path if is_seeded(path) else _seed(path, opening, isolation)
                self._seeded = load_seeded(task)
                self._scenario, self._before = self._seeded.scenario, self._seeded.known
            else:
                self._scenario = load_scenario(path)
                source = baseline_source(baseline, self._files.kind_of)
                self._before = opening.enter_context(self._files.open_baseline(source))
            self._origin = path
            self.instruction = "\n\n".join(self._scenario.requests).strip()
            self._open = opening.pop_all()

    def grade(self, output: Output) -> GradedOutput:
        try:
            with as_folder(output, self._before.baseline) as folder:
                agent = AgentRecord(final_response=output.text) if isinstance(output, Answer) else AgentRecord()
                attempt = Candidate(folder, strict=self._strict, agent=agent)
                report = self._report(attempt)
        except UnusableOutputError as error:
            return unusable(str(error))
        except MeasurementError as error:
            return broken(str(error))
        return of_report(report, decide(gate_facts(gates_of(report))))

    def _report(self, attempt: Candidate) -> ScorersReport:
        if self._seeded is not None:
            return score_by_seeded(self._seeded, attempt, self._files, remember=False)
        if attempt.workspace is None:
            return score_by_scenario(self._origin, None, attempt, self._files)
        left = Files(attempt.workspace)
        return score_against(self._scenario, self._origin, left, self._before, attempt, self._files)

    def write_workspace(self, folder: str) -> None:
        if self._seeded is not None:
            unpack_workspace(self._seeded, folder)
            return
        with copied_baseline(self._before.baseline) as root:
            copy_whole(root, folder)

    def close(self) -> None:
        self._open.close()


def _profile(name: str) -> Profile:
    known = [one.value for one in Profile]
    if name not in known:
        raise InputError(f"profile must be one of {', '.join(known)}, got {name!r}")
    return Profile(name)


def _seed(scenario: str, opening: contextlib.ExitStack, isolation: str) -> str:
    """A task that is seeded now, for as long as the stack is open."""
    task = f"{opening.enter_context(temporary_folder(0o711))}/task"
    files = LocalSeedingFiles(os.path.dirname(os.path.abspath(scenario)), lambda: choose(isolation))
    seed_task(load_scenario(scenario), scenario, task, files, lambda: datetime.now(UTC))
    return task


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a grader."""

    task: str
    baseline: str | None
    isolation: str
    strict: bool
    control: bool
    profile: str | None
    key: str | None

    def make_ready(self) -> Way:
        """Raises ``InputError`` for what isn't a task or a scenario."""
        if os.path.isfile(self.task) or is_seeded(self.task):
            return ByScorers(self.task, self.baseline, self.isolation, strict=self.strict)
        if not is_task(self.task):
            found = "is neither" if os.path.exists(self.task) else "doesn't exist"
            raise InputError(f"{self.task} must be the folder of a task or the file of a scenario, but it {found}")
        if self.baseline is not None:
            raise InputError(f"baseline must be left out for a task: {self.task} has its own workspace")
        return ByVerifier(self.task, self.isolation, self.profile, self.key, control=self.control)
