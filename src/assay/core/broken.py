"""Where something broke, for a log: the text of an error may hold values of a run, and is left out."""

import traceback
from typing import Final

LINES: Final = 6


def where_it_broke(error: BaseException) -> str:
    """The kind of an error, and the last lines that led to it."""
    lines = traceback.extract_tb(error.__traceback__)[-LINES:]
    return f"{type(error).__name__} at " + " > ".join(f"{one.filename}:{one.lineno}" for one in lines)
