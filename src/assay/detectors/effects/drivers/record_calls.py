"""Notes what tests ask functions of the project, and what they are told.

It follows the text of spelling.py, and is called sitecustomize where it runs, so that every Python that the tests
start loads it; Assay never imports it. Beside it, wanted.json has the paths of the tests, the most calls to note,
and the questions to ask again from within the tests, if any.
"""

import functools
import json
import os
import sys
import threading
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.spelling import asking, fault, spell  # noqa: TC004 - it is above this text

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE) + os.sep
with open(os.path.join(HERE, "wanted.json"), encoding="utf-8") as file:
    WANTED = json.load(file)
TESTS = {ROOT + path for path in WANTED["tests"]}
START = dict(os.environ)
KNOWN: set[str] = set()
FUNCTIONS = (types.FunctionType, type(functools.lru_cache(maxsize=1)(len)))
LATER = 0x20 | 0x80 | 0x200
"""Generators and coroutines: they answer bit by bit."""


def write(name: str, line: Any) -> None:
    with open(os.path.join(HERE, name), "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def is_source(path: str) -> bool:
    return path.startswith(ROOT) and path not in TESTS and not path.startswith(HERE)


def place(frame: Any) -> "tuple[str, str, bool] | None":
    """The module and the dotted name that a test can call this by, and whether that binds the first argument."""
    code = frame.f_code
    found = index(tuple(modules())).get(code, [])
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    for module, name, target in found:
        if not isinstance(target, FUNCTIONS) and first is getattr(target, "__self__", target):
            return module, name, True
    free = [id(frame.f_locals.get(one)) for one in code.co_freevars]
    for module, name, target in found:
        if isinstance(target, FUNCTIONS) and around(target, code) == free:
            return module, name, False
    return None


def modules() -> "list[str]":
    found = list(sys.modules.items())
    return [name for name, module in found if is_source(getattr(module, "__file__", None) or "")]


@functools.lru_cache(maxsize=1)
def index(names: "tuple[str, ...]") -> "dict[Any, list[tuple[str, str, Any]]]":
    """What these modules have that can be called, by the code that it runs: functions, also those of classes."""
    found: dict[Any, list[tuple[str, str, Any]]] = {}
    for module in names:
        for name, value in list(vars(sys.modules[module]).items()):
            parts = [(name, value)]
            if isinstance(value, type) and value.__module__ == module:
                parts = [(f"{name}.{one}", getattr(value, one)) for one in vars(value)]
            for dotted, target in parts:
                for code in codes(target, names):
                    found.setdefault(code, []).append((module, dotted, target))
    return found


def codes(target: Any, names: "tuple[str, ...]") -> Any:
    """The code that runs first: behind what is no Python function, such as a cache, that of what it wraps."""
    if isinstance(target, types.MethodType):
        yield getattr(target.__func__, "__code__", None)
    elif isinstance(target, FUNCTIONS):
        yield getattr(target, "__code__", None) or getattr(getattr(target, "__wrapped__", None), "__code__", None)
    elif type(target).__module__ in names:
        yield getattr(getattr(type(target), "__call__", None), "__code__", None)  # noqa: B004 - its code is wanted


def around(function: Any, code: Any) -> "list[int]":
    """What a function that was made within another has from there."""
    while getattr(function, "__code__", None) is not code:
        function = function.__wrapped__
    try:
        return [id(cell.cell_contents) for cell in function.__closure__ or ()]
    except ValueError:
        return []


def asked(frame: Any) -> "dict[str, Any] | None":
    """A call of a plain function by a test, with arguments that can be written down."""
    code = frame.f_code
    found = None if code.co_flags & LATER else place(frame)
    if found is None:
        return None
    module, name, bound = found
    count = code.co_argcount + code.co_kwonlyargcount
    names = [*code.co_varnames[bound:count]]
    marks = [mark for mark, flag in (("*", 0x04), ("**", 0x08)) if code.co_flags & flag]
    rest = zip(marks, code.co_varnames[count:])  # noqa: B905 - there are more variables than marks
    values = {one: spell(frame.f_locals[one]) for one in names}
    values.update({mark: spell(frame.f_locals[one]) for mark, one in rest})
    if None in values.values():
        return None
    positional = names[: code.co_argcount - bound]
    return {"module": module, "name": name, "positional": positional, "arguments": values}


def stack(frame: Any) -> "list[list[str]]":
    """The functions that called with their files, the nearest first."""
    frames: list[list[str]] = []
    while frame is not None and len(frames) < 40:
        frames.append([frame.f_code.co_filename.replace(ROOT, "@root@/"), frame.f_code.co_name])
        frame = frame.f_back
    return frames


def note(frame: Any, event: str, _: Any) -> Any:
    caller, path = frame.f_back, frame.f_code.co_filename
    if event != "call" or caller is None:
        return None
    if path in TESTS and frame.f_code.co_name == "<module>" and WANTED.get("replay"):
        return ended(path)
    if caller.f_code.co_filename not in TESTS or not is_source(path) or len(KNOWN) >= WANTED["most"]:
        return None
    question = asked(frame)
    mark = json.dumps(question)
    if question is None or mark in KNOWN:
        return None
    KNOWN.add(mark)
    by = caller.f_code.co_filename[len(ROOT) :]
    written = ", ".join(f"{name}={text}" for name, text in question["arguments"].items())
    return told(
        {
            "path": path[len(ROOT) :],
            "by": by,
            "written": f"{question['name']}({written})",
            "question": question,
            "frames": stack(caller),
            "environment": {name: value for name, value in os.environ.items() if START.get(name) != value},
        }
    )


def told(call: "dict[str, Any]") -> Any:
    """Waits for the answer to a call. What was raised on the way may be caught before the end."""
    raised: list[str] = []

    def local(_: Any, event: str, argument: Any) -> Any:
        if event == "exception":
            raised[:] = [fault(argument[1], ROOT)]
        elif event == "line":
            raised.clear()
        elif event == "return":
            answer = raised[0] if raised else spell(argument)
            if answer is not None:
                started()
                write("calls.jsonl", {**call, "raised": bool(raised), "answer": answer})
        return local

    return local


@functools.lru_cache(maxsize=1)
def started() -> None:
    inside = [path[len(ROOT) :] for path in map(os.path.abspath, sys.path) if f"{path}/".startswith(ROOT)]
    write("started.jsonl", {"program": sys.executable, "path": inside})


def ended(path: str) -> Any:
    """Waits until a file of tests is loaded, and asks then what it asks."""

    def local(_: Any, event: str, __: Any) -> Any:
        if event == "return":
            for one in WANTED["replay"]:
                if ROOT + one["by"] == path:
                    replay(one)
        return local

    return local


def replay(one: "dict[str, Any]") -> None:
    """Asks once more, from a stack and an environment that look the same as those of the test."""
    question, before = one["question"], dict(os.environ)
    os.environ.update(one["environment"])
    try:
        __import__(question["module"])
        function = functools.reduce(getattr, question["name"].split("."), sys.modules[question["module"]])
        answer: Any = [False, spell(dressed(one["frames"], asking(function, question)))]
    except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
        answer = [True, fault(error, ROOT)]
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)
    write("replayed.jsonl", [one["number"], *answer])


def dressed(frames: "list[list[str]]", call: Any) -> Any:
    """Calls through functions that have these names, in these files."""
    known = {getattr(module, "__file__", None): vars(module) for module in list(sys.modules.values())}

    def through(inner: Any) -> Any:
        return inner()

    for place, name in frames:
        path = place.replace("@root@/", ROOT)
        code = through.__code__.replace(co_filename=path, co_name=name)
        call = functools.partial(types.FunctionType(code, known.get(path, {})), call)
    return call()


threading.settrace(note)
sys.settrace(note)
