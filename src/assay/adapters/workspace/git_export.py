"""The files of a commit, written by us: no checkout, so no filter, attribute or hook has a say in what they
hold.
"""

import os
import posixpath
import subprocess

from assay.adapters.scratch import scratch_folder
from assay.adapters.trees import remove_tree
from assay.adapters.workspace.diff import GIT_ENV, git
from assay.core.errors import InputError, MeasurementError

_LINK, _PROGRAM, _SUBMODULE = "120000", "100755", "160000"


def export_commit(repository: str, commit: str, target: str) -> str:
    """Write the files of a commit into a folder. Returns the commit's full name. Raises ``InputError``."""
    if "://" in repository or (":" in repository and not os.path.exists(repository)):
        return _export_remote(repository, commit, target)
    if not os.path.isdir(repository):
        raise InputError(f"there is no git repository {repository}")
    try:
        name = (
            _git(repository, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").decode().strip()
        )
        rows = _git(repository, "ls-tree", "-r", "-z", "--full-tree", name).split(b"\0")[:-1]
    except MeasurementError as error:
        raise InputError(f"{repository} has no commit {commit!r}: {error}") from error
    _write_files(repository, [_parsed(row) for row in rows], target)
    return name


def _export_remote(address: str, commit: str, target: str) -> str:
    folder = scratch_folder(0o700)
    try:
        git(["clone", "-q", "--bare", "--template=", "--", address, f"{folder}/repository"])
        return export_commit(f"{folder}/repository", commit, target)
    except MeasurementError as error:
        raise InputError(f"{address} can't be cloned: {error}") from error
    finally:
        remove_tree(folder)


def _git(repository: str, *arguments: str) -> bytes:
    return git(["-c", "safe.directory=*", "-C", repository, *arguments])


def _parsed(row: bytes) -> tuple[str, str, str]:
    """Mode, object and path of a line of ``ls-tree``."""
    head, path = row.split(b"\t", 1)
    mode, _, name = head.decode().split(" ")
    return mode, name, os.fsdecode(path)


def _write_files(repository: str, rows: list[tuple[str, str, str]], target: str) -> None:
    wanted = [row for row in rows if row[0] != _SUBMODULE]
    with subprocess.Popen(
        ["git", "-c", "safe.directory=*", "-C", repository, "cat-file", "--batch"],  # noqa: S607
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=GIT_ENV,
    ) as process:
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        for mode, name, path in wanted:
            process.stdin.write(f"{name}\n".encode())
            process.stdin.flush()
            size = int(process.stdout.readline().split()[2])
            data = process.stdout.read(size)
            process.stdout.read(1)
            _write(f"{target}/{_inside(path)}", mode, data)


def _inside(path: str) -> str:
    """A tree may hold any name, ``..`` and ``.git`` included; such a file is not written."""
    parts = path.split("/")
    if posixpath.isabs(path) or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise InputError(f"the commit holds a file that can't be written: {path!r}")
    return path


def _write(path: str, mode: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if mode == _LINK:
        os.symlink(os.fsdecode(data), path)
        return
    with open(path, "xb") as file:
        file.write(data)
    os.chmod(path, 0o755 if mode == _PROGRAM else 0o644)
