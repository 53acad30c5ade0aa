"""Notes which functions and lines of the workspace each test runs. What a runner calls it with follows this text.

It runs inside the sandbox, in the process of the tests, on whatever Python is there, and Assay never imports it.
ASSAY_TO names the file to write; ASSAY_ONLY one with the names of the tests to run, and of files of such tests;
ASSAY_EACH a folder with faults, each of which is put into the source in turn, for a process of its own.

From Python 3.12 on, each line is told once for a test, which costs next to nothing. Before, every call is told,
again and again: as little as possible is done then, and lines are noted only so often for a function, which from
then on counts as run from end to end.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

ROOT = os.getcwd() + os.sep
MOST_EVENTS, MOST_LINES = 500, 1_000_000
TOOL = 4
TELLS_ONCE = hasattr(sys, "monitoring")


class Reached:
    """One test's reach: functions by file and line, and lines of files.

    ``events`` counts what was noted of each function; ``whole`` has those whose lines aren't known.
    """

    def __init__(self) -> None:
        self.events: dict[tuple[str, int], int] = {}
        self.whole: set[tuple[str, int]] = set()
        self.lines: dict[str, set[int]] = {}

    def caller(self) -> Any:
        """The trace function for calls. A code is looked at once, and kept, so that no other gets its id."""
        known: dict[int, Any] = {}
        kept: list[Any] = []
        line = self.liner(known)

        def call(frame: Any, _event: str, _: Any) -> Any:
            code = frame.f_code
            try:
                return known[id(code)]
            except KeyError:
                kept.append(code)
                ours = is_ours(code.co_filename)
                known[id(code)] = then = line if ours else None
                if ours:
                    self.events.setdefault((code.co_filename, code.co_firstlineno), 0)
                return then

        return call

    def liner(self, known: dict[int, Any]) -> Any:
        """The trace function for lines, as long as a function's are noted."""

        def line(frame: Any, event: str, _: Any) -> Any:
            if event == "line":
                code = frame.f_code
                place = code.co_filename, code.co_firstlineno
                self.lines.setdefault(place[0], set()).add(frame.f_lineno)
                self.events[place] += 1
                if self.events[place] >= MOST_EVENTS:
                    self.whole.add(place)
                    known[id(code)] = None
                    frame.f_trace_lines = False
            return line

        return line

    def told(self, with_lines: bool) -> dict[str, Any]:
        calls = [[below(path), line, not with_lines or (path, line) in self.whole] for path, line in self.events]
        lines = {below(path): sorted(found) for path, found in self.lines.items()}
        return {"calls": calls, "lines": lines if with_lines else {}}


REACHED: dict[str, Reached] = {}
NOW = [Reached()]


def is_ours(path: str) -> bool:
    return path.startswith(ROOT) and "site-packages" not in path


def below(path: str) -> str:
    return path[len(ROOT) :]


def started(code: Any, _: int) -> Any:
    """A function begins, as Python 3.12 tells it."""
    if is_ours(code.co_filename):
        NOW[0].events.setdefault((code.co_filename, code.co_firstlineno), 0)
    return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore]


def reached(code: Any, line: int) -> Any:
    """A line is run, as Python 3.12 tells it."""
    if is_ours(code.co_filename):
        NOW[0].lines.setdefault(code.co_filename, set()).add(line)
    return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore]


def watch(found: Reached) -> None:
    NOW[0] = found
    if not TELLS_ONCE:
        call = found.caller()
        threading.settrace(call)
        sys.settrace(call)
        return
    told: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    if told.get_tool(TOOL) is None:
        told.use_tool_id(TOOL, "reach")
        told.register_callback(TOOL, told.events.PY_START, started)
        told.register_callback(TOOL, told.events.LINE, reached)
    told.set_events(TOOL, told.events.PY_START | told.events.LINE)
    told.restart_events()


def look_away() -> None:
    if TELLS_ONCE:
        told: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        if told.get_tool(TOOL) is not None:
            told.set_events(TOOL, 0)
        return
    sys.settrace(None)
    threading.settrace(None)


def begin(name: str) -> None:
    """A test begins. Whoever traces already, such as a debugger, isn't disturbed."""
    if "ASSAY_TO" in os.environ and sys.gettrace() is None:
        watch(REACHED.setdefault(name, Reached()))


def end() -> None:
    if "ASSAY_TO" in os.environ:
        look_away()


def tell() -> None:
    """All tests are over."""
    if "ASSAY_TO" not in os.environ:
        return
    with_lines = sum(len(lines) for found in REACHED.values() for lines in found.lines.values()) <= MOST_LINES
    tests = {name: found.told(with_lines) for name, found in REACHED.items()}
    with open(os.environ["ASSAY_TO"], "w", encoding="utf-8") as file:
        json.dump(tests, file)


def chosen() -> Any:
    """Whether to run a test, by its name and its file; None if all are run."""
    if "ASSAY_ONLY" not in os.environ:
        return None
    with open(os.environ["ASSAY_ONLY"], encoding="utf-8") as file:
        wanted = {kind: set(names) for kind, names in json.load(file).items()}
    return lambda name, path: name in wanted["names"] or below(str(path)) in wanted["files"]


def once_each() -> None:
    """Go on in a process of its own for each fault of a plan; the one that has the plan ends after the last."""
    folder = os.environ.pop("ASSAY_EACH", "")
    if not folder:
        return
    with open(f"{folder}/plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    sys.dont_write_bytecode = True
    root = os.path.dirname(folder)
    ends = time.monotonic() + plan["longest"]
    for number, path in enumerate(plan["paths"]):
        if time.monotonic() > ends or sum(os.times()[2:4]) > plan["seconds"]:
            break
        kept = exchanged(f"{root}/{path}", f"{folder}/{number}.new")
        child = os.fork()
        if child == 0:
            os.environ["ASSAY_ONLY"] = f"{folder}/{number}.json"
            return
        wait_for(child, plan["patience"])
        exchanged(f"{root}/{path}", kept)
        if os.path.exists(f"{root}/{plan['report']}"):
            os.replace(f"{root}/{plan['report']}", f"{folder}/{number}.report")
        with open(f"{folder}/{number}.end", "w", encoding="utf-8"):
            pass
    os._exit(0)


def exchanged(path: str, new: str) -> str:
    """Put a file in the place of another one, which is kept under the name that is returned."""
    os.replace(path, f"{path}.kept")
    os.replace(new, path)
    os.utime(path)
    os.replace(f"{path}.kept", new)
    return new


def wait_for(child: int, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > ends:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return
        time.sleep(0.002)
