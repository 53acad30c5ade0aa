"""A test kit for backends: does a backend keep what the interface promises? Each promise is one function here."""

import contextlib
import io
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from assay.engine.backend import Backend, Session, SessionCommand, SessionEnd, SessionNeeds

_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_FOLDER: Final = "/workspace"
_LIMIT_SEC: Final = 2.0


@dataclass(frozen=True, slots=True)
class BrokenPromise:
    """A promise that a backend doesn't keep, in words, and what happened in its place."""

    promise: str
    found: str


def check_backend(backend: Backend, image: str | None = None) -> list[BrokenPromise]:
    """All promises that a backend doesn't keep; none for one that can be used. Takes about a minute.

    The image needs a shell and the usual small programs.
    """
    found = []
    for promise, holds in _PROMISES.items():
        try:
            with _started(backend, image or backend.trial_image) as session:
                holds(session)
        except Exception as error:  # noqa: BLE001 - code of others
            found.append(BrokenPromise(promise, f"{type(error).__name__}: {error}"))
    return found


@contextlib.contextmanager
def _started(backend: Backend, image: str | None) -> Iterator[Session]:
    session = backend.start(SessionNeeds(image, processes=200))
    try:
        yield session
    finally:
        session.stop()
        session.stop()


def _run(session: Session, script: str, **more: Any) -> SessionEnd:
    told: dict[str, Any] = {"timeout_sec": 60.0, "output_bytes": 4096, "env": {"PATH": _PATH}} | more
    return session.exec(SessionCommand(("/bin/sh", "-c", script), "/", **told))


def _must_be(found: object, wanted: object) -> None:
    if found != wanted:
        raise ValueError(f"must be {wanted!r}, got {found!r}")


