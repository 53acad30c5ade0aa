"""A plugin of pytest: notes which functions of the workspace each test calls, and runs only the chosen tests.

It runs inside the sandbox, in the process of the tests, on whatever Python is there, and Assay never imports it.
ASSAY_TO names the file to write; ASSAY_ONLY one with the names of the tests to run.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

ROOT = os.getcwd() + os.sep
REACHED: dict[str, set[tuple[str, int]]] = {}


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
    found = REACHED.setdefault(nodeid, set())

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT):
            found.add((code.co_filename[len(ROOT) :], code.co_firstlineno))

    threading.settrace(note)
    sys.settrace(note)


def pytest_runtest_logfinish() -> None:
    sys.settrace(None)
    threading.settrace(None)


def pytest_sessionfinish() -> None:
    if "ASSAY_TO" in os.environ:
        with open(os.environ["ASSAY_TO"], "w", encoding="utf-8") as file:
            json.dump({name: sorted(found) for name, found in REACHED.items()}, file)
