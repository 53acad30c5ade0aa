"""Answers with the builtin ``sum`` of whichever Python runs this: a JSON list of lists a line in, reprs out."""

import json
import sys


def answer(values: list[float]) -> str:
    try:
        return repr(sum(values))
    except OverflowError as error:
        return type(error).__name__


for line in sys.stdin:
    print(json.dumps([answer(values) for values in json.loads(line)]), flush=True)
