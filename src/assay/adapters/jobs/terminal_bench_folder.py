"""Folders of terminal-bench results.

A run folder has a results.json with a list of runs, a run_metadata.json, or only the folders of its runs
(``<task>/<run>/results.json``). It may be in another run folder. Some submissions have no folders, but files
named ``<something>_results.json``.
"""

import os
from collections.abc import Iterator
from itertools import islice

from assay.adapters.jobs.results_folder import JOB_FILES, METADATA
from assay.adapters.machine.safe_read import names_in, read_below
from assay.dialects.harbor.terminal_bench import is_list_of_runs, is_run
from assay.engine.report.terminal_bench import ResultsFolder
from assay.evidence.files import Absent, Content, File

RESULTS = "results.json"
FLAT = "_results.json"
LIMIT = 256 * 1024 * 1024
# How far below the given folder run folders are looked for.
_DEPTH = 3
# How many folders must not be a run until a folder counts as none of runs.
_LOOKED_AT = 10


def find_run_folders(path: str | os.PathLike[str]) -> list[ResultsFolder]:
    """The run folder at ``path``, and those in it; empty if there are no terminal-bench results."""
    root = os.fspath(path)
    own = os.path.basename(os.path.abspath(root))
    if _is_run_folder(root):
        return [_run_folder(root, own), *_inside(root, f"{own}/", _DEPTH, of_run=True)]
    return [*_inside(root, "", _DEPTH), *_flat(root)]


def _inside(root: str, prefix: str, depth: int, *, of_run: bool = False) -> Iterator[ResultsFolder]:
    """The run folders in a folder. All other folders of a run folder are tasks, which aren't looked into."""
    for name in _folders(root) if depth else ():
        folder = f"{root}/{name}"
        if _is_run_folder(folder):
            yield _run_folder(folder, f"{prefix}{name}")
            yield from _inside(folder, f"{prefix}{name}/", depth - 1, of_run=True)
        # In a folder with files of harbor, no run folder is looked for.
        elif not of_run and not any(os.path.lexists(f"{folder}/{one}") for one in JOB_FILES):
            yield from _inside(folder, f"{prefix}{name}/", depth - 1)


def _is_run_folder(root: str) -> bool:
    if os.path.isfile(f"{root}/{METADATA}"):
        return True
    results = read_below(root, (RESULTS,), LIMIT)
    if isinstance(results, Content):
        return is_list_of_runs(results.data)
    some = islice((file for task in _folders(root) for _, file in _runs(root, task)), _LOOKED_AT)
    return isinstance(results, Absent) and any(map(_is_run, some))


def _run_folder(root: str, name: str) -> ResultsFolder:
    tasks = [task for task in _folders(root) if not _is_run_folder(f"{root}/{task}")]
    return ResultsFolder(
        name=name,
        results=read_below(root, (RESULTS,), LIMIT),
        metadata=read_below(root, (METADATA,), LIMIT),
        runs=[run for task in tasks for run in _runs(root, task)],
    )


def _runs(root: str, task: str) -> Iterator[tuple[str, File]]:
    for run in _folders(f"{root}/{task}"):
        yield run, read_below(root, (task, run, RESULTS), LIMIT)


def _flat(root: str) -> Iterator[ResultsFolder]:
    """Files that are the results.json of a run folder, or of one run, under a name of their own."""
    for name in names_in(root, FLAT):
        file = read_below(root, (name,), LIMIT)
        metadata = Absent(f"{root}/{METADATA}")
        if isinstance(file, Content) and is_list_of_runs(file.data):
            yield ResultsFolder(name.removesuffix(FLAT), file, metadata, [])
        elif _is_run(file):
            yield ResultsFolder(name.removesuffix(FLAT), Absent(f"{root}/{RESULTS}"), metadata, [(name, file)])


def _is_run(file: File) -> bool:
    return isinstance(file, Content) and is_run(file.data)


def _folders(root: str) -> list[str]:
    return [name for name in names_in(root) if not name.startswith(".")]
