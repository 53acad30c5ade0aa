"""The heads of suites: their heirs, and the defaults of their parameters."""

import re
from itertools import islice

from assay.detectors.test_code.engine.expressions.words import split
from assay.detectors.test_code.engine.reading import FAR, Reading

_FAR_BEFORE = 400


_ENDS = re.compile(r"[{};()]")


def has_heirs(reading: Reading, name: str) -> bool:
    """Whether a class of the file extends another one."""
    text = reading.tree.text
    for found in islice(re.finditer(rf"\b{name}\b", text), FAR):
        before = _ENDS.split(text[max(0, found.start() - _FAR_BEFORE) : found.start()])[-1]
        if ":" in before or "extends" in before:
            return True
    return False


def parameter_defaults(reading: Reading, takes: str) -> dict[str, list[str]]:
    """Default values of parameters."""
    if "=" not in takes:
        return {}
    parts = [each for each in split(reading.words_in(takes)) if "=" in each]
    return {each[0]: each[each.index("=") + 1 :] for each in parts}
