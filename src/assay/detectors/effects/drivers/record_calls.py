"""Notes what tests ask functions of the project, and what they are told.

It is called sitecustomize where it runs, so that every Python that the tests start loads it, and Assay never
imports it. Beside it, wanted.json has the paths of the tests and the most calls to note.
"""

from __future__ import annotations

import ast
import atexit
import json
import os
import sys
import threading
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE) + os.sep
with open(os.path.join(HERE, "wanted.json"), encoding="utf-8") as file:
    WANTED = json.load(file)
TESTS = {ROOT + path for path in WANTED["tests"]}
CALLS: list[dict[str, Any]] = []
KNOWN: set[str] = set()


def literal(value: Any) -> str | None:
    """The value as source, if that says all of it."""
    text = repr(value)
    if len(text) > 2000:
        return None
    try:
        again = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return text if type(again) is type(value) and repr(again) == text else None


def asked(frame: Any) -> dict[str, Any] | None:
    """A call of a plain function by a test, with arguments that can be written down."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    module = frame.f_globals.get("__name__", "")
    function = frame.f_globals.get(code.co_name)
    if code.co_flags & 0x0C or not hasattr(function, "__code__") or function.__code__ is not code:
        return None
    values = {name: literal(frame.f_locals[name]) for name in names}
    if any(value is None for value in values.values()):
        return None
    return {"path": code.co_filename[len(ROOT) :], "module": module, "name": code.co_name, "arguments": values}


def note(frame: Any, event: str, _: Any) -> Any:
    caller = frame.f_back
    if event != "call" or caller is None or caller.f_code.co_filename not in TESTS:
        return None
    path = frame.f_code.co_filename
    if not path.startswith(ROOT) or path in TESTS or path.startswith(HERE) or len(CALLS) >= WANTED["most"]:
        return None
    call = asked(frame)
    mark = json.dumps(call)
    if call is None or mark in KNOWN:
        return None
    KNOWN.add(mark)
    return told(call)


def told(call: dict[str, Any]) -> Any:
    """Waits for the answer to a call. What was raised on the way may be caught before the end."""
    raised: list[str] = []

    def local(_: Any, event: str, argument: Any) -> Any:
        if event == "exception":
            raised[:] = [argument[0].__name__]
        elif event == "line":
            raised.clear()
        elif event == "return":
            answer = raised[0] if raised else literal(argument)
            if answer is not None:
                CALLS.append({**call, "raised": bool(raised), "answer": answer})
        return local

    return local


def write() -> None:
    sys.settrace(None)
    if not CALLS:
        return
    inside = [path[len(ROOT) :] for path in map(os.path.abspath, sys.path) if f"{path}/".startswith(ROOT)]
    with open(os.path.join(HERE, "calls.json"), "w", encoding="utf-8") as file:
        json.dump({"python": sys.executable, "path": inside, "calls": CALLS}, file)


threading.settrace(note)
sys.settrace(note)
atexit.register(write)
