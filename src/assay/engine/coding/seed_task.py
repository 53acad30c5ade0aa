"""Seed a task from a scenario: prepare the workspace, try the scorers on it, freeze it and them."""

import hashlib
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from assay.checks.command import Command
from assay.core.errors import InputError
from assay.core.grading import PlacedCheck, grade
from assay.core.outcome import Check, Errored, Outcome, Scored
from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.harbor.task_config import TaskConfig
from assay.dialects.scorers.scenario import (
    TESTS,
    Environment,
    Scenario,
    Seed,
    Setup,
    scenario_hash,
    scenario_record,
)
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.score import COMMAND, frozen, placed_checks
from assay.engine.sandbox import CommandEnvironment, Ran
from assay.engine.tasks.task import (
    DETAILS_PATH,
    REWARD_PATH,
    HarborChecksums,
    LoadedTask,
    TaskEnvironment,
    TaskPhase,
    TaskStep,
)
from assay.evidence.workspace import Workspace
from assay.formats.counting import counted
from assay.version import VERSION


def runnable(seeded: Seeded, archive: str, around: CommandEnvironment) -> LoadedTask:
    """The task. ``archive`` is the workspace that the agent gets, and ``around`` what else it sees."""
    scenario = seeded.scenario
    hashes = (seeded.scenario_sha256, seeded.baseline_sha256, seeded.workspace_sha256)
    checksum = hashlib.sha256("".join(hashes).encode()).hexdigest()
    environment = TaskEnvironment(
        scenario.workdir, env=around.variables(), image=around.image, archive=archive, around=around
    )
    return LoadedTask(
        name=scenario.name or posixpath.basename(seeded.folder.rstrip("/")),
        path=seeded.folder,
        config=TaskConfig(),
        steps=tuple(_steps(seeded)),
        environment=environment,
        checksum=checksum,
        harbor_checksums=HarborChecksums(checksum, checksum),
        seeded=True,
    )


def _steps(seeded: Seeded) -> list[TaskStep]:
    requests = seeded.scenario.requests
    names = [None] if len(requests) == 1 else [f"turn-{number}" for number in range(1, len(requests) + 1)]
    return [_step(seeded, name, request) for name, request in zip(names, requests, strict=True)]


def _step(seeded: Seeded, name: str | None, request: str) -> TaskStep:
    scenario = seeded.scenario
    time = scenario.limits.time_s
    phase = TaskPhase("agent", None if time is None else float(time), None, scenario.network, {})
    nothing = VerifierSpec(
        script="", expected_output_path=scenario.workdir, reward_path=REWARD_PATH, details_path=DETAILS_PATH
    )
    return TaskStep(
        name=name,
        instruction=f"{request}\n",
        verifier=nothing,
        verify=(),
        tests=(),
        solve=(),
        solution=None,
        workdir_files=None,
        declared=None,
        agent=phase,
        verifier_phase=phase,
    )


# A name with an address in memory is another one in every run.
_ADDRESS = re.compile(r"0x[0-9a-f]{6,16}")


class SeedRecorder:
    """Runs checks, and keeps the names of the tests that passed by the report of each command."""

    def __init__(self) -> None:
        self._passed: dict[int, tuple[str, ...]] = {}

    def __call__(self, check: Check[Workspace], evidence: Workspace) -> Outcome:
        if not isinstance(check, Command):
            return check.run(evidence)
        outcome, self._passed[id(check)] = check.observed(evidence)
        return outcome

    def passed(self, check: Check[Workspace]) -> tuple[str, ...]:
        return tuple(name for name in self._passed.get(id(check), ()) if not _ADDRESS.search(name))


@dataclass(frozen=True, slots=True)
class Packed:
    """The archive of a workspace, and how many files could not go into it."""

    sha256: str
    left_out: int


