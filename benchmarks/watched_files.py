"""What it costs to watch which files a command opens: against the same command, unwatched."""

import functools
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.adapters.sandbox import AUTO
from assay.adapters.sandbox.backends import choose
from assay.adapters.workspace.commands import run_in_folder
from assay.adapters.workspace.opened_files import watching
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, sized, wall

FOLDERS, IN_EACH, ROUNDS = sized(1_000, 5), 10, sized(5)
GOAL = 2.0
# A suite of tests does more with a file than to read it. This is the least that one can do.
READ_ALL = "find . -type f -exec cat {} + > /dev/null"
# And this is what reading them in one Python costs, without any test.
PYTHON = "python3 -c \"import pathlib; [p.read_bytes() for p in pathlib.Path().rglob('*.txt')]\""


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """Watching 10,000 files in 1,000 folders while a command opens all of them."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - the sandbox has another user
        _write(Path(folder))
        for name, command in (("cat", READ_ALL), ("Python", PYTHON)):
            bare, watched = (
                functools.partial(_plain, folder, command),
                functools.partial(_watched, folder, command),
            )
            yield _compared(f"{name} opens 10,000 files, watched", _cpu, bare, watched, "s of CPU")
        sandbox = choose(AUTO)
        boxed = functools.partial(run_in_folder, sandbox, folder, "/workspace", PYTHON, 120)
        backend = sandbox.isolation.backend
        yield _compared("the same in a sandbox", wall, boxed, lambda: _within(folder, boxed), f"s in {backend}")


def _compared(
    what: str,
    measure: Callable[[Callable[[], object]], float],
    bare: Callable[[], object],
    watched: Callable[[], object],
    unit: str,
) -> Result:
    one, other = _best(measure, bare, watched)
    return Result(what, other / one, f"{TIMES} unwatched", GOAL, f"{one:.2f} and {other:.2f} {unit}")


def _best(
    measure: Callable[[Callable[[], object]], float], one: Callable[[], object], other: Callable[[], object]
) -> tuple[float, float]:
    """The least of several rounds, in which both take turns."""
    rounds = [(measure(one), measure(other)) for _ in range(ROUNDS)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)


def _plain(folder: str, command: str) -> None:
    subprocess.run(["/bin/sh", "-c", command], cwd=folder, check=True)


def _watched(folder: str, command: str) -> None:
    _within(folder, lambda: _plain(folder, command))


def _within(folder: str, work: Callable[[], object]) -> None:
    with watching(folder) as watcher:
        work()
    assert len(watcher.opened().paths) == FOLDERS * IN_EACH, watcher.missed


def _cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU, with those of children that have ended."""
    start = _spent()
    work()
    return _spent() - start


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _write(root: Path) -> None:
    for number in range(FOLDERS):
        folder = root / f"part{number % 30}" / f"data{number}"
        folder.mkdir(parents=True)
        for file in range(IN_EACH):
            (folder / f"{file}.txt").write_text(f"{number} {file}\n")
