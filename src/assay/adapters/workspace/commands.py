"""Commands on a copy of a workspace, in a sandbox: the command of a scorer, and the setup of a scenario."""

import contextlib
import fnmatch
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.adapters.safe_read import read_below
from assay.adapters.scratch import scratch_folder
from assay.adapters.trees import clear_the_way, copy_tree, own_tree, real_folder, remove_tree
from assay.adapters.workspace.baseline import MAX_READ, Baseline
from assay.core.errors import AssayError, MeasurementError
from assay.engine.sandbox import Command, Limits, Mount, Ran, Sandbox
from assay.engine.trial_run import BASE_ENV
from assay.evidence.files import Content
from assay.evidence.workspace import CommandRun, EntryKind

RUNNER = "@runner"
# Files that steer test runners wherever they lie, and modules that would stand in for them.
_RUNNER_FILES = (
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "pytest.py",
    "_pytest.py",
    "unittest.py",
    "nose.py",
    "jest.config.*",
    "vitest.config.*",
    "vitest.workspace.*",
    "karma.conf.*",
    ".mocharc*",
    ".rspec",
    "spec_helper.rb",
    "rails_helper.rb",
    ".npmrc",
    ".env",
    "go.work",
    "*.runsettings",
    "Directory.Build.props",
    "Directory.Build.targets",
)
_RUNNER_FOLDERS = ("pytest", "_pytest", "unittest", ".cargo", ".mvn", "node_modules/.bin")


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
        """The command's end. A sandbox that breaks is an error of the scorer that asked, not of all of them."""
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
                _restore(copy, self.baseline, restore)
            for path in collect:
                # Whatever is there afterwards was written by the command.
                _clear_the_way(copy, path)
            own_tree(copy, sandbox.owner)
            ran = run_in_folder(sandbox, copy, self.workdir, command, timeout_sec, self.env)
            files = {path: _content(copy, path) for path in collect}
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
    """Run a shell command on a folder that is the sandbox's user's."""
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
    around = scratch_folder(0o711)
    try:
        copy_tree(root, f"{around}/workspace", links=True)
        yield f"{around}/workspace"
    finally:
        remove_tree(around)


def _restore(copy: str, baseline: Baseline, patterns: tuple[str, ...]) -> None:
    """Put what matches back as it was: what was added goes, what was changed or deleted comes back."""
    for path in list(_files(copy)):
        if _matches(path, patterns) and baseline.entry(path) is None:
            clear_the_way(f"{copy}/{path}")
    for path in baseline.paths():
        if _matches(path, patterns):
            _put_back(copy, baseline, path)


def _clear_the_way(copy: str, path: str) -> None:
    """Make room for a file, in a folder that is one: a link on the way would lead elsewhere."""
    if os.path.dirname(path):
        real_folder(copy, os.path.dirname(path))
    clear_the_way(f"{copy}/{path}")


def _put_back(copy: str, baseline: Baseline, path: str) -> None:
    entry, data = baseline.entry(path), baseline.read(path)
    if entry is None or data is None:
        return
    _clear_the_way(copy, path)
    if entry.kind is EntryKind.LINK:
        os.symlink(os.fsdecode(data), f"{copy}/{path}")
        return
    with open(f"{copy}/{path}", "xb") as file:
        file.write(data)
    os.chmod(f"{copy}/{path}", entry.mode & 0o777)


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(steers_a_runner(path) if one == RUNNER else fnmatch.fnmatchcase(path, one) for one in patterns)


def steers_a_runner(path: str) -> bool:
    """Whether test runners read it without being told to."""
    name = path.rsplit("/", 1)[-1]
    if any(fnmatch.fnmatchcase(name, one) for one in _RUNNER_FILES):
        return True
    return any(f"/{folder}/" in f"/{path}" for folder in _RUNNER_FOLDERS)


def _files(root: str) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        here = os.path.relpath(folder, root)
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
        for name in (*files, *links):
            yield name if here == "." else f"{here}/{name}"


def _content(copy: str, path: str) -> bytes | None:
    found = read_below(copy, path.split("/"), MAX_READ)
    return found.data if isinstance(found, Content) else None
