"""Assertions that nothing around them changes: most stand in a file both before and after a change."""

import re
from collections.abc import Callable, Hashable, Mapping

from assay.detectors.test_code.engine.demand import WrittenDemand

_MOST, _LONGEST, _FEW = 8192, 500, 24
_WORD, _NAME = re.compile(r"[^\W\d]\w*"), re.compile(r"[$@]{0,2}[^\W\d][\w$]*")
_KNOWN: dict[Hashable, list[WrittenDemand] | None] = {}


def _mentions(source: str, constants: Mapping[str, str]) -> bool:
    """Whether any of the constants may stand in a source."""
    if len(constants) <= _FEW:
        return any(name in source for name in constants)
    return not constants.keys().isdisjoint(_WORD.findall(source)) or not constants.keys().isdisjoint(
        _NAME.findall(source)
    )


def remembered(
    key: tuple[Hashable, ...],
    source: str,
    constants: Mapping[str, str],
    make: Callable[[], list[WrittenDemand] | None],
) -> list[WrittenDemand] | None:
    """The result of ``make`` for a source, once for each key as long as no constant of the file is in it."""
    if len(source) > _LONGEST or "<<" in source or _mentions(source, constants):
        # A heredoc is only announced there: its text comes later.
        return make()
    whole = (*key, source)
    if whole not in _KNOWN:
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        _KNOWN[whole] = make()
    found = _KNOWN[whole]
    return None if found is None else list(found)