class Untouched(Protocol):
    """The workspace as every agent will get it, unpacked again from the archive."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def nested(self) -> tuple[str, ...]:
        """Folders in it that carry a ``.git`` of their own."""

    def store_baseline(self) -> str:
        """Write the baseline into the task. Returns the hash of its manifest."""


class SeedingFiles(Protocol):
    """The files that seeding reads and writes, and the sandbox that runs the setup."""

    def new_task(self, target: str) -> AbstractContextManager[None]:
        """A new folder, removed again if the block fails. Raises ``InputError`` if something is there."""

    def scratch(self) -> AbstractContextManager[str]:
        """An empty folder for the time of the block."""

    def fill(self, seed: Seed, folder: str) -> str | None:
        """Write the files that a seed names. Returns the commit that they are from; None if there is none."""

    def fix(self, environment: Environment) -> Environment:
        """The environment with paths that mean the same wherever the task is used. Raises ``InputError``."""

    def paths(self, folder: str) -> Sequence[str]:
        """Every file and link in a folder."""

    def run_setup(self, setup: Setup, scenario: Scenario, folder: str, target: str) -> Ran:
        """Run the setup command on a folder, in the sandbox. What it leaves in its home goes into the task."""

    def home(self, target: str) -> str | None:
        """The hash of what setup left in its home folder; None if it left nothing."""

    def squash(self, folder: str, tracked: Iterable[str]) -> None:
        """Replace the folder's git history with one commit."""

    def pack(self, folder: str, target: str) -> Packed:
        """Write the archive that agents will get into the task."""

    def unpacked(self, target: str, scenario: Scenario) -> AbstractContextManager[Untouched]:
        """The task's archive, unpacked for the time of the block."""

    def write_record(self, target: str, instruction: str, record: Mapping[str, object]) -> None:
        """Write the instruction and then, as the last file of all, the record."""

    def load(self, target: str) -> Seeded:
        """Read the task back."""


def seed_task(
    scenario: Scenario, origin: str, target: str, files: SeedingFiles, now: Callable[[], datetime]
) -> Seeded:
    """Make a task in the new folder ``target``. ``origin`` is how errors name the scenario.

    Raises ``InputError`` if the scenario can't be seeded; nothing is left behind then.
    """
    checks = placed_checks(scenario, origin)
    environment = files.fix(scenario.environment)
    fixed = frozen(scenario.model_copy(update={"environment": environment}), checks)
    if scenario.workspace_seed is None:
        raise InputError(f"{origin}: workspace_seed must be given to seed a task, got nothing")
    with files.new_task(target):
        commit, packed = _make_workspace(scenario, scenario.workspace_seed, target, files)
        # What is recorded is what agents will get: an archive does not keep everything that a folder has.
        with files.unpacked(target, fixed) as untouched:
            notes = _try_scorers(checks, untouched.workspace)
            recorder = SeedRecorder()
            seen = _try_commands(checks, untouched.workspace, recorder)
            details = {name: one["detail"] for name, one in seen.items()}
            fixed = frozen(fixed, with_recorded_tests(scenario, checks, recorder, details, origin))
            manifest = untouched.store_baseline()
            nested = untouched.nested
        record = {
            "scenario": scenario_record(fixed),
            "scenario_sha256": scenario_hash(fixed),
            "baseline_sha256": manifest,
            "workspace_sha256": packed.sha256,
            "home_sha256": files.home(target),
            "nested_repositories": list(nested),
            "commands_on_baseline": seen,
            "commit": commit,
            "seeded_at": now().isoformat(),
            "engine": VERSION,
        }
        files.write_record(target, f"{scenario.user_instruction or ''}\n", record)
    told = tuple(f"{name}: {one['detail']}" for name, one in seen.items() if one["verdict"] == "ERROR")
    return replace(files.load(target), notes=(*notes, *told))


def _make_workspace(scenario: Scenario, seed: Seed, target: str, files: SeedingFiles) -> tuple[str | None, Packed]:
    with files.scratch() as folder:
        commit = files.fill(seed, folder)
        # Whatever a commit holds is tracked. An archive may also hold what was only built there.
        tracked = () if commit is None else files.paths(folder)
        if scenario.setup is not None:
            _refuse_failure(files.run_setup(scenario.setup, scenario, folder, target))
        files.squash(folder, tracked)
        packed = files.pack(folder, target)
    if packed.left_out:
        how = "too large, unreadable, or not a file, folder or link"
        raise InputError(f"{counted(packed.left_out, 'file')} in the workspace can't be given to agents: {how}")
    return commit, packed


