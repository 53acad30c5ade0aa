"""Commands on a copy of a workspace, in a sandbox: the command of a scorer, and the setup of a scenario."""

import contextlib
import functools
import os
import posixpath
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.adapters.machine.safe_read import read_below
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.tree_walk import walk
from assay.adapters.machine.trees import clear_the_way, copy_tree, own_tree, remove_tree, unpack_tree
from assay.adapters.workspace.baseline import MAX_READ
from assay.adapters.workspace.git_export import git
from assay.adapters.workspace.memory import baseline_content, content_of, hashed, key_of, surroundings
from assay.adapters.workspace.opened_files import watching
from assay.adapters.workspace.restoring import make_room, put_on_top, restore_files, restore_others
from assay.adapters.workspace.walk import walk_workspace
from assay.core.errors import AssayError, MeasurementError
from assay.engine.sandbox import (
    HOME,
    NO_ENVIRONMENT,
    CommandEnvironment,
    CommandLimits,
    LinkedFolder,
    Mount,
    Ran,
    Sandbox,
    SandboxCommand,
)
from assay.evidence.files import Content
from assay.evidence.workspace import AS_LEFT, Baseline, CommandResult, ResultMemory, Side, Tree

_WHO = ("-c", "user.name=Assay", "-c", "user.email=assay@localhost", "-c", "commit.gpgSign=false")
_WHEN = {"GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z"}
_PLAIN = ("-c", "core.autocrlf=false", "-c", "core.logAllRefUpdates=false", "-c", "gc.auto=0")
# The files were written as they are in the repository. An agent whose git converts them would change a file by
# putting it back.
_AS_THEY_ARE = "* -text !filter !ident !working-tree-encoding\n"


class BrokenCommandError(AssayError):
    """A command on a workspace could not be run."""


_WATCHED = "\0watched"
"""Marks a run whose opened files are remembered, too."""


