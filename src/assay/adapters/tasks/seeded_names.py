"""The names of a seeded task's files. Telling such a task needs nothing else."""

import os

TASK = "task.json"
WORKSPACE = "workspace.tar.gz"
BASELINE = "baseline"
HOME = "home.tar.gz"


def is_seeded(folder: str) -> bool:
    """Whether a folder looks like a seeded task."""
    return os.path.isfile(f"{folder}/{TASK}") and os.path.isfile(f"{folder}/{WORKSPACE}")
