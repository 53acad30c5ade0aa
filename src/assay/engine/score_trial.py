"""Score a finished run by the files that it kept: the workspace, and what the agent left about itself."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.coding_scoring import Coding, judged
from assay.evidence.coding_run import AgentRecord, RunStatus


class KeptWork(Protocol):
    """The folder of a finished run. Each method raises ``InputError`` for what can't be read."""

    @property
    def path(self) -> str:
        """The path of the folder, as the user wrote it."""
        ...

    def task_path(self) -> str:
        """The path of the run's task."""
        ...

    def status(self) -> RunStatus: ...

    def agent_records(self) -> Sequence[AgentRecord]:
        """What the agent left about itself, turn by turn."""
        ...

    def workspace(self, task: str) -> AbstractContextManager[str | None]:
        """The working folder as the agent left it, for the time of the block; None if it wasn't kept."""
        ...


def score_trial(run: KeptWork, task: str | None, coding: Coding) -> ScorersReport:
    """Score a run by its task, or by another one, and add the result to the run."""
    path = task or run.task_path()
    agent = run.agent_records()
    with run.workspace(path) as workspace:
        if workspace is None:
            raise InputError(f"{run.path} can't be scored: its workspace was not kept as a whole")
        scored = coding.scoring.score(path, workspace, agent, run.status())
    scored = judged(scored, agent, coding.judges)
    coding.scoring.keep(run.path, path, scored, agent)
    return scored.report
