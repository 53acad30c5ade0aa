"""Asks functions the same again, with nothing around that looks like a test. Assay never imports it.

It follows the text of spelling.py. It reads itself and the questions from standard input, and writes the answers
to the file that they name.
"""

import importlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.spelling import asking, fault, telling  # noqa: TC004 - it is above this text

ASKED: dict[str, Any] = json.loads(sys.stdin.readline())


def answer(call: dict[str, Any]) -> "list[Any] | None":
    """The program's answer. Only a module that can't be imported here gives none."""
    try:
        importlib.import_module(call["module"])
    except Exception:  # noqa: BLE001 - whatever is raised
        return None
    try:
        told = asking(call)()
        text = telling(told) or f"something of type {type(told).__name__}"
    except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
        return [True, fault(error, ASKED["root"] + os.sep)]
    return [False, text]


sys.path[:0] = [os.path.join(ASKED["root"], one) if one else ASKED["root"] for one in ("", *ASKED["path"])]
found = [answer(call) for call in ASKED["calls"]]
with open(ASKED["to"], "w", encoding="utf-8") as written:
    json.dump(found, written)
os._exit(0)
