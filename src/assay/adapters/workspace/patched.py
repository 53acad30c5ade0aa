"""A baseline with a patch applied: what an agent left, where it left only a diff."""

import contextlib
import os
import sys
from collections.abc import Iterator

from assay.adapters.machine.safe_read import read_file
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.workspace.git_export import git
from assay.adapters.workspace.restoring import restore_others
from assay.core.errors import InputError, MeasurementError
from assay.evidence.files import Content
from assay.evidence.workspace import Baseline

MAX_PATCH = 64 * 2**20


class PatchError(InputError):
    """A patch doesn't fit its baseline."""


@contextlib.contextmanager
def patched_baseline(patch: str, baseline: Baseline) -> Iterator[str]:
    """A folder with the patched files, for the time of the block. Raises ``PatchError`` for one that doesn't fit.

    Git refuses paths that lead out of the folder or through a link.
    """
    data = _read(patch)
    with copied_baseline(baseline) as root:
        apply_patch(data, root, _name(patch))
        yield root


@contextlib.contextmanager
def copied_baseline(baseline: Baseline) -> Iterator[str]:
    """A folder with the files of a baseline, for the time of the block."""
    with temporary_folder(0o711) as around:
        root = f"{around}/workspace"
        os.mkdir(root)
        restore_others(root, baseline, ())
        yield root


def apply_patch(data: bytes, root: str, name: str) -> None:
    """Change the files of a folder. Raises ``PatchError`` with the name of the patch if it doesn't fit."""
    if data.strip():
        try:
            around = {"GIT_CEILING_DIRECTORIES": os.path.dirname(root)}
            git(["-C", root, "apply", "--whitespace=nowarn", "-"], data, around)
        except MeasurementError as error:
            raise PatchError(f"{name} must be a patch of the baseline: {error}") from error


def _read(patch: str) -> bytes:
    if patch == "-":
        data = sys.stdin.buffer.read(MAX_PATCH + 1)
    else:
        found = read_file(patch, MAX_PATCH + 1)
        if not isinstance(found, Content):
            raise InputError(f"{patch} must be a patch, but it can't be read")
        data = found.data
    if len(data) > MAX_PATCH:
        raise PatchError(f"{_name(patch)} must be a patch of at most {MAX_PATCH} bytes")
    return data


def _name(patch: str) -> str:
    return "standard input" if patch == "-" else patch
