"""The files that seeding a task reads and writes, on disk, and its setup command in a sandbox."""

import contextlib
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.scratch import scratch_folder, temporary_folder
from assay.adapters.machine.tree_walk import file_checksum
from assay.adapters.machine.trees import own_tree, pack_tree, remove_tree, unpack_tree
from assay.adapters.tasks.seeded_names import BASELINE, HOME, WORKSPACE
from assay.adapters.tasks.seeded_task import load_seeded, write_record
from assay.adapters.workspace.archives import ALL, Caps, unpack_archive
from assay.adapters.workspace.baseline import FolderBaseline, folder_baseline, store_baseline
from assay.adapters.workspace.capture import Captured
from assay.adapters.workspace.command_environment import command_environment, resolve_environment
from assay.adapters.workspace.commands import Commands, run_in_folder, squash
from assay.adapters.workspace.git_export import export_commit, is_address
from assay.adapters.workspace.walk import parse_record, walk_workspace
from assay.core.errors import InputError
from assay.dialects.scorers.scenario import ArchiveSeed, Environment, GitSeed, Scenario, Seed, Setup
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.seed_task import Packed
from assay.engine.sandbox import HOME as HOME_FOLDER
from assay.engine.sandbox import Mount, Ran, Sandbox
from assay.formats.counting import counted


@dataclass(frozen=True, slots=True)
class LocalUntouched:
    """An unpacked workspace, and the folder that its baseline goes to."""

    workspace: Captured
    baseline: FolderBaseline
    target: str

    @property
    def nested(self) -> tuple[str, ...]:
        return self.baseline.nested

    def store_baseline(self) -> str:
        return store_baseline(self.baseline, self.target)


@dataclass(frozen=True, slots=True)
class LocalSeedingFiles:
    """Seeding on this machine. ``base`` is where the scenario's relative paths begin, ``caps`` limits archives."""

    base: str
    sandbox: Callable[[], Sandbox]
    caps: Caps = ALL

    @contextlib.contextmanager
    def new_task(self, target: str) -> Iterator[None]:
        if os.path.lexists(target):
            raise InputError(f"{target} already exists: a task is seeded into a new folder")
        os.makedirs(target)
        try:
            yield
        except BaseException:
            remove_tree(target)
            raise

    @contextlib.contextmanager
    def scratch(self) -> Iterator[str]:
        around = scratch_folder(0o711)
        folder = f"{around}/workspace"
        os.mkdir(folder, 0o755)
        try:
            yield folder
        finally:
            remove_tree(around)

    def fill(self, seed: Seed, folder: str) -> str | None:
        if isinstance(seed, GitSeed):
            local = seed.repository if is_address(seed.repository) else os.path.join(self.base, seed.repository)
            return export_commit(local, seed.commit, folder)
        if isinstance(seed, ArchiveSeed):
            unpack_archive(os.path.join(self.base, seed.path), folder, seed.strip, self.caps)
            if seed.strip and not os.listdir(folder):
                raise InputError(
                    f"{seed.path} has nothing left after removing {counted(seed.strip, 'leading folder')}"
                )
        return None

    def fix(self, environment: Environment) -> Environment:
        return resolve_environment(environment, self.base)

    def paths(self, folder: str) -> list[str]:
        return [parse_record(row).path for row in walk_workspace(folder).records]

    def run_setup(self, setup: Setup, scenario: Scenario, folder: str, target: str) -> Ran:
        """The home folder that the command leaves is kept in the task."""
        sandbox = self.sandbox()
        around = command_environment(scenario.environment, self.base, sandbox, HOME)
        with temporary_folder(0o711) as place:
            home = f"{place}/home"
            os.mkdir(home)
            for owned in (folder, home):
                own_tree(owned, sandbox.owner)
            shown = replace(around, mounts=(*around.mounts, Mount(home, HOME_FOLDER, writable=True)))
            command = (setup.command, setup.timeout_s, shown, setup.network)
            ran = run_in_folder(sandbox, folder, scenario.workdir, *command)
            if sandbox.owner is not None:
                own_tree(folder, (os.geteuid(), os.getegid()))
            if os.listdir(home):
                pack_tree(home, f"{target}/{HOME}")
        return ran

    def home(self, target: str) -> str | None:
        archive = f"{target}/{HOME}"
        return file_checksum(archive) if os.path.exists(archive) else None

    def squash(self, folder: str, tracked: Iterable[str]) -> None:
        squash(folder, tracked)

    def pack(self, folder: str, target: str) -> Packed:
        kept = pack_tree(folder, f"{target}/{WORKSPACE}")
        return Packed(file_checksum(f"{target}/{WORKSPACE}"), kept.left_out)

    @contextlib.contextmanager
    def unpacked(self, target: str, scenario: Scenario) -> Iterator[LocalUntouched]:
        with self.scratch() as folder:
            unpack_tree(f"{target}/{WORKSPACE}", folder)
            baseline = folder_baseline(folder)
            home = f"{target}/{HOME}" if self.home(target) is not None else None
            around = functools.cache(
                lambda: command_environment(scenario.environment, self.base, self.sandbox(), home)
            )
            clean = scenario.git == "clean"
            commands = Commands(folder, baseline, self.sandbox, scenario.workdir, around, clean_git=clean)
            workspace = Captured(folder, baseline, (), (), (), commands)
            yield LocalUntouched(workspace, baseline, f"{target}/{BASELINE}")

    def write_record(self, target: str, instruction: str, record: Mapping[str, object]) -> None:
        write_text(f"{target}/instruction.md", instruction)
        write_record(target, record)

    def load(self, target: str) -> Seeded:
        return load_seeded(target)
