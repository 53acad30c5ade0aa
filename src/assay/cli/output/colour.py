"""Colour for the words that say what a run or a scorer came to, on terminals only.

NO_COLOR switches it off, FORCE_COLOR on, and TERM=dumb has none. Only words in a column of their own are coloured,
not what an agent wrote.
"""

import os
import re
from collections.abc import Mapping

GREEN, RED, YELLOW = "32", "31", "33"
_COLOURS = {
    **dict.fromkeys(("PASS", "passed"), GREEN),
    **dict.fromkeys(("FAIL", "failed"), RED),
    **dict.fromkeys(("ERROR", "broken", "unusable", "partial", "UNPARSEABLE"), YELLOW),
}
_WORD = re.compile(rf"(?<=  )(?:{'|'.join(_COLOURS)})(?=,|  |$)", re.MULTILINE)


def with_colour(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """The text for a terminal, or for whoever sets FORCE_COLOR."""
    return _WORD.sub(_coloured, text) if _wanted(environment) else text


def _coloured(word: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[word[0]]}m{word[0]}\x1b[0m"


def _wanted(environment: Mapping[str, str]) -> bool:
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return environment.get("TERM") != "dumb"
