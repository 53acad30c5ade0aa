"""The output of an agent: a folder, an archive, a diff, files by name, or an answer in words.

Never a plain text: nothing that an agent wrote may be taken for a path of this machine.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.tasks.output_bench import OutputBench, copy_left
from assay.adapters.workspace.archives import ALL, unpack_archive
from assay.adapters.workspace.patched import apply_patch, copied_baseline
from assay.adapters.workspace.restoring import make_room, put_on_top
from assay.core.errors import AssayError, InputError, MeasurementError
from assay.evidence.workspace import Baseline
from assay.formats.path_patterns import plain_path

_THE_MACHINES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE})
_PATCHES = (".diff", ".patch")


@dataclass(frozen=True, slots=True)
class Diff:
    """The agent's changes as a unified diff, as ``git diff`` writes it."""

    text: str | bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's final answer. A task with a verifier finds it at the path where it expects the output."""

    text: str


Files: TypeAlias = Mapping[str, str | bytes | None]
Output: TypeAlias = os.PathLike[str] | Files | Diff | Answer


class UnusableOutputError(AssayError):
    """The output can't be put into a workspace, which is the agent's doing."""


def usable(output: object) -> Output:
    """The output, once it is of a kind that can be graded. Raises ``InputError``: this is the caller's doing."""
    match output:
        case Diff(text=str() | bytes()) | Answer(text=str()):
            return output
        case Mapping():
            for name, content in output.items():
                if not isinstance(name, str) or not (content is None or isinstance(content, str | bytes)):
                    found = f"{type(name).__name__} and {type(content).__name__}"
                    raise InputError(f"a mapping must have names and contents (str, bytes or None), got {found}")
            return output
        case os.PathLike():
            path = Path(output)
            if not path.exists():
                raise InputError(f"the output must be a folder, an archive or a patch, but {path} doesn't exist")
            return Diff(path.read_bytes()) if path.suffix in _PATCHES else path
    must = "an output must be a Path, a mapping of names to contents, a Diff or an Answer"
    hint = "; wrap a text in Answer and a path in pathlib.Path" if isinstance(output, str) else ""
    raise InputError(f"{must}, got {type(output).__name__}{hint}")


def putting(output: Output, expected: str) -> Callable[[OutputBench], None]:
    """The way to put an output into the workspace of a task whose output is expected at a path."""

    def put(bench: OutputBench) -> None:
        with _the_agents_doing():
            if isinstance(output, Answer):
                _write(*bench.place_of(expected), output.text)
            elif isinstance(output, Diff):
                apply_patch(_bytes(output.text), bench.workdir(), "the output")
            elif isinstance(output, Mapping):
                for name, content in output.items():
                    root, path = bench.place_of(name) if name.startswith("/") else (bench.workdir(), name)
                    _write(root, path, content)
            elif os.path.isdir(output):
                copy_left(os.fspath(output), bench.empty_workdir())
            else:
                unpack_archive(os.fspath(output), bench.empty_workdir(), caps=ALL)

    return put


@contextmanager
def as_folder(output: Output, baseline: Baseline) -> Iterator[str | None]:
    """The workspace that an agent left, for the time of the block; None for an answer in words."""
    if isinstance(output, Answer):
        yield None
    elif isinstance(output, Diff | Mapping):
        with copied_baseline(baseline) as root:
            with _the_agents_doing():
                if isinstance(output, Diff):
                    apply_patch(_bytes(output.text), root, "the output")
                else:
                    for name, content in output.items():
                        _write(root, name, content)
            yield root
    elif os.path.isdir(output):
        yield os.fspath(output)
    else:
        with temporary_folder(0o700) as root:
            with _the_agents_doing():
                unpack_archive(os.fspath(output), root)
            yield root


def _write(root: str, name: str, content: str | bytes | None) -> None:
    """Write a file, or remove what is there. No link on the way is followed."""
    path = plain_path(name)
    if content is None:
        make_room(root, path)
    else:
        put_on_top(root, (), {path: _bytes(content)})


def _bytes(content: str | bytes) -> bytes:
    return content.encode(errors="surrogatepass") if isinstance(content, str) else content


@contextmanager
def _the_agents_doing() -> Iterator[None]:
    """An error here is the output's fault, unless the machine is out of something."""
    try:
        yield
    except OSError as error:
        if error.errno in _THE_MACHINES:
            raise MeasurementError(f"the output can't be written: {error.strerror}") from error
        raise UnusableOutputError(f"the output can't be written: {error.strerror}") from error
    except (InputError, ValueError) as error:
        raise UnusableOutputError(str(error)) from error
