"""Put together what a scoring needs: the checks, the baseline, and the workspace that the agent left."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.adapters.scenario_file import load_scenario, scenario_hash
from assay.adapters.scorer_worker import TimeLimit, prepare
from assay.adapters.scratch import scratch_folder
from assay.adapters.seeded_task import load_seeded
from assay.adapters.trees import remove_tree
from assay.adapters.workspace.archives import unpack_archive
from assay.adapters.workspace.baseline import folder_baseline, manifest_of
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.git_export import export_commit
from assay.adapters.workspace.memory import Memory
from assay.core.errors import InputError
from assay.core.grading import PlacedCheck
from assay.dialects.scorers.report import Provenance, RunStatus, ScorersReport
from assay.engine.sandbox import Sandbox
from assay.engine.score import COMMAND, score_run
from assay.engine.scorer_checks import placed_checks
from assay.evidence.workspace import Workspace
from assay.version import VERSION


@dataclass(frozen=True, slots=True)
class Scoring:
    """One run, ready to be scored."""

    checks: list[PlacedCheck[Workspace]]
    workspace: Captured | None
    provenance: Provenance

    def report(self, status: RunStatus) -> ScorersReport:
        """Ask the scorers. Where one runs a command, the sandbox is looked for before anything else."""
        provenance = self.provenance
        if self.workspace is not None and any(one.check.kind == COMMAND for one in self.checks):
            isolation = self.workspace.commands.sandbox().isolation.backend
            provenance = provenance.model_copy(update={"isolation": isolation})
        return score_run(self.checks, self.workspace, provenance, status, TimeLimit())


@contextlib.contextmanager
def from_task(task: str, workspace: str | None, sandbox: Callable[[], Sandbox]) -> Iterator[Scoring]:
    """By the scorers and the baseline that were frozen when the task was seeded."""
    seeded = load_seeded(task)
    checks = placed_checks(seeded.scenario, f"{task}/task.json")
    provenance = Provenance(
        engine=VERSION, scenario_sha256=seeded.scenario_sha256, baseline_sha256=seeded.baseline_sha256
    )
    if workspace is None:
        yield Scoring(checks, None, provenance)
        return
    prepare(checks)
    with _folder(workspace) as root:
        commands = Commands(root, seeded.baseline, sandbox, seeded.scenario.workdir)
        memory = Memory(root, seeded.baseline_sha256) if root == workspace else None
        yield Scoring(checks, capture(commands, memory, seeded.nested), provenance)


@contextlib.contextmanager
def from_scenario(
    scenario: str, baseline: str | None, workspace: str | None, sandbox: Callable[[], Sandbox]
) -> Iterator[Scoring]:
    """By a scenario as it is now, against any baseline."""
    loaded = load_scenario(scenario)
    checks = placed_checks(loaded, scenario)
    provenance = Provenance(engine=VERSION, scenario_sha256=scenario_hash(loaded))
    if workspace is None or baseline is None:
        yield Scoring(checks, None, provenance)
        return
    prepare(checks)
    with _baseline(baseline) as before, _folder(workspace) as root:
        known = folder_baseline(before)
        provenance = provenance.model_copy(
            update={"baseline_sha256": hashlib.sha256(manifest_of(known)).hexdigest()}
        )
        yield Scoring(
            checks, capture(Commands(root, known, sandbox, loaded.workdir), None, known.nested), provenance
        )


@contextlib.contextmanager
def _baseline(where: str) -> Iterator[str]:
    """A folder with the baseline, wherever it comes from."""
    if os.path.isdir(where):
        yield where
    elif os.path.isfile(where):
        with _folder(where) as root:
            yield root
    elif "@" in where:
        repository, commit = _at_commit(where)
        with _scratch() as root:
            export_commit(repository, commit, root)
            yield root
    else:
        raise InputError(f"there is no baseline {where}: it is a folder, an archive, or REPOSITORY@COMMIT")


def _at_commit(where: str) -> tuple[str, str]:
    """The repository and the commit. Both may have an ``@`` in their names; a folder that is there decides."""
    parts = where.split("@")
    splits = [("@".join(parts[:at]), "@".join(parts[at:])) for at in range(len(parts) - 1, 0, -1)]
    return next((split for split in splits if os.path.isdir(split[0])), splits[0])


@contextlib.contextmanager
def _folder(where: str) -> Iterator[str]:
    """A folder, or what is in an archive."""
    if os.path.isdir(where):
        yield where
        return
    with _scratch() as root:
        unpack_archive(where, root)
        yield root


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    root = scratch_folder(0o700)
    try:
        yield root
    finally:
        remove_tree(root)
