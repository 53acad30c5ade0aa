"""A seeded task on disk. It is used only as long as nobody changed it.

A seeded task is a folder::

    task.json          the scenario at the time of seeding, and the hashes of everything
    instruction.md     the instruction for the agent
    workspace.tar.gz   the workspace as the agent gets it, with one commit and no other history
    home.tar.gz        what setup left in its home folder, if it left anything
    baseline/          every path with type, mode and hash, and the contents
"""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.tree_walk import file_checksum
from assay.adapters.machine.trees import unpack_tree
from assay.adapters.tasks.scenario_file import scenario_of
from assay.adapters.tasks.seeded_names import BASELINE, HOME, TASK, WORKSPACE
from assay.adapters.workspace.baseline import load_baseline
from assay.adapters.workspace.command_environment import command_environment
from assay.core.errors import InputError
from assay.dialects.scorers.scenario import hash_of
from assay.engine.coding.coding_record import Seeded
from assay.engine.sandbox import Sandbox

if TYPE_CHECKING:
    from assay.engine.tasks.task import LoadedTask

FORMAT = 1
SEAL = "sha256"
_FIELDS = {
    "format",
    "scenario",
    "scenario_sha256",
    "baseline_sha256",
    "workspace_sha256",
    "nested_repositories",
    SEAL,
}


def write_record(folder: str, record: Mapping[str, object]) -> None:
    """Write the record of a task, with a hash of itself."""
    sealed = {"format": FORMAT, **record}
    write_text(f"{folder}/{TASK}", json.dumps({**sealed, SEAL: _seal(sealed)}, indent=2) + "\n")


def load_seeded(folder: str) -> Seeded:
    """Read a seeded task. Raises ``InputError`` if the folder isn't one, or if it was changed."""
    path = f"{folder}/{TASK}"
    record = read_record(folder)
    scenario = scenario_of(record["scenario"], path)
    scenario_sha256, baseline_sha256 = str(record["scenario_sha256"]), str(record["baseline_sha256"])
    if hash_of(record["scenario"]) != scenario_sha256:
        raise InputError(f"{path}: the scenario was changed since the task was seeded")
    if _seal(record) != record[SEAL]:
        raise InputError(f"{path} was changed since the task was seeded")
    return Seeded(
        folder,
        scenario,
        scenario_sha256,
        baseline_sha256,
        load_baseline(f"{folder}/{BASELINE}", baseline_sha256),
        tuple(record["nested_repositories"]),
        str(record["workspace_sha256"]),
        home=_home(folder, record.get("home_sha256")),
    )


def load_runnable(folder: str, sandbox: Sandbox) -> "LoadedTask":
    """A seeded task for agents to be run on. Raises ``InputError`` if it was changed."""
    from assay.engine.coding.seed_task import runnable  # noqa: PLC0415 - only who runs agents needs it

    seeded = load_seeded(os.path.abspath(folder))
    _check_archive(seeded)
    around = command_environment(seeded.scenario.environment, ".", sandbox, seeded.home)
    return runnable(seeded, f"{seeded.folder}/{WORKSPACE}", around)


def check_room(target: str) -> None:
    """Raise ``InputError`` if something is at the path that a workspace should be unpacked to."""
    if os.path.lexists(target):
        raise InputError(f"{target} already exists: a workspace is unpacked into a new folder")


def unpack_workspace(task: Seeded, target: str) -> None:
    """Unpack the workspace of a task into a new folder, for one agent."""
    check_room(target)
    _check_archive(task)
    os.makedirs(target)
    unpack_tree(f"{task.folder}/{WORKSPACE}", target)


def _check_archive(task: Seeded) -> None:
    _check_file(f"{task.folder}/{WORKSPACE}", task.workspace_sha256)


def _home(folder: str, checksum: object) -> str | None:
    """The archive of the home folder that setup left. It is checked, since programs in it are run."""
    if checksum is None:
        return None
    _check_file(f"{folder}/{HOME}", str(checksum))
    return f"{folder}/{HOME}"


def _check_file(archive: str, checksum: str) -> None:
    try:
        if file_checksum(archive) != checksum:
            raise InputError(f"{archive} was changed since the task was seeded")
    except OSError as error:
        raise InputError(f"{archive} can't be read: {error.strerror}") from error


def read_record(folder: str) -> dict[str, Any]:
    """Read task.json. Raises ``InputError`` if it isn't one."""
    path = f"{folder}/{TASK}"
    try:
        with open(path, "rb") as file:
            record = json.loads(file.read())
    except OSError as error:
        raise InputError(f"{folder} isn't a seeded task: {TASK} can't be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} wasn't written by 'assay seed'") from error
    if not isinstance(record, dict) or not record.keys() >= _FIELDS or record["format"] != FORMAT:
        raise InputError(f"{path} wasn't written by 'assay seed'")
    return record


def _seal(record: Mapping[str, object]) -> str:
    """A hash of everything else in a record."""
    rest = {key: value for key, value in record.items() if key != SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
