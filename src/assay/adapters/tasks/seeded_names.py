"""The names of a seeded task's files. Telling such a task, or a run in a job's folder, needs nothing else."""

import os

TASK = "task.json"
WORKSPACE = "workspace.tar.gz"
BASELINE = "baseline"
HOME = "home.tar.gz"


def is_seeded(folder: str) -> bool:
    """Whether a folder looks like a seeded task."""
    return os.path.isfile(f"{folder}/{TASK}") and os.path.isfile(f"{folder}/{WORKSPACE}")


def is_kept_run(path: str) -> bool:
    """Whether a folder is a run in the folder of a job. An agent can't make its workspace look like one: what is
    beside it isn't the agent's.
    """
    job = os.path.dirname(os.path.abspath(path))
    return os.path.isfile(f"{path}/result.json") and os.path.isfile(f"{job}/lock.json")
