"""Commands on a copy of a workspace, in a sandbox: the command of a scorer, and the setup of a scenario."""

import contextlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.adapters.safe_read import read_below
from assay.adapters.scratch import scratch_folder
from assay.adapters.trees import copy_tree, own_tree, remove_tree, walk
from assay.adapters.workspace.baseline import MAX_READ
from assay.adapters.workspace.restoring import make_room, restore_files
from assay.core.errors import AssayError, MeasurementError
from assay.engine.sandbox import BASE_ENV, Command, Limits, Mount, Ran, Sandbox
from assay.evidence.baseline import Baseline
from assay.evidence.files import Content
from assay.evidence.workspace import CommandRun


class BrokenCommandError(AssayError):
    """A command on a workspace could not be run."""


@dataclass(frozen=True)
class Commands:
    """Runs commands on copies of one workspace. The sandbox is made when the first command needs it."""

    root: str
    baseline: Baseline
    sandbox: Callable[[], Sandbox]
    workdir: str = "/workspace"
    env: Mapping[str, str] = field(default_factory=dict)

    def run(
        self, command: str, timeout_sec: float, restore: tuple[str, ...] = (), collect: tuple[str, ...] = ()
    ) -> CommandRun:
        """Run a command. A sandbox that breaks is an error of the scorer that asked, not of all of them."""
        try:
            return self._run(command, timeout_sec, restore, collect)
        except MeasurementError as error:
            raise BrokenCommandError(str(error)) from error

    def _run(
        self, command: str, timeout_sec: float, restore: tuple[str, ...], collect: tuple[str, ...]
    ) -> CommandRun:
        sandbox = self.sandbox()
        with _copy(self.root) as copy:
            if restore:
                restore_files(copy, self.baseline, restore)
            for path in collect:
                # So that whatever is there afterwards was written by the command.
                make_room(copy, posixpath.normpath(path))
            own_tree(copy, sandbox.owner)
            ran = run_in_folder(sandbox, copy, self.workdir, command, timeout_sec, self.env)
            files = {path: _content(copy, posixpath.normpath(path)) for path in collect}
        return CommandRun(
            end=ran.end,
            output=ran.output.decode(errors="replace"),
            output_cut=ran.output_cut,
            duration_sec=(ran.finished_at - ran.started_at).total_seconds(),
            files=files,
        )


def run_in_folder(
    sandbox: Sandbox,
    folder: str,
    workdir: str,
    command: str,
    timeout_sec: float,
    env: Mapping[str, str],
    network: bool = False,
) -> Ran:
    """Run a shell command on a folder that belongs to the sandbox's user."""
    return sandbox.run(
        Command(
            argv=("/bin/sh", "-c", command),
            workdir=workdir,
            limits=Limits(timeout_sec=timeout_sec),
            mounts=(Mount(folder, workdir, writable=True),),
            env={**BASE_ENV, **env},
            network=network,
        )
    )


@contextlib.contextmanager
def _copy(root: str) -> Iterator[str]:
    """A complete copy. If it left something out, an agent could choose what the command sees."""
    around = scratch_folder(0o711)
    try:
        kept = copy_tree(root, f"{around}/workspace", links=True)
        if kept.left_out > _specials(root):
            raise MeasurementError("the workspace is too large to copy, or a part of it can't be read")
        yield f"{around}/workspace"
    finally:
        remove_tree(around)


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
