"""What an output may hold that no JSON Schema can be applied to, and that the schema library may fail on.

YAML and TOML can write more than JSON: keys that aren't texts, sets, bytes, numbers that aren't finite. Python
can't write down whole numbers of many thousand digits. An agent chooses all of that, so a failure that it causes
is a fault of the output. Any other failure is a broken measurement.
"""

import math
from collections.abc import Iterator
from typing import Any

from assay.dialects.evaluation.depth import is_deeper

# A schema that is fit for use can be followed into so many levels of a value before the calls go too deep.
LEVELS = 20
# Python's own limit for writing a whole number down.
DIGITS = 4300
_MOST = 10**DIGITS


def out_of_bounds(value: Any) -> str | None:
    """Why no schema can be applied to a value; None where one can."""
    if is_deeper(value, LEVELS):
        return f"the output is nested deeper than {LEVELS} levels"
    return next((why for one in _parts(value) if (why := _not_json(one)) is not None), None)


def _parts(value: Any) -> Iterator[Any]:
    pending = [value]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, dict | list):
            pending += one.values() if isinstance(one, dict) else one


def _not_json(one: Any) -> str | None:
    if isinstance(one, dict):
        return None if all(isinstance(key, str) for key in one) else "the output has a key that isn't a text"
    if isinstance(one, float):
        return None if math.isfinite(one) else "the output has a number that isn't finite"
    if isinstance(one, int):
        return None if abs(one) < _MOST else f"the output has a number of more than {DIGITS} digits"
    return None if one is None or isinstance(one, str | list) else "the output has a value that JSON doesn't know"
