"""Score a coding run: load what it is scored by, capture what the agent changed, ask the scorers, report."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol, TypeAlias

from assay.core.errors import InputError
from assay.core.grading import PlacedCheck, RunCheck
from assay.core.outcome import NeedsCommands
from assay.dialects.scorers.report import JudgeRun, Judges, Provenance, ScorersReport, is_judged, with_verdict
from assay.dialects.scorers.scenario import JudgeSection, Scenario, scenario_hash
from assay.engine.coding.coding_record import Seeded, coding_run
from assay.engine.coding.score import MetricLimits, frozen, placed_checks, score_run
from assay.evidence.coding_run import AgentRecord, CodingRecord, Diff, RunStatus
from assay.evidence.workspace import KnownBaseline, Workspace
from assay.version import VERSION


@dataclass(frozen=True, slots=True)
class Candidate:
    """One run of an agent: the folder, archive or ``REPOSITORY@BRANCH`` that it left, None if it had no workspace,
    its status, and what else it left.
    """

    workspace: str | None
    status: RunStatus = RunStatus.COMPLETED
    strict: bool = False
    """Whether advisory scorers count as required ones."""
    agent: AgentRecord = AgentRecord()  # noqa: RUF009 - frozen
    instruction: str | None = None
    """What the agent was asked to do, if the scenario doesn't say."""

    def instructed(self, scenario: Scenario) -> Scenario:
        """The scenario with the instruction. Raises ``InputError`` if it has one already."""
        if self.instruction is None:
            return scenario
        if any(request.strip() for request in scenario.requests):
            raise InputError("--instruction is for a scenario without one, but this one has an instruction")
        return scenario.model_copy(update={"user_instruction": self.instruction})


PathKind: TypeAlias = Literal["folder", "file"]


@dataclass(frozen=True, slots=True)
class Files:
    """A folder as it is, or an archive to unpack."""

    path: str
    packed: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """The files of a commit of a repository."""

    repository: str
    name: str


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of the baseline as a unified diff in a file; ``-`` is standard input."""

    path: str


class ScoringFiles(Protocol):
    """The files that scoring reads, and the sandbox that runs commands."""

    def load_task(self, folder: str) -> Seeded: ...

    def load_scenario(self, path: str) -> Scenario: ...

    def kind_of(self, path: str) -> PathKind | None:
        """The kind of a path; None for neither a folder nor a regular file."""

    def open_baseline(self, source: Files | Commit) -> AbstractContextManager[KnownBaseline]:
        """The state before the agent began, for the time of the block."""

    def capture(
        self,
        left: Files | Commit | Patch,
        before: KnownBaseline,
        scenario: Scenario,
        remember: bool,
        agent: AgentRecord,
        home: str | None = None,
    ) -> AbstractContextManager[Workspace]:
        """The agent's changes, for the time of the block. The scenario says where and with what commands run.

        With ``remember``, files that nobody touched since the last capture are not read again. ``home`` is the
        archive of the home folder that setup left.
        """

    def diff(self, workspace: Workspace) -> Diff:
        """The cumulative diff of what was captured."""

    def remembered(self, workspace: Workspace) -> int:
        """How many commands weren't run, because an earlier grading of the same content had run them."""

    def scorer_runner(self, checks: Sequence[PlacedCheck[Workspace]]) -> RunCheck[Workspace]:
        """How each of these scorers is run within its time limit. It gets ready during the capture."""

    def isolation(self) -> str:
        """Look for a sandbox. Returns the name of its backend."""


KeepRun: TypeAlias = Callable[[CodingRecord, ScorersReport, JudgeSection | None], None]


@dataclass(frozen=True, slots=True)
class Afterwards:
    """The steps after a run is scored: a judge reads it, and it is kept to be judged later."""

    judges: Judges | None = None
    keep: KeepRun | None = None

    def for_scenario(self, scenario: Scenario) -> "_Ending":
        """Raises ``InputError`` if there should be a judge and nobody says which."""
        return _Ending(None if self.judges is None else self.judges.judge(scenario.judge), self.keep)


