"""Folders of terminal-bench results on disk."""

import os

from assay.adapters.safe_read import read_below
from assay.engine.terminal_bench import RunFolder
from assay.evidence.files import File

RESULTS = "results.json"
METADATA = "run_metadata.json"
LIMIT = 256 * 1024 * 1024


def find_run_folders(path: str | os.PathLike[str]) -> list[RunFolder]:
    """The run folder at ``path``, or those in it; empty if there are no terminal-bench results."""
    root = os.fspath(path)
    if _is_run_folder(root):
        return [_run_folder(root, os.path.basename(os.path.abspath(root)))]
    return [_run_folder(f"{root}/{name}", name) for name in _folders(root) if _is_run_folder(f"{root}/{name}")]


def _is_run_folder(root: str) -> bool:
    return os.path.isfile(f"{root}/{METADATA}")


def _run_folder(root: str, name: str) -> RunFolder:
    return RunFolder(
        name=name,
        results=read_below(root, (RESULTS,), LIMIT),
        metadata=read_below(root, (METADATA,), LIMIT),
        runs=[(run, _read(root, task, run)) for task in _folders(root) for run in _folders(f"{root}/{task}")],
    )


def _read(root: str, task: str, run: str) -> File:
    return read_below(root, (task, run, RESULTS), LIMIT)


def _folders(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
