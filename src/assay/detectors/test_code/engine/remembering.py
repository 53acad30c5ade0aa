"""Assertions that nothing around them changes: most stand in a file both before and after a change."""

from collections.abc import Callable, Hashable, Mapping

from assay.detectors.test_code.engine.demand import WrittenDemand

_MOST, _LONGEST = 8192, 500
_KNOWN: dict[Hashable, list[WrittenDemand] | None] = {}


def remembered(
    key: tuple[Hashable, ...],
    source: str,
    constants: Mapping[str, str],
    make: Callable[[], list[WrittenDemand] | None],
) -> list[WrittenDemand] | None:
    """What ``make`` makes of a source, asked once for each key as long as no constant of the file is in it."""
    if len(source) > _LONGEST or "<<" in source or any(name in source for name in constants):
        # A heredoc is only announced there: its text comes later.
        return make()
    whole = (*key, source)
    if whole not in _KNOWN:
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        _KNOWN[whole] = make()
    found = _KNOWN[whole]
    return None if found is None else list(found)