@dataclass(frozen=True, slots=True)
class _Ending:
    judge: JudgeRun | None
    keep: KeepRun | None


NOTHING: Final = Afterwards()


def score_by_task(task: str, attempt: Candidate, files: ScoringFiles, ends: Afterwards = NOTHING) -> ScorersReport:
    """Score by the scorers and the baseline that were frozen when the task was seeded, then ask the judge."""
    return score_by_seeded(files.load_task(task), attempt, files, ends)


def score_by_seeded(
    seeded: Seeded, attempt: Candidate, files: ScoringFiles, ends: Afterwards = NOTHING, *, remember: bool = True
) -> ScorersReport:
    """Score by a seeded task that was loaded already. ``remember`` is as in ``ScoringFiles.capture``."""
    seeded = replace(seeded, scenario=attempt.instructed(seeded.scenario))
    loaded = _Loaded(
        placed_checks(seeded.scenario, f"{seeded.folder}/task.json"),
        Provenance(engine=VERSION, scenario_sha256=seeded.scenario_sha256, baseline_sha256=seeded.baseline_sha256),
        seeded.scenario,
        ends.for_scenario(seeded.scenario),
    ).as_strict_as(attempt)
    if attempt.workspace is None:
        return _score_without_workspace(loaded, attempt)
    left = _left_by_agent(attempt.workspace, files)
    run_check = files.scorer_runner(loaded.checks)
    with files.capture(left, seeded.known, seeded.scenario, remember, attempt.agent, seeded.home) as workspace:
        return _score(loaded, workspace, attempt, files, run_check)


def score_by_scenario(
    scenario: str, baseline: str | None, attempt: Candidate, files: ScoringFiles, ends: Afterwards = NOTHING
) -> ScorersReport:
    """Score by a scenario as it is now, against a folder, an archive or ``REPOSITORY@COMMIT``."""
    found = attempt.instructed(files.load_scenario(scenario))
    if attempt.workspace is None or baseline is None:
        checks = placed_checks(found, scenario)
        provenance = Provenance(engine=VERSION, scenario_sha256=scenario_hash(frozen(found, checks)))
        loaded = _Loaded(checks, provenance, found, ends.for_scenario(found)).as_strict_as(attempt)
        return _score_without_workspace(loaded, attempt)
    left = _left_by_agent(attempt.workspace, files)
    with files.open_baseline(baseline_source(baseline, files.kind_of)) as before:
        return score_against(found, scenario, left, before, replace(attempt, instruction=None), files, ends=ends)


def score_against(
    scenario: Scenario,
    origin: str,
    left: Files | Commit | Patch,
    before: KnownBaseline,
    attempt: Candidate,
    files: ScoringFiles,
    *,
    assumed: Sequence[str] = (),
    guessed: bool = False,
    ends: Afterwards = NOTHING,
) -> ScorersReport:
    """Score what an agent left against a baseline that is open already.

    ``origin`` is how errors name the scenario, and ``assumed`` tells what nobody said, for the record. By a
    scenario that was ``guessed``, nothing passes that nobody tested.
    """
    scenario = attempt.instructed(scenario)
    checks = placed_checks(scenario, origin)
    provenance = Provenance(
        engine=VERSION, scenario_sha256=scenario_hash(frozen(scenario, checks)), assumed=list(assumed)
    )
    loaded = (
        _Loaded(checks, provenance, scenario, ends.for_scenario(scenario), guessed)
        .as_strict_as(attempt)
        .against(before)
    )
    run_check = files.scorer_runner(loaded.checks)
    with files.capture(left, before, scenario, remember=False, agent=attempt.agent) as workspace:
        return _score(loaded, workspace, attempt, files, run_check)


