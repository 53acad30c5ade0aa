"""Score runs where their files are, and keep the results in their folders."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.adapters.jobs.agent_record import read_agent_record
from assay.adapters.jobs.scored_runs import agent_folder, ended, last_number, write_scored
from assay.adapters.machine.tree_walk import file_checksum
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.tasks.seeded_task import load_seeded
from assay.adapters.tasks.workbench import ARCHIVE
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.diff import cumulative_diff
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.coding.coding_record import session
from assay.engine.coding.score_coding_run import Candidate, score_by_task
from assay.engine.coding.score_trials import ScoredWorkspace
from assay.engine.ports import NumberTakenError
from assay.engine.sandbox import Sandbox
from assay.evidence.coding_run import AgentEnd, AgentRecord, Diff, RunStatus
from assay.evidence.workspace import ResultMemory


@dataclass(frozen=True, slots=True)
class LocalScoring:
    """Scoring on this machine. ``strict`` makes advisory scorers count; ``runs`` remembers their commands."""

    sandbox: Callable[[], Sandbox]
    strict: bool = False
    runs: ResultMemory | None = None

    def agent_record(self, trial: str, turn: str | None, end: AgentEnd | None, agent: str) -> AgentRecord:
        return read_agent_record(agent_folder(trial, turn), end, agent)

    def score(
        self, task: str, workspace: str | None, agent: Sequence[AgentRecord], status: RunStatus
    ) -> ScoredWorkspace:
        seen: list[Diff] = []
        files = LocalScoringFiles(self.sandbox, lambda captured: seen.append(diff_of(captured)), runs=self.runs)
        attempt = Candidate(workspace, status, self.strict, session(agent))
        report = score_by_task(task, attempt, files)
        return ScoredWorkspace(load_seeded(task).scenario, report, seen[0] if seen else None)

    def keep(self, trial: str, task: str, scored: ScoredWorkspace, agent: Sequence[AgentRecord]) -> None:
        """Another process may add a record at the same time: then this one is the next."""
        while True:
            with contextlib.suppress(NumberTakenError):
                write_scored(trial, _record(trial, task, scored, agent), scored.diff)
                return


def diff_of(captured: Captured) -> Diff:
    text, cut = cumulative_diff(captured)
    data = text.encode("utf-8", "replace")
    return Diff(data.decode(), hashlib.sha256(data).hexdigest(), cut)


def turns_of_trial(trial: str) -> list[str | None]:
    """The names of a run's turns in their order; None alone for a run without turns."""
    try:
        names = [name for name in os.listdir(f"{trial}/steps") if os.path.isdir(f"{trial}/steps/{name}")]
    except OSError:
        return [None]
    return [*sorted(names, key=lambda name: (len(name), name))]


def archive_of_trial(trial: str) -> str | None:
    """The workspace that a run kept at its end; None if it kept none."""
    turn = turns_of_trial(trial)[-1]
    archive = f"{trial}/{ARCHIVE}" if turn is None else f"{trial}/steps/{turn}/{ARCHIVE}"
    return archive if os.path.isfile(archive) else None


def _record(trial: str, task: str, scored: ScoredWorkspace, agent: Sequence[AgentRecord]) -> Scoring:
    number, previous = last_number(trial)
    archive = archive_of_trial(trial)
    turns = turns_of_trial(trial)
    return Scoring(
        number=number + 1,
        task=os.path.abspath(task),
        scenario=scored.scenario,
        scored_at=datetime.now(UTC),
        turns=[ended(turn, one.end) for turn, one in zip(turns, agent, strict=False)],
        workspace_sha256=None if archive is None else file_checksum(archive),
        diff_sha256=None if scored.diff is None else scored.diff.sha256,
        diff_cut=scored.diff is not None and scored.diff.cut,
        previous=previous,
        report=scored.report,
    )
