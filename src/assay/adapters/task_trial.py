"""Try a task out: one attempt of an agent, of which only the reward is kept."""

from assay.adapters.images import prepare
from assay.adapters.shelf import Shelf
from assay.adapters.workbench import Workbench
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Ran
from assay.engine.task import Task
from assay.engine.trial_run import BROKEN, Agent, Site, StepRecord, run_steps


class TaskTrial:
    """Attempts tasks without leaving anything behind."""

    def __init__(self, site: Site, *, no_image: bool = False) -> None:
        self._site = site
        self._no_image = no_image
        self._shelf = Shelf()

    def prepare(self, task: Task) -> Task:
        """The task, ready for the sandbox."""
        return prepare(task, self._site, no_image=self._no_image)

    def reward(self, task: Task, agent: Agent) -> float | None:
        """The reward of an attempt, or the lowest where none is called so; None where there was none.

        Raises ``MeasurementError``.
        """
        bench = Workbench(task.environment, self._shelf, self._site.sandbox)
        try:
            record = run_steps(self._site, bench, task, agent, _Forgetful(bench))
        finally:
            bench.close()
        if record.failure is not None and record.failure.type == BROKEN:
            raise MeasurementError(f"{task.path}: {record.failure.message}")
        rewards = record.rewards.rewards if record.rewards is not None else None
        return rewards.get("reward", min(rewards.values())) if rewards else None

    def close(self) -> None:
        self._shelf.close()


class _Forgetful:
    """Keeps nothing. The next step has empty logs, as in a run."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def agent_ended(self, step: str | None, ran: Ran | None) -> None: ...

    def step_ended(self, record: StepRecord) -> None:  # noqa: ARG002 - nothing of it is kept
        self._bench.clear_agent()
