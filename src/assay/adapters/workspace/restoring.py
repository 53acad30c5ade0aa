"""Put files of a copy back to their baseline state before a command runs on it."""

import fnmatch
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from assay.adapters.machine.safe_read import read_below
from assay.adapters.machine.trees import clear_the_way, real_folder
from assay.adapters.workspace.baseline import MAX_READ
from assay.core.errors import MeasurementError
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.settings.files.shared_settings import holds_settings, with_runner_settings
from assay.detectors.settings.files.steering import COMPILED, steers_a_runner
from assay.evidence.files import Content
from assay.evidence.workspace import Baseline, EntryKind
from assay.formats.path_patterns import plain_path

RUNNER, TESTS = "@runner", "@tests"


def restore_files(copy: str, baseline: Baseline, patterns: tuple[str, ...]) -> None:
    """Remove added files, bring changed and deleted ones back. Compiled files match every pattern."""
    _restore(copy, baseline, lambda path: path.endswith(COMPILED) or _matches(path, patterns))
    if RUNNER in patterns:
        _restore_settings(copy, baseline)


def restore_others(copy: str, baseline: Baseline, kept: tuple[str, ...]) -> None:
    """Put everything back but what matches a pattern. Compiled files match none."""
    _restore(copy, baseline, lambda path: path.endswith(COMPILED) or not _matches(path, kept))


def put_on_top(copy: str, without: tuple[str, ...], files: Mapping[str, bytes]) -> None:
    """Remove what matches a pattern, then write files. A file that is there keeps its mode."""
    for path in list(_files(copy)) if without else ():
        if _matches(path, without):
            clear_the_way(f"{copy}/{path}")
            _leave_no_empty_folder(copy, os.path.dirname(path))
    for path, data in files.items():
        there = f"{copy}/{plain_path(path)}"
        mode = os.lstat(there).st_mode if os.path.isfile(there) and not os.path.islink(there) else 0o644
        _write(copy, path, data, mode)


def _leave_no_empty_folder(copy: str, folder: str) -> None:
    while folder and not os.listdir(f"{copy}/{folder}"):
        os.rmdir(f"{copy}/{folder}")
        folder = os.path.dirname(folder)


def _restore(copy: str, baseline: Baseline, wanted: Callable[[str], bool]) -> None:
    for path in list(_files(copy)):
        if wanted(path) and baseline.entry(path) is None:
            clear_the_way(f"{copy}/{path}")
    for path in baseline.paths():
        if wanted(path):
            _put_back(copy, baseline, path)


def make_room(copy: str, path: str) -> None:
    """Make room for a file in a real folder: a link on the way would lead elsewhere."""
    if os.path.dirname(path):
        real_folder(copy, os.path.dirname(path))
    clear_the_way(f"{copy}/{path}")


_SETS = {RUNNER: steers_a_runner, TESTS: belongs_to_tests}


def _restore_settings(copy: str, baseline: Baseline) -> None:
    """In a shared file, only the runner's settings are put back: the rest may be the agent's honest work."""
    for path in {path for path in (*_files(copy), *baseline.paths()) if _has_settings(path)}:
        entry, found = baseline.entry(path), read_below(copy, path.split("/"), MAX_READ)
        if isinstance(found, Content) and (entry is None or entry.kind is EntryKind.FILE):
            _restore_settings_in(copy, baseline, path, found.data)
        else:
            clear_the_way(f"{copy}/{path}")
            _put_back(copy, baseline, path)


def _restore_settings_in(copy: str, baseline: Baseline, path: str, now: bytes) -> None:
    entry = baseline.entry(path)
    after = with_runner_settings(path, now, None if entry is None else baseline.read(path))
    if after is None:
        clear_the_way(f"{copy}/{path}")
    elif after != now:
        _write(copy, path, after, 0o644 if entry is None else entry.mode)


def _has_settings(path: str) -> bool:
    """Files of an installed package don't say how to test this one."""
    return holds_settings(path) and "node_modules/" not in path


def _write(copy: str, path: str, data: bytes, mode: int) -> None:
    make_room(copy, path)
    with open(f"{copy}/{path}", "xb") as file:
        file.write(data)
    os.chmod(f"{copy}/{path}", mode & 0o777)


def _put_back(copy: str, baseline: Baseline, path: str) -> None:
    entry = baseline.entry(path)
    if entry is None or entry.kind is EntryKind.OTHER:
        return
    data = baseline.read(path)
    if data is None:
        raise MeasurementError(f"{path} is too large to be put back")
    if entry.kind is EntryKind.LINK:
        make_room(copy, path)
        os.symlink(os.fsdecode(data), f"{copy}/{path}")
    else:
        _write(copy, path, data, entry.mode)


def _matches(path: str, patterns: Iterable[str]) -> bool:
    return any(_SETS[one](path) if one in _SETS else fnmatch.fnmatchcase(path, one) for one in patterns)


def _files(root: str) -> Iterator[str]:
    """Everything but folders. A link to a folder isn't one."""
    for folder, folders, files in os.walk(root):
        here = os.path.relpath(folder, root)
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
        for name in (*files, *links):
            yield name if here == "." else f"{here}/{name}"