def _archive(files: dict[str, tuple[int, bytes] | str | None]) -> io.BytesIO:
    """An archive of files with modes, links and folders."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            if content is None:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            elif isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
            else:
                entry.mode, entry.size = content[0], len(content[1])
            tar.addfile(entry, io.BytesIO(content[1]) if isinstance(content, tuple) else None)
    packed.seek(0)
    return packed


def _got(session: Session) -> dict[str, tuple[int, bytes] | str | None]:
    """The contents of an archive of the folder, with modes, links and folders."""
    packed = io.BytesIO()
    session.get(_FOLDER, packed)
    packed.seek(0)
    found: dict[str, tuple[int, bytes] | str | None] = {}
    with tarfile.open(fileobj=packed) as tar:
        for entry in tar:
            file = tar.extractfile(entry) if entry.isreg() else None
            content = (entry.mode & 0o777, file.read()) if file else entry.linkname if entry.issym() else None
            found[os.path.normpath(entry.name)] = content
    found.pop(".", None)
    return found


_FILES: Final[dict[str, tuple[int, bytes] | str | None]] = {
    "run me": (0o755, b"#!/bin/sh\necho ran\n"),
    "bytes.bin": (0o644, bytes(range(256)) * 1000),
    "sub": None,
    "sub/private": (0o600, b""),
    "empty": None,
    "link": "sub/private",
    "nowhere": "/no/such/file",
    "\u00e9 \u65e5\u672c": (0o644, b"unicode"),
}


def _exit_codes(session: Session) -> None:
    _must_be([_run(session, f"exit {code}").exit_code for code in (0, 1, 77)], [0, 1, 77])


def _output(session: Session) -> None:
    ended = _run(session, "printf 'a\\377'; sleep 0.2; printf b >&2")
    _must_be((ended.output, ended.output_cut), (b"a\xffb", False))
    apart = _run(session, "echo a; echo b >&2", apart=True).apart
    _must_be([one.data for one in apart], [b"a\n", b"b\n"] if apart else [])


def _long_output(session: Session) -> None:
    lines = "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done; echo last"
    ended = _run(session, lines, output_bytes=1000)
    _must_be((len(ended.output), ended.output[-5:], ended.output_cut), (1000, b"last\n", True))


def _input(session: Session) -> None:
    _must_be(_run(session, "cat", stdin=b"one\0two").output, b"one\0two")
    _must_be(_run(session, "cat").output, b"")


def _variables(session: Session) -> None:
    given = {"PATH": _PATH, "A": "two\nlines '\" $B", "EMPTY": ""}
    _must_be(_run(session, 'printf "%s|%s|%s" "$A" "${EMPTY-unset}" "${HOSTS_OWN-unset}"', env=given).output,
             given["A"].encode() + b"||unset")  # fmt: skip


def _working_folder(session: Session) -> None:
    session.put("/work/deep", _archive({}))
    ended = session.exec(SessionCommand(("/bin/sh", "-c", "pwd"), "/work/deep", {"PATH": _PATH}, 60, 100))
    _must_be(ended.output, b"/work/deep\n")


def _arguments(session: Session) -> None:
    argv = ("/bin/sh", "-c", 'printf "%s|" "$@"', "sh", "a b", "", "$HOME", "'\"")
    _must_be(session.exec(SessionCommand(argv, "/", {"PATH": _PATH}, 60, 100)).output, b"a b||$HOME|'\"|")


def _no_such_program(session: Session) -> None:
    ended = session.exec(SessionCommand(("/no/such/program",), "/", {"PATH": _PATH}, 60, 1000))
    _must_be(ended.exit_code in (126, 127), True)


def _files_there_and_back(session: Session) -> None:
    session.put(_FOLDER, _archive(_FILES))
    _must_be(_run(session, f"'{_FOLDER}/run me'").output, b"ran\n")
    _must_be(_got(session), _FILES)


def _files_over_files(session: Session) -> None:
    session.put(_FOLDER, _archive({"a": (0o644, b"1"), "b": (0o644, b"1")}))
    session.put(_FOLDER, _archive({"b": (0o644, b"2")}))
    _must_be(_got(session), {"a": (0o644, b"1"), "b": (0o644, b"2")})


def _changes(session: Session) -> None:
    session.put(_FOLDER, _archive({"old": (0o644, b""), "kept": (0o644, b"1")}))
    _run(session, f"cd {_FOLDER} && rm old && umask 022 && echo 2 > new")
    _must_be(_got(session), {"kept": (0o644, b"1"), "new": (0o644, b"2\n")})


def _removed_folder(session: Session) -> None:
    session.put(_FOLDER, _archive({"old": (0o644, b"")}))
    _run(session, f"rm -rf {_FOLDER}")
    _must_be(_got(session), {})


def _time_limit(session: Session) -> None:
    session.put(_FOLDER, _archive({}))
    begun = time.monotonic()
    ended = _run(session, f"umask 022; echo begun > {_FOLDER}/begun; sleep 600", timeout_sec=_LIMIT_SEC)
    _must_be((ended.exit_code, time.monotonic() - begun < 30), (None, True))
    _must_be(_got(session), {"begun": (0o644, b"begun\n")})


# By what is promised. Every promise is tried in a session of its own, which is stopped twice.
_PROMISES: Final[dict[str, Callable[[Session], None]]] = {
    "a command's exit code is told": _exit_codes,
    "both streams are one output, byte by byte": _output,
    "of a long output, the end is kept": _long_output,
    "a command reads its input, or none": _input,
    "a command has the variables that it was given, as they are": _variables,
    "a command begins in its folder": _working_folder,
    "arguments arrive as they are": _arguments,
    "a program that isn't there ends with 126 or 127": _no_such_program,
    "files arrive and come back with contents, modes, links and empty folders": _files_there_and_back,
    "later files replace earlier ones": _files_over_files,
    "what a command changes comes back": _changes,
    "a folder that a command removed comes back empty": _removed_folder,
    "a command is stopped at its time limit, and its files can still be had": _time_limit,
}
