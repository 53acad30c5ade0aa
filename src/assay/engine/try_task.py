"""Try a task out: run one attempt of an agent and keep only the reward."""

from assay.core.errors import MeasurementError
from assay.engine.job_plan import Agent
from assay.engine.job_ports import Bench, Workshop
from assay.engine.run_trial import run_trial
from assay.engine.sandbox import Ran
from assay.engine.site import Site
from assay.engine.task import Step, Task
from assay.engine.trial_record import BROKEN, StepRecord


def try_task(site: Site, workshop: Workshop, task: Task, agent: Agent) -> float | None:
    """The value of "reward" in one attempt, or the lowest reward if there is no such key; None without rewards.

    Raises ``MeasurementError``.
    """
    bench = workshop.bench(task.environment)
    try:
        record = run_trial(site, bench, task, agent, _Forgetful(bench))
    finally:
        bench.close()
    if record.failure is not None and record.failure.type == BROKEN:
        raise MeasurementError(f"{task.path}: {record.failure.message}")
    rewards = record.rewards.rewards if record.rewards is not None else None
    return rewards.get("reward", min(rewards.values())) if rewards else None


class _Forgetful:
    """Keeps nothing. The next step starts with empty logs, as in a run."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def agent_ended(self, step: Step, ran: Ran | None) -> None: ...

    def step_ended(self, step: Step, record: StepRecord) -> None:  # noqa: ARG002 - nothing of it is kept
        self._bench.clear_agent()
