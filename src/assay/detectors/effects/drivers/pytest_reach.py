"""A plugin of pytest: notes which functions and lines of the workspace each test runs, and runs only chosen tests.

It runs inside the sandbox, in the process of the tests, on whatever Python is there, and Assay never imports it.
ASSAY_TO names the file to write; ASSAY_ONLY one with the names of the tests to run. Lines are noted only so often
for each function, because that takes long: a function that was watched no longer counts as run from end to end.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

ROOT = os.getcwd() + os.sep
MOST_EVENTS, MOST_LINES = 500, 1_000_000
REACHED: dict[str, _Reached] = {}


class _Reached:
    """What one test runs: functions by file and line, and lines of files.

    ``events`` counts what was noted of each function; ``whole`` has those whose lines aren't known.
    """

    room = MOST_LINES

    def __init__(self) -> None:
        self.events: dict[tuple[str, int], int] = {}
        self.whole: set[tuple[str, int]] = set()
        self.lines: dict[str, set[int]] = {}

    def call(self, frame: Any, event: str, _: Any) -> Any:
        code = frame.f_code
        path = code.co_filename
        if event != "call" or not path.startswith(ROOT) or "site-packages" in path:
            return None
        place = path, code.co_firstlineno
        self.events.setdefault(place, 0)
        return None if place in self.whole else self.line

    def line(self, frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            place = frame.f_code.co_filename, frame.f_code.co_firstlineno
            self.events[place] += 1
            self.lines.setdefault(place[0], set()).add(frame.f_lineno)
            if self.events[place] >= MOST_EVENTS:
                self.whole.add(place)
                frame.f_trace_lines = False
        return self.line

    def told(self) -> dict[str, Any]:
        _Reached.room -= sum(map(len, self.lines.values()))
        full = _Reached.room < 0
        calls = [[path[len(ROOT) :], line, full or (path, line) in self.whole] for path, line in self.events]
        lines = {path[len(ROOT) :]: sorted(found) for path, found in self.lines.items() if not full}
        return {"calls": calls, "lines": lines}


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    chosen = os.environ.get("ASSAY_ONLY")
    if not chosen:
        return
    with open(chosen, encoding="utf-8") as file:
        names = set(json.load(file))
    left_out = [item for item in items if item.nodeid not in names]
    items[:] = [item for item in items if item.nodeid in names]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logstart(nodeid: str) -> None:
    if "ASSAY_TO" not in os.environ or sys.gettrace() is not None:
        return
    found = REACHED.setdefault(nodeid, _Reached())
    threading.settrace(found.call)
    sys.settrace(found.call)


def pytest_runtest_logfinish() -> None:
    sys.settrace(None)
    threading.settrace(None)


def pytest_sessionfinish() -> None:
    if "ASSAY_TO" in os.environ:
        with open(os.environ["ASSAY_TO"], "w", encoding="utf-8") as file:
            json.dump({name: found.told() for name, found in REACHED.items()}, file)
