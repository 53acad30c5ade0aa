"""How large a pattern becomes when it is compiled: its repetitions are written out, also those of repetitions."""

import re
from typing import Final

_PARTS: Final = re.compile(
    r"\\.|\[[^\]\\]{0,400}+(?:\\.[^\]\\]{0,400}+){0,100}+\]|\{([0-9]{0,9})(?:,([0-9]{0,9}))?\}|.", re.DOTALL
)


def expanded_size(pattern: str) -> int:
    """About how many parts there are, so that ``(ab){3}`` has six. An invalid pattern has some size, too."""
    # One total for each group that is open.
    totals, last = [0], 0
    for part in _PARTS.finditer(pattern):
        if part[0] == "(":
            totals.append(0)
            last = 0
        elif part[0] == ")" and len(totals) > 1:
            last = totals.pop()
            totals[-1] += last
        elif part[0] == "+":
            # The library writes what is repeated twice: once, and any number of times.
            totals[-1] += last
            last *= 2
        elif part[1] is not None:
            times = max(int(count or 0) for count in part.groups()) + (part[2] == "")
            totals[-1] += last * max(times - 1, 0)
            last *= max(times, 1)
        else:
            totals[-1] += 1
            last = 1
    return sum(totals)
