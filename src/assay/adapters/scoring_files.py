"""The files that scoring a coding run reads, on disk, and the sandbox for its commands."""

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.adapters.command_environment import command_environment
from assay.adapters.scenario_file import load_scenario
from assay.adapters.scorer_worker import TimeLimit, prepare
from assay.adapters.scratch import scratch_folder
from assay.adapters.seeded_task import load_seeded
from assay.adapters.trees import remove_tree
from assay.adapters.workspace.archives import ALL, Caps, unpack_archive
from assay.adapters.workspace.baseline import folder_baseline, manifest_of
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.diff import cumulative_diff
from assay.adapters.workspace.git_export import export_commit
from assay.adapters.workspace.memory import Memory
from assay.core.grading import PlacedCheck, RunCheck
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding_task import Seeded
from assay.engine.command_environment import CommandEnvironment
from assay.engine.sandbox import Sandbox
from assay.engine.score_coding_run import Commit, Files, PathKind
from assay.evidence.baseline import KnownBaseline
from assay.evidence.coding_run import Diff
from assay.evidence.run_memory import ResultMemory
from assay.evidence.workspace import Workspace


def _ignore(_captured: Captured) -> None:
    """Nobody else wants to see what was captured."""


@dataclass(frozen=True, slots=True)
class LocalScoringFiles:
    """Scoring on this machine. ``show`` gets what was captured, before any scorer is asked.

    ``base`` is where relative paths of a scenario's environment begin, ``caps`` limits a workspace that is an
    archive, and ``runs`` remembers commands from one grading to the next.
    """

    sandbox: Callable[[], Sandbox]
    show: Callable[[Captured], None] = _ignore
    base: str = "."
    caps: Caps = ALL
    runs: ResultMemory | None = None

    def load_task(self, folder: str) -> Seeded:
        return load_seeded(folder)

    def load_scenario(self, path: str) -> Scenario:
        return load_scenario(path)

    def kind_of(self, path: str) -> PathKind | None:
        if os.path.isdir(path):
            return "folder"
        return "file" if os.path.isfile(path) else None

    @contextlib.contextmanager
    def open_baseline(self, source: Files | Commit) -> Iterator[KnownBaseline]:
        with _folder(source) as root:
            found = folder_baseline(root)
            yield KnownBaseline(found, hashlib.sha256(manifest_of(found)).hexdigest(), found.nested)

    @contextlib.contextmanager
    def capture(
        self,
        left: Files | Commit,
        before: KnownBaseline,
        scenario: Scenario,
        remember: bool,
        home: str | None = None,
    ) -> Iterator[Captured]:
        with _folder(left, self.caps) as root:
            # An unpacked archive or commit is new each time: there is nothing to remember of it.
            memory = (
                Memory(root, before.sha256) if remember and isinstance(left, Files) and not left.packed else None
            )
            around = self._environment(scenario, home)
            commands = Commands(
                root,
                before.baseline,
                self.sandbox,
                scenario.workdir,
                around,
                clean_git=scenario.git == "clean",
                memory=self.runs,
            )
            shown, without = tuple(scenario.show_ignored), scenario.environment.inside
            captured = replace(
                capture(commands, memory, before.nested, shown, without),
                instruction="\n\n".join(scenario.requests).strip() or None,
            )
            self.show(captured)
            yield captured

    def diff(self, workspace: Workspace) -> Diff:
        assert isinstance(workspace, Captured), "what was captured here is what is shown here"  # noqa: S101
        text, cut = cumulative_diff(workspace)
        return Diff(text, hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(), cut)

    def remembered(self, workspace: Workspace) -> int:
        return workspace.commands.remembered if isinstance(workspace, Captured) else 0

    def _environment(self, scenario: Scenario, home: str | None) -> Callable[[], CommandEnvironment]:
        """Made when the first command needs it, and once."""
        return functools.cache(lambda: command_environment(scenario.environment, self.base, self.sandbox(), home))

    def scorer_runner(self, checks: Sequence[PlacedCheck[Workspace]]) -> RunCheck[Workspace]:
        prepare(checks)
        return TimeLimit()

    def isolation(self) -> str:
        return self.sandbox().isolation.backend


@contextlib.contextmanager
def _folder(source: Files | Commit, caps: Caps = ALL) -> Iterator[str]:
    """A folder with the files of a source, wherever they come from."""
    if isinstance(source, Files) and not source.packed:
        yield source.path
        return
    root = scratch_folder(0o700)
    try:
        if isinstance(source, Files):
            unpack_archive(source.path, root, caps=caps)
        else:
            export_commit(source.repository, source.name, root)
        yield root
    finally:
        remove_tree(root)
