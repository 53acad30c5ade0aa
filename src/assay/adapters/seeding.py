"""Seed a task from a scenario: the workspace is prepared, its history squashed, the baseline and scorers are
frozen.

A seeded task is a folder::

    task.json          the scenario as it was, its hash, the baseline's hash
    instruction.md     what the agent is asked
    workspace.tar.gz   the workspace as the agent gets it, with one commit and no other history
    baseline/          every path with type, mode and hash, and the contents
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.adapters.atomic_write import write_text
from assay.adapters.scenario_file import canonical, scenario_hash, scenario_of
from assay.adapters.scratch import scratch_folder
from assay.adapters.trees import own_tree, pack_tree, remove_tree, unpack_tree
from assay.adapters.workspace.archives import unpack_archive
from assay.adapters.workspace.baseline import StoredBaseline, folder_baseline, load_baseline, store_baseline
from assay.adapters.workspace.commands import run_in_folder
from assay.adapters.workspace.diff import git
from assay.adapters.workspace.git_export import export_commit
from assay.core.errors import InputError
from assay.dialects.scorers.scenario import ArchiveSeed, GitSeed, Scenario
from assay.engine.sandbox import Sandbox
from assay.version import VERSION

TASK = "task.json"
WORKSPACE = "workspace.tar.gz"
FORMAT = 1
_WHO = ("-c", "user.name=Assay", "-c", "user.email=assay@localhost", "-c", "commit.gpgSign=false")
_PLAIN = ("-c", "core.autocrlf=false", "-c", "core.logAllRefUpdates=false", "-c", "gc.auto=0")


@dataclass(frozen=True, slots=True)
class Seeded:
    """A task that was seeded."""

    folder: str
    scenario: Scenario
    scenario_sha256: str
    baseline_sha256: str
    baseline: StoredBaseline
    nested: tuple[str, ...]


def seed(scenario: Scenario, base: str, target: str, sandbox: Callable[[], Sandbox]) -> Seeded:
    """Make a task in a new folder. ``base`` is where the scenario's relative paths begin."""
    if os.path.lexists(target):
        raise InputError(f"{target} is there already: a task is seeded into a new folder")
    if scenario.workspace_seed is None:
        raise InputError("the scenario has no workspace_seed: there is nothing to seed")
    with _scratch() as folder:
        commit = _fill(scenario, base, folder)
        if scenario.setup is not None:
            _set_up(scenario, folder, sandbox())
        _squash(folder)
        baseline = folder_baseline(folder)
        os.makedirs(target)
        manifest = store_baseline(baseline, f"{target}/baseline")
        pack_tree(folder, f"{target}/{WORKSPACE}")
    write_text(f"{target}/instruction.md", f"{scenario.user_instruction or ''}\n")
    record = {
        "format": FORMAT,
        "scenario": json.loads(canonical(scenario)),
        "scenario_sha256": scenario_hash(scenario),
        "baseline_sha256": manifest,
        "nested_repositories": list(baseline.nested),
        "commit": commit,
        "seeded_at": datetime.now(UTC).isoformat(),
        "engine": VERSION,
    }
    # Last, so that a folder without it is known to be half a task.
    write_text(f"{target}/{TASK}", json.dumps(record, indent=2) + "\n")
    return load_seeded(target)


def load_seeded(folder: str) -> Seeded:
    """Read a seeded task. Raises ``InputError`` if it is none, or if it was changed."""
    path = f"{folder}/{TASK}"
    try:
        with open(path) as file:
            record = json.load(file)
        frozen, hashes = record["scenario"], (record["scenario_sha256"], record["baseline_sha256"])
        nested = tuple(record["nested_repositories"])
    except OSError as error:
        raise InputError(f"{folder} is no seeded task: {TASK} can't be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not what 'assay seed' writes") from error
    scenario = scenario_of(frozen, path)
    if scenario_hash(scenario) != hashes[0]:
        raise InputError(f"{path}: the scenario was changed since the task was seeded")
    return Seeded(folder, scenario, *hashes, load_baseline(f"{folder}/baseline", hashes[1]), nested)


def unpack_workspace(task: Seeded, target: str) -> None:
    """The workspace of a task in a new folder, for one agent."""
    if os.path.lexists(target):
        raise InputError(f"{target} is there already: a workspace is unpacked into a new folder")
    os.makedirs(target)
    unpack_tree(f"{task.folder}/{WORKSPACE}", target)


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    around = scratch_folder(0o711)
    folder = f"{around}/workspace"
    os.mkdir(folder, 0o755)
    try:
        yield folder
    finally:
        remove_tree(around)


def _fill(scenario: Scenario, base: str, folder: str) -> str | None:
    """The files that the seed names. Returns the commit that they are from, if it is one."""
    seed = scenario.workspace_seed
    if isinstance(seed, GitSeed):
        remote = "://" in seed.repository
        return export_commit(
            seed.repository if remote else os.path.join(base, seed.repository), seed.commit, folder
        )
    if isinstance(seed, ArchiveSeed):
        unpack_archive(os.path.join(base, seed.path), folder, seed.strip)
    return None


def _set_up(scenario: Scenario, folder: str, sandbox: Sandbox) -> None:
    """Run the setup command. One that fails leaves no task behind."""
    setup = scenario.setup
    if setup is None:
        return
    own_tree(folder, sandbox.owner)
    ran = run_in_folder(sandbox, folder, scenario.workdir, setup.command, setup.timeout_s, {}, setup.network)
    own_tree(folder, (os.geteuid(), os.getegid()) if sandbox.owner is not None else None)
    if ran.end.exit_code != 0 or ran.end.timed_out:
        lines = ran.output.decode(errors="replace").strip().splitlines()
        how = "timed out" if ran.end.timed_out else f"ended with exit code {ran.end.exit_code}"
        raise InputError(f"the setup command {how}: {lines[-1] if lines else 'it printed nothing'}")


def _squash(folder: str) -> None:
    """One commit with everything in it: no history to read the solution from, no remote, no reflog."""
    remove_tree(f"{folder}/.git")
    git(["init", "-q", "--template=", "-b", "main", folder])
    git(["-C", folder, *_PLAIN, "add", "-A"])
    when = ["--date=2000-01-01T00:00:00Z"]
    git(["-C", folder, *_WHO, *_PLAIN, "commit", "-q", "--allow-empty", "--no-verify", "-m", "Baseline", *when])
    remove_tree(f"{folder}/.git/logs")
