"""Spells values as Python source, where that says all of them. Recorder and asker both begin with its text."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import enum
import fractions
import functools
import importlib
import itertools
import math
import types
from typing import Any

LONGEST = 2000
DEEPEST = 12
ATOMS = (type(None), bool, int, float, complex, str, bytes, type(...))
WORDS = (decimal.Decimal, fractions.Fraction)
TIMES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
NAMES: dict[str, Any] = {
    "__builtins__": {},
    "Ellipsis": ...,
    "nan": math.nan,
    "inf": math.inf,
    "nanj": complex(0, math.nan),
    "infj": complex(0, math.inf),
    "set": set,
    "frozenset": frozenset,
    "bytearray": bytearray,
    "datetime": datetime,
    **{one.__name__: one for one in WORDS},
}


class UnspokenError(Exception):
    """No source says this value."""


def refused(_: Any, __: int) -> str:
    raise UnspokenError


def spell(value: Any, other: Any = refused) -> str | None:
    """The value as source; None where that would leave something out. ``other`` says what literals can't."""
    try:
        text = _spelled(value, 0, other)
    except UnspokenError:
        return None
    return text if len(text) <= LONGEST else None


def telling(value: Any) -> str | None:
    """An answer as text that can be compared: objects as what they hold."""
    return spell(value, _held)


def whole(answer: Any) -> Any:
    """A generator's answer is all that it yields."""
    return [*itertools.islice(answer, LONGEST + 1)] if isinstance(answer, types.GeneratorType) else answer


def _held(value: Any, deep: int) -> str:
    kind = type(value)
    if isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value.name}"
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return f"{kind.__qualname__}{_spelled(tuple(value), deep + 1, _held)}"
    made_in_python = kind.__flags__ & (1 << 9) and issubclass(kind.__base__ or kind, object)
    if not made_in_python or isinstance(value, (*ATOMS[1:-1], list, tuple, dict, set, BaseException, type)):
        raise UnspokenError
    slots = [one for above in kind.__mro__ for one in _names(vars(above).get("__slots__", ()))]
    fields = {one: getattr(value, one) for one in slots if one != "__weakref__" and hasattr(value, one)}
    fields.update({one: held for one, held in getattr(value, "__dict__", {}).items() if isinstance(one, str)})
    if not fields:
        raise UnspokenError
    return f"{kind.__qualname__}({_spelled(fields, deep + 1, _held)})"


def _names(slots: Any) -> Any:
    return (slots,) if isinstance(slots, str) else slots


def _spelled(value: Any, deep: int, other: Any) -> str:
    kind = type(value)
    if deep > DEEPEST or (isinstance(value, (str, bytes, list, tuple, dict, set)) and len(value) > LONGEST):
        raise UnspokenError
    if kind in ATOMS or kind in WORDS or kind is bytearray:
        return repr(value)
    if kind in TIMES and getattr(value, "tzinfo", None) is None:
        return repr(value)
    if kind is dict:
        pairs = (f"{_spelled(one, deep + 1, other)}: {_spelled(value[one], deep + 1, other)}" for one in value)
        return f"{{{', '.join(pairs)}}}"
    if kind not in (list, tuple, set, frozenset):
        return str(other(value, deep))
    parts = [_spelled(one, deep + 1, other) for one in value]
    if kind is list:
        return f"[{', '.join(parts)}]"
    if kind is tuple:
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    # The order of a set is another one in each process.
    return f"{kind.__name__}([{', '.join(sorted(parts))}])"


def fault(error: BaseException, root: str) -> str:
    """The raised error, without the folder that the project happens to be in."""
    lines = str(error).replace(root, "").splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def asking(call: dict[str, Any], through: Any = lambda asked: asked()) -> Any:
    """A question that was written down, ready to be asked: with new objects every time.

    It is asked of what a module has, or of an object (``of``) that is made and used as a test did before, with
    each call ``through`` something.
    """
    if "of" in call:
        return _part(made(call["of"], through), call, through)
    return _filled(named(call["module"], call["name"]), call, through)


def named(module: str, name: str) -> Any:
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def _part(thing: Any, call: dict[str, Any], through: Any) -> Any:
    if call["reads"]:
        return functools.partial(getattr, thing, call["name"])
    return _filled(getattr(thing, call["name"]), call, through)


def _filled(function: Any, call: dict[str, Any], through: Any) -> Any:
    names = {**NAMES, "named": named, "made": lambda number: made(call["objects"][number], through)}
    given = {name: valued(text, dict(names)) for name, text in call["arguments"].items()}
    rest, by_name = given.pop("*", ()), given.pop("**", {})
    first = [given.pop(name) for name in call["positional"]]
    return functools.partial(function, *first, *rest, **given, **by_name)


def valued(text: str, names: dict[str, Any]) -> Any:
    """The value of a literal; a date that there never was can't be asked about."""
    try:
        return eval(text, names)  # noqa: S307 - see NAMES
    except (ValueError, OverflowError):
        raise UnspokenError from None


def made(history: dict[str, Any], through: Any) -> Any:
    """An object as a test made it, after all that the test did with it. Only the last answer counts."""
    thing = through(asking(history["start"], through))
    for step in history["steps"]:
        with contextlib.suppress(Exception):
            through(_part(thing, step, through))
    return thing
