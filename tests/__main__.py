"""Run the tests, a few folders at a time: ``python -m tests [--only FOLDER,…] [arguments of pytest]``.

Each folder runs in a pytest of its own, two more at a time than there are processors, since many tests wait, and
a server of a folder is started once. Those of the pure layers, which need none, share one pytest, and the files of
a few large folders are dealt out to several. Tests that watch the whole machine (``ONE_AT_A_TIME``) run one after
the other in two lanes beside the rest. A few tests that fail while everything runs side by side are run once more,
alone; those that pass then are named.
"""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.container_engine import provide_engine, remove_engine
from tests.purity import PURE

HERE = Path(__file__).parent
# Tests of these folders share what is imported. Those of checks start processes and take long.
TOGETHER = frozenset((*PURE, "one_truth")) - {"checks"}
FAILING, NOTHING_SELECTED = 1, 5
PURE_LAYERS = "pure layers"
# The longest first, so that none of them is left over at the end; "" are the files that are in no folder.
FIRST = (PURE_LAYERS, "web", "checks", "cli", "api", "adapters", "attacks", "")
# Folders whose files are dealt out to several pytests: they share no server.
PIECES = {PURE_LAYERS: 2, "checks": 3, "cli": 2, "adapters": 2}
# Tests that watch processes, limits and the clock of the whole machine. They wait more than they compute, so that
# the others have the processors meanwhile. The first lane that a file fits is its own.
ONE_AT_A_TIME = {
    "containers and attacks": (
        "sandbox/test_container",
        "sandbox/test_harbor_tasks",
        "sandbox/test_hostile_scripts",
        "sandbox/test_image",
        "sandbox/test_own_verifier",
        "sandbox/test_plugged",
        "adapters/test_machine_lock",
        "attacks/test_resources",
        "attacks/test_rewards",
        "attacks/test_verifier",
        "attacks/test_workspace",
    ),
    "sandboxes": ("sandbox/",),
}
# More than these don't fail because the machine is busy.
MOST_RUN_AGAIN = 5
_COUNT = re.compile(r"(\d+) (passed|failed|skipped|error|xfailed|xpassed)")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?::.+?)(?: - .*)?$", re.MULTILINE)


def main(arguments: list[str]) -> int:
    began = time.monotonic()
    engine = provide_engine()
    try:
        return run_all(arguments, began)
    finally:
        remove_engine(engine)


def run_all(arguments: list[str], began: float) -> int:
    """All tests, or those of some folders."""
    only = None
    if arguments[:1] == ["--only"]:
        only, arguments = set(arguments[1].split(",")), arguments[2:]
    chunks = chunks_of_tests(only)
    alone, chunks = chunks[: len(ONE_AT_A_TIME)], chunks[len(ONE_AT_A_TIME) :]
    at_a_time = int(os.environ.get("JOBS", "auto").replace("auto", "0")) or (os.cpu_count() or 1) + 2
    with ThreadPoolExecutor(at_a_time) as pool, ThreadPoolExecutor(len(alone)) as beside:
        waiting = [beside.submit(run, chunk, arguments) for chunk in alone]
        waiting += [pool.submit(run, chunk, arguments) for chunk in chunks]
        done = [one.result() for one in waiting]
    counts: Counter[str] = Counter()
    for code, output in done:
        counts.update({kind: int(number) for number, kind in _COUNT.findall(output.rpartition("\n")[2])})
        if code not in (0, NOTHING_SELECTED):
            print(output)
    ended_well = all(code in (0, NOTHING_SELECTED) for code, _ in done)
    if not ended_well and (mended := passing_alone(done, counts, arguments)):
        counts["passed"] += len(mended)
        counts["failed"], counts["error"], ended_well = 0, 0, True
        print("passed only when they ran again, alone:", *mended, sep="\n  ")
    print(f"in {time.monotonic() - began:.0f} s:")
    print(f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped")
    return 0 if ended_well and counts["passed"] else 1


def passing_alone(done: Sequence[tuple[int, str]], counts: Counter[str], arguments: list[str]) -> list[str]:
    """The tests that failed, if they are a few and all pass when they run again; otherwise none."""
    if any(code not in (0, FAILING, NOTHING_SELECTED) for code, _ in done):
        return []
    failed = [name for code, output in done if code == FAILING for name in _FAILED.findall(output)]
    all_known = len(failed) == counts["failed"] + counts["error"]
    few = 0 < len(failed) <= MOST_RUN_AGAIN
    return failed if all_known and few and run(("again", failed), arguments)[0] == 0 else []


def chunks_of_tests(only: set[str] | None = None) -> list[tuple[str, list[str]]]:
    """The files of each folder, or of some folders only; those that run one after the other come first."""
    chunks: dict[str, list[str]] = {folder: [] for folder in (*ONE_AT_A_TIME, *FIRST)}
    for path in sorted(HERE.rglob("test_*.py")):
        place = path.relative_to(HERE).as_posix()
        folder = place.partition("/")[0] if "/" in place else ""
        lanes = (lane for lane, places in ONE_AT_A_TIME.items() if place.startswith(places))
        chunk = next(lanes, PURE_LAYERS if folder in TOGETHER else folder)
        if only is None or folder in only:
            chunks.setdefault(chunk, []).append(str(path.relative_to(HERE.parent)))
    return [
        (f"tests/{name}".rstrip("/"), files[number :: PIECES.get(name, 1)])
        for name, files in chunks.items()
        for number in range(PIECES.get(name, 1))
    ]


def run(chunk: tuple[str, list[str]], arguments: list[str]) -> tuple[int, str]:
    """One pytest. Returns its exit code and what it printed."""
    name, files = chunk
    if not files:
        return NOTHING_SELECTED, ""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *arguments, *files],
        cwd=HERE.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    output = done.stdout.strip()
    summary = output.rpartition("\n")[2]
    print(f"{name}: {summary or done.returncode} ({time.monotonic() - began:.0f} s)", flush=True)
    return done.returncode, output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
