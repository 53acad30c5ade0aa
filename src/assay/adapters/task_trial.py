"""Try a task out: one attempt of an agent, of which only the reward is kept."""

from assay.adapters.images import prepare
from assay.adapters.workbench import Shelf, Workbench
from assay.engine.sandbox import Ran
from assay.engine.task import Task
from assay.engine.trial_run import Agent, Site, StepRecord, run_steps


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
        """The lowest reward of an attempt; None where there was none."""
        bench = Workbench(task.environment, self._shelf, self._site.sandbox)
        try:
            bench.seed()
            record = run_steps(self._site, bench, task, agent, _Forgetful(bench))
        finally:
            bench.close()
        rewards = record.rewards.rewards if record.rewards is not None else None
        return min(rewards.values()) if rewards else None

    def close(self) -> None:
        self._shelf.close()


class _Forgetful:
    """Keeps nothing. The next step has empty logs, as in a run."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def agent_ended(self, step: str | None, ran: Ran | None) -> None: ...

    def step_ended(self, record: StepRecord) -> None:  # noqa: ARG002 - nothing of it is kept
        self._bench.clear_agent()
