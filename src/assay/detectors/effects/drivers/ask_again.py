"""Asks functions the same again, with nothing around that looks like a test. Assay never imports it.

It reads itself and the questions from standard input, and writes the answers to the file that they name.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import sys
from typing import Any

ASKED: dict[str, Any] = json.loads(sys.stdin.readline())


def answer(call: dict[str, Any]) -> list[Any]:
    arguments = {name: ast.literal_eval(text) for name, text in call["arguments"].items()}
    try:
        function = getattr(importlib.import_module(call["module"]), call["name"])
        return [False, repr(function(**arguments))]
    except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
        return [True, type(error).__name__]


sys.path[:0] = [os.path.join(ASKED["root"], one) if one else ASKED["root"] for one in ("", *ASKED["path"])]
found = [answer(call) for call in ASKED["calls"]]
with open(ASKED["to"], "w", encoding="utf-8") as written:
    json.dump(found, written)
os._exit(0)
