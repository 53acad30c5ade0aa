"""Notes what tests ask functions of the project, and what they are told.

It follows the text of spelling.py, and is called sitecustomize where it runs, so that every Python that the tests
start loads it; Assay never imports it. Beside it, wanted.json has the paths of the tests, the most calls to note,
and the questions to ask again from within the tests, if any.
"""

import dis
import enum
import functools
import json
import os
import sys
import threading
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.spelling import UnspokenError, asking, fault, spell, telling, whole  # noqa: TC004 - it is above this text

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE) + os.sep
with open(os.path.join(HERE, "wanted.json"), encoding="utf-8") as file:
    WANTED = json.load(file)
TESTS = {ROOT + path for path in WANTED["tests"]}
START = dict(os.environ)
KNOWN: set[str] = set()
FUNCTIONS = (types.FunctionType, type(functools.lru_cache(maxsize=1)(len)))
GENERATOR = 0x20
LATER = 0x80 | 0x200
"""Coroutines and asynchronous generators: who awaits them may be anybody."""
BEGUN: "dict[int, Any]" = {}
"""What waits for the rest of each generator that was asked, by its frame."""


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
    """The callables of these modules, by the code that they run: functions, also those of classes."""
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
    """The closure of a function that was made within another."""
    while getattr(function, "__code__", None) is not code:
        function = function.__wrapped__
    try:
        return [id(cell.cell_contents) for cell in function.__closure__ or ()]
    except ValueError:
        return []


def asked(frame: Any) -> "dict[str, Any] | None":
    """A call by a test with arguments that can be written down: of a function, or of an object that tests made."""
    found = None if frame.f_code.co_flags & LATER else place(frame)
    if is_thing(first_of(frame)) and (found is None or not found[2]) and method_of(frame) is not None:
        return asked_of_object(frame)
    arguments = None if found is None else given(frame, found[2])
    return None if found is None or arguments is None else {"module": found[0], "name": found[1], **arguments}


def given(frame: Any, bound: bool) -> "dict[str, Any] | None":
    """The arguments as source, and the objects that it speaks of."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    names = [*code.co_varnames[bound:count]]
    marks = [mark for mark, flag in (("*", 0x04), ("**", 0x08)) if code.co_flags & flag]
    rest = zip(marks, code.co_varnames[count:])  # noqa: B905 - there are more variables than marks
    objects: list[Any] = []
    of_ours = functools.partial(ours, objects)
    named = [one for one in names if type(frame.f_locals[one]).__name__ != DEFAULT]
    values = {one: spell(frame.f_locals[one], of_ours) for one in named}
    values.update({mark: spell(frame.f_locals[one], of_ours) for mark, one in rest})
    if None in values.values():
        return None
    first = [one for one, same in zip(names, named) if one == same]  # noqa: B905 - the others are given by name
    return {"positional": first[: code.co_argcount - bound], "arguments": values, "objects": objects}


DEFAULT = "_HAS_DEFAULT_FACTORY_CLASS"
"""What a dataclass is given for a field that nobody gave."""


# --- Objects that tests made, and what they did with them since ---


class Made:
    """An object: the question that it was the answer to, and the calls since; None if they can't be repeated."""

    def __init__(self, thing: Any, start: "dict[str, Any]") -> None:
        self.thing, self.start, self.weight = thing, start, 1 + weight(start)
        self.steps: list[dict[str, Any]] | None = []

    def then(self, step: "dict[str, Any] | None") -> None:
        if step is None or self.steps is None:
            self.steps = None
        else:
            self.steps.append(step)
            self.weight += 1 + weight(step)

    def history(self) -> "dict[str, Any] | None":
        if self.steps is None or self.weight > HEAVIEST:
            return None
        return {"start": self.start, "steps": [*self.steps], "weight": self.weight}


MADE: "dict[int, Made]" = {}
HEAVIEST = 60
"""The most calls that it may take to make an object again."""


def weight(question: "dict[str, Any]") -> int:
    histories = [*question.get("objects", ()), *([question["of"]] if "of" in question else [])]
    return sum(one["weight"] for one in histories)


def first_of(frame: Any) -> Any:
    return frame.f_locals.get(frame.f_code.co_varnames[0]) if frame.f_code.co_argcount else None


def is_thing(value: Any) -> bool:
    return not isinstance(value, (type, enum.Enum)) and type(value).__module__ in modules()


def begun(frame: Any) -> None:
    """A test makes an object."""
    thing, arguments = first_of(frame), given(frame, True)
    kind = type(thing)
    if arguments is not None and not frame.f_code.co_flags & LATER:
        MADE[id(thing)] = Made(thing, {"module": kind.__module__, "name": kind.__qualname__, **arguments})


def known_as(thing: Any) -> "Made | None":
    """The record of an object. A class that sets nothing up needs none."""
    found = MADE.get(id(thing))
    kind = type(thing)
    if found is None and not any(
        one in vars(above) for above in kind.__mro__[:-1] for one in ("__init__", "__new__")
    ):
        start = {"module": kind.__module__, "name": kind.__qualname__, "positional": [], "arguments": {}}
        found = MADE[id(thing)] = Made(thing, {**start, "objects": []})
    return found


