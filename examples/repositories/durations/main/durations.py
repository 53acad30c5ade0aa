"""Durations as people write them: 1h30m, 45m, 2h."""

import re

_PART = re.compile(r"(\d+)([hm])")


def minutes(text):
    """The number of minutes in a text such as 1h30m."""
    found = _PART.search(text)
    if found is None:
        raise ValueError(f"{text!r} must be a duration such as 1h30m")
    return int(found[1]) * (60 if found[2] == "h" else 1)