@dataclass(frozen=True)
class Commands:
    """Runs commands on copies of one workspace. The sandbox is made when the first command needs it."""

    root: str
    baseline: Baseline
    sandbox: Callable[[], Sandbox]
    workdir: str = "/workspace"
    environment: Callable[[], CommandEnvironment] = lambda: NO_ENVIRONMENT
    hidden: frozenset[str] = frozenset()
    """Paths that commands don't see."""
    clean_git: bool = False
    """Whether commands see a repository with one commit of what is there. They never see the agent's ``.git``."""
    memory: ResultMemory | None = None
    """What was run before on the same content."""
    _repeated: dict[str, int] = field(init=False, compare=False, default_factory=dict)
    _shared: dict[str, CommandResult] = field(init=False, compare=False, default_factory=dict)
    """Runs that several scorers of one grading share."""
    _remembered: list[str] = field(init=False, compare=False, default_factory=list)

    def run(
        self,
        command: str,
        timeout_sec: float,
        tree: Tree = AS_LEFT,
        collect: tuple[str, ...] = (),
        remember: bool = False,
        watch: bool = False,
        once: bool = False,
    ) -> CommandResult:
        """Run a command. A sandbox that breaks is an error of the scorer that asked, not of all of them."""
        if not once:
            return self._run_anew(command, timeout_sec, tree, collect, remember, watch)
        asked = key_of("", command, tree, (*collect, *([_WATCHED] if watch else [])), 0)
        if asked not in self._shared:
            self._shared[asked] = self._run_anew(command, timeout_sec, tree, collect, remember, watch)
        return self._shared[asked]

    def _run_anew(
        self, command: str, timeout_sec: float, tree: Tree, collect: tuple[str, ...], remember: bool, watch: bool
    ) -> CommandResult:
        begin = time.monotonic()
        try:
            key = self._key(command, tree, (*collect, _WATCHED) if watch else collect) if remember else ""
            known = self.memory.recall(key) if self.memory is not None and key else None
            if known is not None and known.duration_sec <= timeout_sec:
                self._remembered.append(key)
                return replace(known, kept_as=key, remembered=True)
            with self._make_tree(tree) as folder:
                ran = self._run_on(folder, command, timeout_sec, collect, watch=watch)
        except MeasurementError as error:
            raise BrokenCommandError(str(error)) from error
        ran = replace(ran, spent_sec=time.monotonic() - begin)
        kept = self.memory is not None and bool(key) and self.memory.keep(key, ran)
        return replace(ran, kept_as=key) if kept else ran

    @property
    def remembered(self) -> int:
        """How many commands an earlier grading had run."""
        return len(self._remembered)

    def word(self, of: str) -> str | None:
        """A secret word that is the same whenever the same content is graded; None without a memory."""
        if self.memory is None or self._around is None:
            return None
        return self.memory.word(f"{of}\0{self._around}")

    def _key(self, command: str, tree: Tree, collect: tuple[str, ...]) -> str:
        """The name of a run in the memory, another one each time that it is repeated; empty if there is none."""
        if self.memory is None or self._around is None:
            return ""
        asked = key_of(self._around, command, tree, collect, 0)
        self._repeated[asked] = number = self._repeated.get(asked, -1) + 1
        return key_of(self._around, command, tree, collect, number)

    @functools.cached_property
    def _around(self) -> str | None:
        """The hash of everything but the question itself; None if a part of it isn't known."""
        environment = self.environment()
        seen = surroundings(environment, self.sandbox())
        left = content_of(self.root, [".git", *self.hidden, *self._covered_paths()])
        if seen is None or left is None:
            return None
        return hashed(seen, left, baseline_content(self.baseline), self.workdir, self.clean_git)

    @contextlib.contextmanager
    def _make_tree(self, tree: Tree) -> Iterator[str]:
        """A folder with the files of a tree."""
        with self._start(tree) as folder:
            if tree.side is Side.BASELINE:
                restore_others(folder, self.baseline, tree.swapped)
            elif tree.swapped:
                restore_files(folder, self.baseline, tree.swapped)
            put_on_top(folder, tree.without, tree.files)
            yield folder

    @contextlib.contextmanager
    def _start(self, tree: Tree) -> Iterator[str]:
        """The folder to make a tree from, without the agent's files if none are wanted."""
        if tree.side is Side.AGENT or tree.swapped:
            with _copy(self.root, [".git", *self.hidden, *self._covered_paths()]) as copy:
                yield copy
            return
        with temporary_folder(0o711) as around:
            os.mkdir(f"{around}/workspace")
            yield f"{around}/workspace"

    def _run_on(
        self, copy: str, command: str, timeout_sec: float, collect: tuple[str, ...], *, watch: bool
    ) -> CommandResult:
        sandbox = self.sandbox()
        for path in self._covered_paths():
            make_room(copy, path)
            os.mkdir(f"{copy}/{path}")
        for folder in self.environment().linked:
            link_folder(copy, folder)
        for path, source in self.environment().placed:
            make_room(copy, path)
            shutil.copyfile(source, f"{copy}/{path}")
        for path in collect:
            # So that whatever is there afterwards was written by the command.
            make_room(copy, posixpath.normpath(path))
        if self.clean_git:
            squash(copy, self.baseline.paths())
        own_tree(copy, sandbox.owner)
        watched = watching(copy) if watch else contextlib.nullcontext()
        with fresh_home(self.environment(), sandbox) as around, watched as watcher:
            ran = run_in_folder(sandbox, copy, self.workdir, command, timeout_sec, around)
        return CommandResult(
            end=ran.end,
            output=ran.output.decode(errors="replace"),
            output_cut=ran.output_cut,
            duration_sec=(ran.finished_at - ran.started_at).total_seconds(),
            files={path: _content(copy, posixpath.normpath(path)) for path in collect},
            opened=None if watcher is None else watcher.opened(),
            cpu_sec=ran.cpu_sec,
        )

    def _covered_paths(self) -> list[str]:
        """Paths of the workspace that folders of the environment cover: nobody sees what else is there."""
        start = f"{self.workdir.rstrip('/')}/"
        around = self.environment()
        inside = (mount.target for mount in around.mounts if mount.target.startswith(start))
        return [*(target.removeprefix(start) for target in inside), *(folder.path for folder in around.linked)]