def ours(objects: "list[Any]", value: Any, _: int) -> str:
    """Source for what the project has under a name, and for objects that tests made."""
    name, module = getattr(value, "__qualname__", None), getattr(value, "__module__", None)
    if isinstance(value, enum.Enum):
        name, module = f"{type(value).__qualname__}.{value.name}", type(value).__module__
    if isinstance(name, str) and module in modules() and "<" not in name:
        return f"named({module!r}, {name!r})"
    found = known_as(value) if is_thing(value) else None
    history = None if found is None else found.history()
    if history is None:
        raise UnspokenError
    objects.append(history)
    return f"made({len(objects) - 1})"


def asked_of_object(frame: Any) -> "dict[str, Any] | None":
    """A call of an object's method, or the reading of a property; it is part of what was done with the object."""
    thing, name = first_of(frame), frame.f_code.co_name
    found = known_as(thing)
    if found is None:
        return None
    arguments = None if frame.f_code.co_flags & LATER else given(frame, True)
    step = None if arguments is None else {"name": name, "reads": hasattr(method_of(frame), "fget"), **arguments}
    history = found.history()
    found.then(step)
    if step is None or history is None:
        return None
    return {"module": type(thing).__module__, "of": history, **step}


def method_of(frame: Any) -> Any:
    """The attribute of this name in the first argument's class: a function, or something around one."""
    name, kind = frame.f_code.co_name, type(first_of(frame))
    found = part = next((vars(above)[name] for above in kind.__mro__ if name in vars(above)), None)
    for _ in range(8):
        if getattr(part, "__code__", None) is frame.f_code:
            return found
        part = next((inner for inner in (getattr(part, one, None) for one in WRAPPED) if inner is not None), None)
    return None


WRAPPED = ("__wrapped__", "fget")


def written(question: "dict[str, Any]") -> str:
    """A question as people write it."""
    texts = ", ".join(f"{name}={text}" for name, text in question["arguments"].items())
    if "of" not in question:
        return f"{question['name']}({texts})"
    steps = [*question["of"]["steps"], question]
    calls = [one["name"] if one["reads"] else f"{one['name']}(…)" for one in steps[:-1]]
    last = question["name"] if question["reads"] else f"{question['name']}({texts})"
    return "; .".join([written(question["of"]["start"]), *calls, last])


def stack(frame: Any) -> "list[list[str]]":
    """The functions that called with their files, the nearest first."""
    frames: list[list[str]] = []
    while frame is not None and len(frames) < 40:
        frames.append([frame.f_code.co_filename.replace(ROOT, "@root@/"), frame.f_code.co_name])
        frame = frame.f_back
    return frames


def note(frame: Any, event: str, _: Any) -> Any:
    caller, path = frame.f_back, frame.f_code.co_filename
    if id(frame) in BEGUN:
        return BEGUN[id(frame)]
    if event != "call" or caller is None:
        return None
    if path in TESTS and frame.f_code.co_name == "<module>" and WANTED.get("replay"):
        return ended(path)
    if caller.f_code.co_filename not in TESTS or len(KNOWN) >= WANTED["most"]:
        return None
    if frame.f_code.co_name == "__init__" and is_thing(first_of(frame)):
        return begun(frame)
    if not is_source(path):
        return None
    question = asked(frame)
    mark = json.dumps(question)
    if question is None or len(mark) > LONGEST_QUESTION:
        return None
    return told(question, None if mark in KNOWN else noted(frame, question, mark))


LONGEST_QUESTION = 20_000


def noted(frame: Any, question: "dict[str, Any]", mark: str) -> "dict[str, Any]":
    KNOWN.add(mark)
    caller = frame.f_back
    return {
        "path": frame.f_code.co_filename[len(ROOT) :],
        "by": caller.f_code.co_filename[len(ROOT) :],
        "written": written(question),
        "question": question,
        "frames": stack(caller),
        "environment": {name: value for name, value in os.environ.items() if START.get(name) != value},
    }


def told(question: "dict[str, Any]", call: "dict[str, Any] | None") -> Any:
    """Waits for the answer to a call. What was raised on the way may be caught before the end."""
    raised: list[str] = []
    parts: list[str | None] = []

    def local(frame: Any, event: str, argument: Any) -> Any:
        if event == "exception":
            raised[:] = [fault(argument[1], ROOT)]
        elif event == "line":
            raised.clear()
        elif event == "return" and not raised and yields(frame):
            BEGUN[id(frame)] = local
            parts.append(telling(argument))
        elif event == "return":
            BEGUN.pop(id(frame), None)
            answer = raised[0] if raised else telling(argument)
            if not raised and frame.f_code.co_flags & GENERATOR:
                answer = None if None in parts else f"[{', '.join(map(str, parts))}]"
            if not raised and is_thing(argument) and id(argument) not in MADE:
                MADE[id(argument)] = Made(argument, question)
            if call is not None and answer is not None:
                started()
                write("calls.jsonl", {**call, "raised": bool(raised), "answer": answer})
        return local

    return local


def yields(frame: Any) -> bool:
    """Whether a generator hands over a part of its answer, and goes on later."""
    code = frame.f_code
    return bool(code.co_flags & GENERATOR) and not dis.opname[code.co_code[frame.f_lasti]].startswith("RETURN")


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
    question, before, through = one["question"], dict(os.environ), functools.partial(dressed, one["frames"])
    os.environ.update(one["environment"])
    try:
        answer: Any = [False, telling(whole(through(asking(question, through))))]
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
