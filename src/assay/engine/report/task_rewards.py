"""The scores of some runs by task, with the runs apart that have none."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.evidence.run import Run, State
from assay.stats.passes import Attempts


@dataclass(slots=True)
class TaskRewards:
    """The scores of one task's runs, in order. ``broken`` more have none, because the measurement broke.

    ``uncontrolled`` of the scores are the 0 of an unusable answer of which nobody knows whose fault it is.
    """

    rewards: list[float] = field(default_factory=list)
    broken: int = 0
    uncontrolled: int = 0

    @property
    def open(self) -> int:
        """How many runs could have got another number."""
        return self.broken + self.uncontrolled

    def filled(self, value: float) -> list[float]:
        """The scores if every run that is open had got this one."""
        known = list(self.rewards)
        for _ in range(self.uncontrolled):
            known.remove(0.0)
        return [*known, *[value] * self.open]


def rewards_by_task(runs: Iterable[Run]) -> dict[str, TaskRewards]:
    """The scores of the tasks that have one, or a broken run."""
    tasks: dict[str, TaskRewards] = {}
    for run in runs:
        score = run.score
        if score is None and run.state is not State.BROKEN:
            continue
        task = tasks.get(run.task)
        if task is None:
            task = tasks[run.task] = TaskRewards()
        if score is None:
            task.broken += 1
        else:
            task.rewards.append(score)
            task.uncontrolled += run.state is State.UNUSABLE and run.cause is None
    return tasks


def attempts_by_task(runs: Iterable[Run]) -> dict[str, Attempts]:
    """How many runs of each task count, and how many of them passed."""
    counts: dict[str, list[int]] = {}
    for run in runs:
        if run.score is not None:
            count = counts.setdefault(run.task, [0, 0])
            count[0] += 1
            count[1] += run.state is State.PASSED
    return {task: Attempts(n, c) for task, (n, c) in counts.items()}
