"""Asks functions the same again, with nothing around that looks like a test. Assay never imports it.

It follows the text of spelling.py. It reads itself and the questions from standard input, and writes the answers
to the file that they name.
"""

import importlib
import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.spelling import UnspokenError, asking, fault, telling, whole  # noqa: TC004 - it is above this text

ASKED: dict[str, Any] = json.loads(sys.stdin.readline())
PATIENCE = ASKED["patience"]
ENDS = time.monotonic() + 60 * (PATIENCE or 0)


class LateError(BaseException):
    """A question that nobody waits for any more."""


def stop(*_: Any) -> None:
    raise LateError


def in_time(call: dict[str, Any]) -> "list[Any] | None":
    """The program's answer, if it comes while somebody waits."""
    if PATIENCE is None:
        return answer(call)
    if time.monotonic() > ENDS:
        return None
    try:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            return answer(call)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except LateError:
        return None


def answer(call: dict[str, Any]) -> "list[Any] | None":
    """The program's answer. A module that can't be imported and a question that can't be asked give none."""
    try:
        importlib.import_module(call["module"])
    except Exception:  # noqa: BLE001 - whatever is raised
        return None
    try:
        told = whole(asking(call)())
        text = telling(told) or f"something of type {type(told).__name__}"
    except UnspokenError:
        return None
    except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
        return [True, fault(error, ASKED["root"] + os.sep)]
    return [False, text]


sys.path[:0] = [os.path.join(ASKED["root"], one) if one else ASKED["root"] for one in ("", *ASKED["path"])]
signal.signal(signal.SIGALRM, stop)
found = [in_time(call) for call in ASKED["calls"]]
with open(ASKED["to"], "w", encoding="utf-8") as written:
    json.dump(found, written)
os._exit(0)