def _refuse_failure(ran: Ran) -> None:
    """A setup that fails leaves no task behind."""
    if ran.end.exit_code == 0 and not ran.end.timed_out:
        return
    lines = ran.output.decode(errors="replace").strip().splitlines()
    how = "timed out" if ran.end.timed_out else f"ended with exit code {ran.end.exit_code}"
    raise InputError(f"the setup command {how}: {lines[-1] if lines else 'it printed nothing'}")


def _try_scorers(checks: Iterable[PlacedCheck[Workspace]], untouched: Workspace) -> tuple[str, ...]:
    """Ask all scorers but the commands about a workspace that nobody has touched yet.

    A scorer that breaks here would break for every agent, so it is refused. Returns what scorers note about
    their own settings.
    """
    answers = grade([one for one in checks if one.check.kind != COMMAND], untouched)
    broken = next((one for one in answers if isinstance(one.outcome, Errored)), None)
    if broken is not None:
        name, why = broken.placement.name, broken.outcome.summary
        raise InputError(f"the scorer {name!r} breaks on the untouched workspace: {why}")
    return tuple(f"{one.placement.name}: {one.outcome.summary}" for one in answers if _has_notes(one.outcome))


def _try_commands(
    checks: Iterable[PlacedCheck[Workspace]], untouched: Workspace, recorder: SeedRecorder
) -> dict[str, dict[str, object]]:
    """Each command's answer on a workspace that nobody has touched yet, by the name of its scorer.

    It may fail there, since the agent hasn't done its work; and a runner that can't start is better known now.
    """
    answers = grade([one for one in checks if one.check.kind == COMMAND], untouched, run=recorder)
    return {one.placement.name: _summarize_outcome(one.outcome) for one in answers}


def _summarize_outcome(outcome: Outcome) -> dict[str, object]:
    if not isinstance(outcome, Scored):
        return {"verdict": "ERROR", "detail": outcome.summary}
    known = {key: outcome.evidence[key] for key in ("exit_code", "tests") if key in outcome.evidence}
    return {"verdict": "PASS" if outcome.passed else "FAIL", "detail": outcome.summary, **known}


def _has_notes(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and any(outcome.evidence.get(key) for key in ("absent", "notes"))


def with_recorded_tests(
    scenario: Scenario,
    checks: Sequence[PlacedCheck[Workspace]],
    recorder: SeedRecorder,
    details: Mapping[str, object],
    origin: str,
) -> list[PlacedCheck[Workspace]]:
    """The checks, those with ``tests`` with what passed. ``details`` say by name how a command ended.

    Raises ``InputError`` if nothing passed and nothing is to be fixed: such a scorer would demand nothing.
    """
    found: list[PlacedCheck[Workspace]] = []
    for number, (scorer, one) in enumerate(zip(scenario.scorers, checks, strict=True)):
        check = one.check
        if TESTS not in scorer.config or not isinstance(check, Command) or check.report is None:
            found.append(one)
            continue
        names = recorder.passed(check)
        if not names and not check.report.expected:
            place, why = f"{origin}: scorers[{number}].tests", details.get(scorer.name)
            raise InputError(f"{place}: at least one test must pass on the baseline, got none ({why})")
        report = replace(check.report, recorded=names)
        found.append(PlacedCheck(one.placement, replace(check, report=report)))
    return found


def tests_to_pass(scenario: Scenario) -> dict[str, tuple[int, int]]:
    """By the name of a scorer, how many tests passed on the baseline, and how many more are named."""
    reports = {scorer.name: scorer.config.get("report") for scorer in scenario.scorers}
    return {
        name: (len(report["recorded"]), len(report.get("expected", ())))
        for name, report in reports.items()
        if isinstance(report, dict) and report.get("recorded")
    }
