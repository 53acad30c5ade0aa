"""Seed a task from a scenario: the workspace is prepared, its history squashed, the baseline and scorers are
frozen.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from assay.adapters.atomic_write import write_text
from assay.adapters.checksums import file_checksum
from assay.adapters.scenario_file import canonical, scenario_hash
from assay.adapters.scratch import scratch_folder
from assay.adapters.seeded_task import BASELINE, WORKSPACE, Seeded, load_seeded, write_record
from assay.adapters.trees import own_tree, pack_tree, remove_tree, unpack_tree
from assay.adapters.workspace.archives import unpack_archive
from assay.adapters.workspace.baseline import Baseline, folder_baseline, store_baseline
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.commands import Commands, run_in_folder
from assay.adapters.workspace.git_export import export_commit, is_address
from assay.adapters.workspace.squash import squash
from assay.adapters.workspace.walk import parse_record, walk_workspace
from assay.core.errors import InputError
from assay.core.grading import grade
from assay.core.outcome import Errored, Outcome, Scored
from assay.dialects.scorers.scenario import ArchiveSeed, GitSeed, Scenario
from assay.engine.sandbox import Sandbox
from assay.engine.score import COMMAND
from assay.engine.scorer_checks import placed_checks
from assay.formats.counting import counted
from assay.version import VERSION


def seed(scenario: Scenario, base: str, target: str, sandbox: Callable[[], Sandbox]) -> Seeded:
    """Make a task in a new folder. ``base`` is where the scenario's relative paths begin."""
    if os.path.lexists(target):
        raise InputError(f"{target} is there already: a task is seeded into a new folder")
    if scenario.workspace_seed is None:
        raise InputError("the scenario has no workspace_seed: there is nothing to seed")
    os.makedirs(target)
    try:
        commit = _make_workspace(scenario, base, f"{target}/{WORKSPACE}", sandbox)
        notes = _freeze(scenario, commit, target, sandbox)
    except BaseException:
        remove_tree(target)
        raise
    return replace(load_seeded(target), notes=notes)


def _make_workspace(scenario: Scenario, base: str, archive: str, sandbox: Callable[[], Sandbox]) -> str | None:
    with _scratch() as folder:
        commit = _fill(scenario, base, folder)
        # Whatever a commit holds is tracked. An archive may also hold what was only built there.
        tracked = [] if commit is None else _paths(folder)
        if scenario.setup is not None:
            _set_up(scenario, folder, sandbox())
        squash(folder, tracked)
        kept = pack_tree(folder, archive)
    if kept.left_out:
        how = "over a cap, unreadable, or neither file, folder nor link"
        what = counted(kept.left_out, "file")
        raise InputError(f"{what} of the workspace can't be handed out: {how}")
    return commit


def _freeze(
    scenario: Scenario, commit: str | None, target: str, sandbox: Callable[[], Sandbox]
) -> tuple[str, ...]:
    """What is recorded is what the agent will get, after all that an archive does not keep. Returns notes."""
    with _scratch() as folder:
        unpack_tree(f"{target}/{WORKSPACE}", folder)
        baseline = folder_baseline(folder)
        notes = _try_scorers(scenario, baseline, Commands(folder, baseline, sandbox, scenario.workdir))
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
    return notes


def _try_scorers(scenario: Scenario, baseline: Baseline, commands: Commands) -> tuple[str, ...]:
    """Ask the scorers of a workspace that nobody touched yet, all but the commands.

    One that breaks here breaks for every agent, so it is refused. Returns what one has to say of its own setting.
    """
    untouched = Captured(commands.root, baseline, (), (), (), commands)
    checks = [one for one in placed_checks(scenario, "the scenario") if one.check.kind != COMMAND]
    answers = grade(checks, untouched)
    broken = next((one for one in answers if isinstance(one.outcome, Errored)), None)
    if broken is not None:
        name, why = broken.placement.name, broken.outcome.summary
        raise InputError(f"the scorer {name!r} breaks on the untouched workspace: {why}")
    return tuple(f"{one.placement.name}: {one.outcome.summary}" for one in answers if _noted(one.outcome))


def _noted(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and any(outcome.evidence.get(key) for key in ("absent", "notes"))


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
        if seed.strip and not os.listdir(folder):
            raise InputError(f"nothing of {seed.path} is left without {counted(seed.strip, 'leading folder')}")
    return None


def _paths(folder: str) -> list[str]:
    return [parse_record(row).path for row in walk_workspace(folder).records]


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
