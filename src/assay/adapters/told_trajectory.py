"""Turn the record that an agent keeps of itself into harbor's format, beside it.

The agent wrote the record, so it is read without following a link and up to a limit.
"""

import json
import os

from assay.adapters.atomic_write import write_text
from assay.adapters.safe_read import read_below
from assay.engine.job_plan import Agent
from assay.evidence.files import Content
from assay.formats.trajectories.read import read_trajectory
from assay.formats.trajectories.write_atif import atif_of

NAME = "trajectory.json"
LIMIT = 64 * 2**20


def tell_trajectory(folder: str, agent: Agent) -> None:
    """Write trajectory.json into the folder of an agent's kept logs, unless there is one already."""
    target = f"{folder}/{NAME}"
    if agent.trajectory is None or os.path.lexists(target) or not os.path.isdir(folder):
        return
    found = read_below(folder, agent.trajectory.split("/"), LIMIT)
    if not isinstance(found, Content) or not found.data.strip():
        return
    told = read_trajectory(found.data, agent.trajectory, lambda _name: None)
    if told.steps:
        written = atif_of(told, agent.name, agent.version, agent.model)
        write_text(target, json.dumps(written, indent=2, ensure_ascii=False) + "\n")
