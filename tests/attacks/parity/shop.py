"""The program that the rows are about, whole and broken in many ways, and worlds in which its tests run.

With them the rows that are rendered for unittest are run, to see whether they are what the table says they are.
"""

import os
import random
import sys
import threading
import time
import types
import unittest
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from unittest import mock

Answer = Callable[..., object]
Broken = tuple[str, tuple[object, ...], Answer]


def _raising(error: Exception) -> Answer:
    def answer(*_: object) -> object:
        raise error

    return answer


def _giving(value: object) -> Answer:
    return lambda *_: value


async def _fetch(*_: object) -> int:
    return 3


async def _fetch_wrongly(*_: object) -> int:
    return 4


WHOLE: Mapping[str, Answer] = {
    "add": lambda *numbers: sum(numbers),
    "add_up": lambda *numbers: sum(numbers),
    "label": lambda number: f"{number} items",
    "ratio": lambda part, whole: part / whole,
    "items": lambda number: ["tea", "milk"][:number],
    "find": {"tea": "green tea"}.get,
    "has": lambda name: name == "tea",
    "is_empty": lambda number: number == 0,
    "parse": _raising(ValueError("no number")),
    "fetch": _fetch,
    "fetch_rates": _giving(1),
    "is_ready": lambda: "FULL" in os.environ,
    "is_ci": lambda: "CI" in os.environ,
    "mode": lambda: "full" if "FULL" in os.environ else "quick",
}
_SUMS = [(1, 2), (2, 2), (0, 5), (1, 0), (2, 0), (3, 0), (1, 2, 0)]
BROKEN: list[Broken] = [
    *(("add", numbers, _giving(wrong)) for numbers in _SUMS for wrong in (-1, 0, 4)),
    *(("add_up", (1, 2), _giving(wrong)) for wrong in (-1, 0, 4)),
    *(
        ("label", (2,), _giving(wrong))
        for wrong in ("", "2 item", "2 ITEMS", "12 items", "2", "none", "7777777", None)
    ),
    *(("ratio", (1, 2), _giving(wrong)) for wrong in (0.0, 0.505, 0.9, None)),
    *(("items", (2,), _giving(wrong)) for wrong in ([], ["tea"], ["tea", "tea"], ["milk", "tea", "ink"], None)),
    *(("find", ("tea",), _giving(wrong)) for wrong in (None, "ink")),
    ("find", ("ink",), _giving("tea")),
    ("has", ("tea",), _giving(False)),
    ("has", ("ink",), _giving(True)),
    ("is_empty", (1,), _giving(True)),
    ("parse", ("x",), _giving(0)),
    ("parse", ("x",), _raising(TypeError("no number"))),
    ("parse", ("x",), _raising(ValueError("no"))),
    ("parse", ("x",), _raising(ValueError("other"))),
    ("fetch", (1,), _fetch_wrongly),
]
"""A function, the arguments with which it is wrong, and what it does then."""


def shop(broken: Broken | None) -> types.ModuleType:
    made = types.ModuleType("shop")
    for name, answer in WHOLE.items():
        setattr(made, name, answer)
    if broken is not None:
        name, wrong_for, wrong = broken
        right = WHOLE[name]
        setattr(made, name, lambda *args: wrong(*args) if args == wrong_for else right(*args))
    return made


@dataclass(frozen=True)
class World:
    """What tests may ask for beside the program."""

    settings: Mapping[str, str]
    chance: float
    now: float
    platform: str


WORLDS = (
    World({}, 0.9, 1e9, "linux"),
    World(dict.fromkeys(("FULL", "QUICK", "CI", "SLOW"), "1"), 0.1, 0.0, "win32"),
)


class EndedError(KeyboardInterrupt):
    """The run was ended with success. Unittest lets no other error end it."""


@contextmanager
def living_in(world: World, program: types.ModuleType) -> Iterator[None]:
    """A world with a program in it. A run that ends there ends only here."""
    with ExitStack() as stack:
        for patch in (
            mock.patch.dict(sys.modules, {"shop": program}),
            mock.patch.dict(os.environ, world.settings, clear=True),
            mock.patch.object(random, "random", return_value=world.chance),
            mock.patch.object(time, "time", return_value=world.now),
            mock.patch.object(sys, "platform", world.platform),
            mock.patch.object(os, "_exit", side_effect=EndedError),
            mock.patch.object(threading, "excepthook"),
            redirect_stdout(StringIO()),
        ):
            stack.enter_context(patch)
        yield


def passes(code: types.CodeType, world: World, program: types.ModuleType) -> bool:
    """Whether a file of unittest is green."""
    with living_in(world, program):
        module = types.ModuleType("tests_of_a_row")
        exec(code, module.__dict__)  # noqa: S102 - what is run are the rows of the table
        result = unittest.TestResult()
        others = set(threading.enumerate())
        try:
            unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
        except EndedError:
            return not (result.failures or result.errors)
        for thread in set(threading.enumerate()) - others:
            thread.join()
        return result.wasSuccessful()
