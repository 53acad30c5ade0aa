"""Spells values as Python source, where that says all of them. Recorder and asker both begin with its text."""

from __future__ import annotations

import datetime
import decimal
import fractions
import functools
import math
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


def spell(value: Any) -> str | None:
    """The value as source; None where that would leave something out."""
    try:
        text = _spelled(value, 0)
    except UnspokenError:
        return None
    return text if len(text) <= LONGEST else None


def unspell(text: str) -> Any:
    return eval(text, dict(NAMES))  # noqa: S307 - it is a literal, and every name in it is one of ours


def _spelled(value: Any, deep: int) -> str:
    kind = type(value)
    if deep > DEEPEST or (isinstance(value, (str, bytes, list, tuple, dict, set)) and len(value) > LONGEST):
        raise UnspokenError
    if kind in ATOMS or kind in WORDS or kind is bytearray:
        return repr(value)
    if kind in TIMES and getattr(value, "tzinfo", None) is None:
        return repr(value)
    if kind is dict:
        pairs = (f"{_spelled(one, deep + 1)}: {_spelled(value[one], deep + 1)}" for one in value)
        return f"{{{', '.join(pairs)}}}"
    if kind not in (list, tuple, set, frozenset):
        raise UnspokenError
    parts = [_spelled(one, deep + 1) for one in value]
    if kind is list:
        return f"[{', '.join(parts)}]"
    if kind is tuple:
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    # The order of a set is another one in each process.
    return f"{kind.__name__}([{', '.join(sorted(parts))}])"


def fault(error: BaseException, root: str) -> str:
    """What was raised, without the folder that the project happens to be in."""
    lines = str(error).replace(root, "").splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def asking(function: Any, call: dict[str, Any]) -> Any:
    """A question that was written down, ready to be asked: with new objects every time."""
    given = {name: unspell(text) for name, text in call["arguments"].items()}
    rest, named = given.pop("*", ()), given.pop("**", {})
    first = [given.pop(name) for name in call["positional"]]
    return functools.partial(function, *first, *rest, **given, **named)
