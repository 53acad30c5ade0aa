"""Trials in memory: four attempts a task, rewards of 0 or 1, one in ten with an exception."""

from collections.abc import Iterator

from assay.dialects.harbor.trial import Trial, Usage

ATTEMPTS = 4
AGENT, MODEL, DATASET = "solver", "model-x", "ds"


def made_trials(count: int) -> Iterator[Trial]:
    """So many trials, in the order in which harbor plans them: all first attempts, then all second ones."""
    tasks = [f"task-{number:06d}" for number in range(-(-count // ATTEMPTS))]
    for number in range(count):
        task = tasks[number % len(tasks)]
        kind = number % 10
        yield Trial(
            name=f"{task}__{number:07d}",
            task=task,
            agent=AGENT,
            model=MODEL,
            dataset=DATASET,
            rewards=None if kind == 9 else {"reward": float(number % 3 == 0)},
            verified=kind != 9,
            exception_type="AgentTimeoutError" if kind == 9 else None,
            exception_message="Agent execution timed out after 600.0 seconds" if kind == 9 else "",
            usage=Usage(48_000 + kind, 31_000, 2_800 + kind, 0.07),
        )
