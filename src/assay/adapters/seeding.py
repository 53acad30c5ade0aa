"""Seed a task from a scenario: the workspace is prepared, its history squashed, the baseline and scorers are
frozen.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from assay.adapters.atomic_write import write_text
from assay.adapters.checksums import file_checksum
from assay.adapters.scenario_file import canonical, scenario_hash
from assay.adapters.scratch import scratch_folder
from assay.adapters.seeded_task import BASELINE, WORKSPACE, Seeded, load_seeded, write_record
from assay.adapters.trees import clear_the_way, own_tree, pack_tree, remove_tree, unpack_tree
from assay.adapters.workspace.archives import unpack_archive
from assay.adapters.workspace.baseline import folder_baseline, store_baseline
from assay.adapters.workspace.commands import run_in_folder
from assay.adapters.workspace.git import git
from assay.adapters.workspace.git_export import export_commit, is_address
from assay.adapters.workspace.walk import walk_workspace
from assay.core.errors import InputError
from assay.dialects.scorers.scenario import ArchiveSeed, GitSeed, Scenario
from assay.engine.sandbox import Sandbox
from assay.version import VERSION

_WHO = ("-c", "user.name=Assay", "-c", "user.email=assay@localhost", "-c", "commit.gpgSign=false")
_WHEN = {"GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z"}
_PLAIN = ("-c", "core.autocrlf=false", "-c", "core.logAllRefUpdates=false", "-c", "gc.auto=0")


def seed(scenario: Scenario, base: str, target: str, sandbox: Callable[[], Sandbox]) -> Seeded:
    """Make a task in a new folder. ``base`` is where the scenario's relative paths begin."""
    if os.path.lexists(target):
        raise InputError(f"{target} is there already: a task is seeded into a new folder")
    if scenario.workspace_seed is None:
        raise InputError("the scenario has no workspace_seed: there is nothing to seed")
    os.makedirs(target)
    try:
        commit = _make_workspace(scenario, base, f"{target}/{WORKSPACE}", sandbox)
        _freeze(scenario, commit, target)
    except BaseException:
        remove_tree(target)
        raise
    return load_seeded(target)


def _make_workspace(scenario: Scenario, base: str, archive: str, sandbox: Callable[[], Sandbox]) -> str | None:
    with _scratch() as folder:
        commit = _fill(scenario, base, folder)
        if scenario.setup is not None:
            _set_up(scenario, folder, sandbox())
        _squash(folder)
        kept = pack_tree(folder, archive)
    if kept.left_out:
        how = "they are over a cap, can't be read, or are neither file, folder nor link"
        raise InputError(f"{kept.left_out} files of the workspace can't be handed out: {how}")
    return commit


def _freeze(scenario: Scenario, commit: str | None, target: str) -> None:
    """What is recorded is what the agent will get, after all that an archive does not keep."""
    with _scratch() as folder:
        unpack_tree(f"{target}/{WORKSPACE}", folder)
        baseline = folder_baseline(folder)
        manifest = store_baseline(baseline, f"{target}/{BASELINE}")
    write_text(f"{target}/instruction.md", f"{scenario.user_instruction or ''}\n")
    record = {
        "scenario": json.loads(canonical(scenario)),
        "scenario_sha256": scenario_hash(scenario),
        "baseline_sha256": manifest,
        "workspace_sha256": file_checksum(f"{target}/{WORKSPACE}"),
        "nested_repositories": list(baseline.nested),
        "commit": commit,
        "seeded_at": datetime.now(UTC).isoformat(),
        "engine": VERSION,
    }
    # Last, so that a folder without it is known to be half a task.
    write_record(target, record)


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
        local = seed.repository if is_address(seed.repository) else os.path.join(base, seed.repository)
        return export_commit(local, seed.commit, folder)
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
    """One commit: no history to read the solution from, no remote, no reflog.

    Repositories of the setup's own, further down, stay what they are, outside of the commit.
    """
    clear_the_way(f"{folder}/.git")
    git(["init", "-q", "--template=", "-b", "main", folder])
    nested = [f":(exclude,literal){path}" for path in walk_workspace(folder).nested]
    git(["-C", folder, *_PLAIN, "add", "-A", "--", ".", *nested])
    git(
        ["-C", folder, *_WHO, *_PLAIN, "commit", "-q", "--allow-empty", "--no-verify", "-m", "Baseline"], env=_WHEN
    )
    remove_tree(f"{folder}/.git/logs")
