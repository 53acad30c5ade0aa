"""Write the files of a commit without a checkout, so that no filter, attribute or hook can change them."""

import os
import posixpath
import subprocess
from collections.abc import Mapping
from typing import IO, NamedTuple

from assay.adapters.machine.scratch import temporary_folder
from assay.core.errors import InputError, MeasurementError

# Objects are taken as they are: none is replaced, and a missing one is not fetched, since fetching
# starts programs that a repository's own configuration names.
GIT_ENV = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}
# For a clone of an address that the user names.
FETCHING = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}


def git(arguments: list[str], stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """The output of git. Raises ``MeasurementError`` if git fails."""
    try:
        ran = subprocess.run(
            ["git", *arguments],  # noqa: S607 - looked for on a PATH of our own
            input=stdin,
            env={**GIT_ENV, **(env or {})},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise MeasurementError(f"git can't be started: {error.strerror}") from error
    if ran.returncode:
        lines = ran.stderr.decode(errors="replace").strip().splitlines()
        raise MeasurementError(f"git failed: {lines[-1] if lines else ran.returncode}")
    return ran.stdout


_LINK, _PROGRAM, _SUBMODULE = "120000", "100755", "160000"


class _Blob(NamedTuple):
    mode: str
    name: str
    path: str


def is_address(repository: str) -> bool:
    """True if it names a repository elsewhere, as an address or as ``host:path``, rather than a folder."""
    before = repository.partition(":")[0]
    return "://" in repository or (before != repository and "/" not in before and not os.path.exists(repository))


def export_commit(repository: str, commit: str, target: str) -> str:
    """Write the files of a commit into a folder. Returns the commit's full name. Raises ``InputError``."""
    if is_address(repository):
        return _export_remote(repository, commit, target)
    if not os.path.isdir(repository):
        raise InputError(f"{repository} must be a git repository, got nothing like it")
    return _export(repository, commit, target, repository)


def _export_remote(address: str, commit: str, target: str) -> str:
    try:
        with temporary_folder(0o700) as folder:
            git(["clone", "-q", "--bare", "--template=", "--", address, f"{folder}/repository"], env=FETCHING)
            return _export(f"{folder}/repository", commit, target, address)
    except MeasurementError as error:
        raise InputError(f"{address} can't be cloned: {error}") from error


def _export(repository: str, commit: str, target: str, called: str) -> str:
    env = _env(repository)
    start = _start(repository)
    try:
        git([*start, "rev-parse", "--git-dir"], env=env)
    except MeasurementError as error:
        raise InputError(f"{called} must be a git repository, got nothing like it") from error
    try:
        found = git([*start, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}"], env=env)
        name = found.decode().strip()
        rows = git([*start, "ls-tree", "-r", "-z", "--full-tree", name], env=env).split(b"\0")[:-1]
    except MeasurementError as error:
        raise InputError(f"{called} has no commit {commit!r}: {error}") from error
    try:
        _write_files(repository, [_parse_row(row) for row in rows], target)
    except (OSError, ValueError) as error:
        raise InputError(f"commit {name} of {called} can't be written: {error}") from error
    return name


def _start(repository: str) -> list[str]:
    return ["-c", "safe.directory=*", "-C", repository]


def _env(repository: str) -> dict[str, str]:
    """A folder that isn't a repository doesn't become one because a folder around it is."""
    return {**GIT_ENV, "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(repository))}


def _parse_row(row: bytes) -> _Blob:
    head, path = row.split(b"\t", 1)
    mode, _, name = head.decode().split(" ")
    return _Blob(mode, name, os.fsdecode(path))


def _write_files(repository: str, blobs: list[_Blob], target: str) -> None:
    # Links come last, and the deepest first: a tree that was made by hand may have a folder and a link of the same
    # name, and no file may be written through the link.
    wanted = [blob for blob in blobs if blob.mode != _SUBMODULE]
    wanted.sort(key=lambda blob: (blob.mode == _LINK, -blob.path.count("/")))
    with subprocess.Popen(
        ["git", *_start(repository), "cat-file", "--batch"],  # noqa: S607 - looked for on a PATH of our own
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_env(repository),
    ) as process:
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        for blob in wanted:
            process.stdin.write(f"{blob.name}\n".encode())
            process.stdin.flush()
            _write(f"{target}/{_inside(blob.path)}", blob.mode, _content(process.stdout, blob))


def _content(stdout: IO[bytes], blob: _Blob) -> bytes:
    head = stdout.readline().split()
    if head[1:2] != [b"blob"]:
        raise InputError(f"the repository lacks the content of {blob.path!r}")
    data = stdout.read(int(head[2]))
    stdout.read(1)
    return data


def _inside(path: str) -> str:
    """A tree may hold any name, ``..`` and ``.git`` included; such a file is not written."""
    parts = path.split("/")
    if posixpath.isabs(path) or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise InputError(f"the paths of a commit must stay in its folder and out of .git, got {path!r}")
    return path


def _write(path: str, mode: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if mode == _LINK:
        os.symlink(os.fsdecode(data), path)
        return
    with open(path, "xb") as file:
        file.write(data)
    os.chmod(path, 0o755 if mode == _PROGRAM else 0o644)