def baseline_source(where: str, kind_of: Callable[[str], PathKind | None]) -> Files | Commit:
    """The kind of the baseline. Raises ``InputError`` if nothing like it exists."""
    return _source(where, kind_of, "the baseline must be a folder, an archive or REPOSITORY@COMMIT")


def _source(where: str, kind_of: Callable[[str], PathKind | None], must: str) -> Files | Commit:
    kind = kind_of(where)
    if kind is not None:
        return Files(where, packed=kind == "file")
    if "@" not in where:
        raise InputError(f"{must}, got {where}, which doesn't exist")
    # Both names may hold an "@". A folder that is there decides.
    parts = where.split("@")
    splits = [("@".join(parts[:at]), "@".join(parts[at:])) for at in range(len(parts) - 1, 0, -1)]
    return Commit(*next((one for one in splits if kind_of(one[0]) == "folder"), splits[0]))


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The way to score a run."""

    checks: list[PlacedCheck[Workspace]]
    provenance: Provenance
    scenario: Scenario
    ending: _Ending
    guessed: bool = False

    def against(self, before: KnownBaseline) -> "_Loaded":
        provenance = self.provenance.model_copy(update={"baseline_sha256": before.sha256})
        return replace(self, provenance=provenance)

    def as_strict_as(self, attempt: Candidate) -> "_Loaded":
        if not attempt.strict:
            return self
        return replace(self, provenance=self.provenance.model_copy(update={"strict": True}))

    @property
    def limits(self) -> MetricLimits:
        return MetricLimits(**self.scenario.limits.model_dump())


def _score_without_workspace(loaded: _Loaded, attempt: Candidate) -> ScorersReport:
    report = score_run(
        loaded.checks, None, loaded.provenance, attempt.status, agent=attempt.agent, limits=loaded.limits
    )
    return _judge_and_keep(loaded, report, attempt, lambda: None)


def _judge_and_keep(
    loaded: _Loaded, report: ScorersReport, attempt: Candidate, diff: Callable[[], Diff | None]
) -> ScorersReport:
    """Ask the judge, who reads what the scorers found, if the run is completed and there is one; then keep it."""
    judge = loaded.ending.judge if is_judged(attempt.status) else None
    if judge is None and loaded.ending.keep is None:
        return report
    run = coding_run(loaded.scenario, report, [attempt.agent], diff())
    told = report if judge is None else with_verdict(report, judge(run))
    if loaded.ending.keep is not None:
        loaded.ending.keep(run, told, loaded.scenario.judge)
    return told


def is_patch(workspace: str | None) -> bool:
    """Whether what the agent left is given as a diff."""
    return workspace is not None and (workspace == "-" or workspace.endswith((".patch", ".diff")))


def _left_by_agent(workspace: str, files: ScoringFiles) -> Files | Commit | Patch:
    if is_patch(workspace):
        return Patch(workspace)
    return _source(workspace, files.kind_of, "the workspace must be a folder, an archive or REPOSITORY@BRANCH")


def _score(
    loaded: _Loaded,
    workspace: Workspace,
    attempt: Candidate,
    files: ScoringFiles,
    run_check: RunCheck[Workspace],
) -> ScorersReport:
    """Ask the scorers. If one runs a command, the sandbox is looked for before any is asked."""
    provenance = loaded.provenance
    if any(isinstance(one.check, NeedsCommands) for one in loaded.checks):
        provenance = provenance.model_copy(update={"isolation": files.isolation()})
    report = score_run(
        *(loaded.checks, workspace, provenance, attempt.status, run_check, attempt.agent, loaded.limits),
        must_be_tested=loaded.guessed,
    )
    remembered = files.remembered(workspace)
    if remembered:
        told = report.provenance.model_copy(update={"remembered_runs": remembered})
        report = report.model_copy(update={"provenance": told})
    return _judge_and_keep(loaded, report, attempt, lambda: files.diff(workspace))