def run_in_folder(
    sandbox: Sandbox,
    folder: str,
    workdir: str,
    command: str,
    timeout_sec: float,
    around: CommandEnvironment = NO_ENVIRONMENT,
    network: bool = False,
) -> Ran:
    """Run a shell command on a folder that belongs to the sandbox's user."""
    return sandbox.run(
        SandboxCommand(
            argv=("/bin/sh", "-c", command),
            workdir=workdir,
            limits=CommandLimits(timeout_sec=timeout_sec),
            mounts=(Mount(folder, workdir, writable=True), *around.mounts),
            env=around.variables(),
            network=network,
            image=around.image,
        )
    )


@contextlib.contextmanager
def fresh_home(around: CommandEnvironment, sandbox: Sandbox) -> Iterator[CommandEnvironment]:
    """The environment with the home folder that setup left, unpacked for one command."""
    if around.home is None:
        yield around
        return
    with temporary_folder(0o711) as folder:
        os.mkdir(f"{folder}/home")
        unpack_tree(around.home, f"{folder}/home")
        own_tree(f"{folder}/home", sandbox.owner)
        yield replace(around, mounts=(*around.mounts, Mount(f"{folder}/home", HOME, writable=True)))


@contextlib.contextmanager
def _copy(root: str, without: Sequence[str] = ()) -> Iterator[str]:
    """A complete copy. If it left something out, an agent could choose what the command sees."""
    with temporary_folder(0o711) as around:
        covered = frozenset(f"{root}/{path}" for path in without)
        kept = copy_tree(root, f"{around}/workspace", without=covered, links=True)
        if kept.left_out > _specials(root):
            raise MeasurementError("the workspace is too large to copy, or a part of it can't be read")
        yield f"{around}/workspace"


def _specials(root: str) -> int:
    """The number of sockets, pipes and devices, which a copy may leave out. Every folder must be readable."""
    specials = 0
    for path, found in walk(root):
        if stat.S_ISDIR(found.st_mode):
            if not os.access(f"{root}/{path}", os.R_OK | os.X_OK, effective_ids=True):
                raise MeasurementError(f"the folder {path} of the workspace can't be read")
        elif not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
            specials += 1
    return specials


def _content(copy: str, path: str) -> bytes | None:
    found = read_below(copy, path.split("/"), MAX_READ)
    return found.data if isinstance(found, Content) else None


def squash(folder: str, tracked: Iterable[str] = ()) -> None:
    """Commit a workspace. ``tracked`` has paths that belong to the commit though an ignore file names them.

    Repositories of the setup's own, further down, stay what they are, outside of the commit.
    """
    clear_the_way(f"{folder}/.git")
    git(["init", "-q", "--template=", "-b", "main", folder])
    _take_files_as_they_are(folder)
    nested = [f":(exclude,literal){path}" for path in walk_workspace(folder).nested]
    git(["-C", folder, *_PLAIN, "add", "-A", "--", ".", *nested])
    _add_ignored(folder, tracked)
    git(
        ["-C", folder, *_WHO, *_PLAIN, "commit", "-q", "--allow-empty", "--no-verify", "-m", "Baseline"], env=_WHEN
    )
    remove_tree(f"{folder}/.git/logs")
    _forget_times(folder)


def _take_files_as_they_are(folder: str) -> None:
    os.makedirs(f"{folder}/.git/info", exist_ok=True)
    with open(f"{folder}/.git/info/attributes", "w", encoding="ascii") as file:
        file.write(_AS_THEY_ARE)


def _forget_times(folder: str) -> None:
    """An index knows when and where each file was written. Equal workspaces have equal ones without that."""
    os.unlink(f"{folder}/.git/index")
    git(["-C", folder, *_PLAIN, "read-tree", "HEAD"])


def _add_ignored(folder: str, paths: Iterable[str]) -> None:
    there = [os.fsencode(path) for path in paths if os.path.lexists(f"{folder}/{path}")]
    if there:
        literal = ["-C", folder, "--literal-pathspecs", *_PLAIN]
        git([*literal, "add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"], b"\0".join(there))


def link_folder(workspace: str, folder: LinkedFolder) -> None:
    """Make the folder, in the place of whatever is there."""
    make_room(workspace, folder.path)
    os.mkdir(f"{workspace}/{folder.path}")
    for name in folder.names:
        os.symlink(f"{folder.target}/{name}", f"{workspace}/{folder.path}/{name}")
