"""Durations as people write them: 1h30m, 45m, 2h."""

import re

_PART = re.compile(r"(\d+)([hm])")
_WHOLE = re.compile(r"(?:\d+[hm])+")


def minutes(text):
    """The number of minutes in a text such as 1h30m."""
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"{text!r} must be a duration such as 1h30m")
    return sum(int(number) * (60 if unit == "h" else 1) for number, unit in _PART.findall(text))
