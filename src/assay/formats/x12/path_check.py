"""Whether a path can find anything at all in the sets of a guide."""

from itertools import pairwise

from assay.formats.x12.guide import Guide, Loop
from assay.formats.x12.path import OUTSIDE_LOOPS, Path


def why_never(path: Path, guide: Guide) -> str | None:
    """Why a path finds nothing in any set that follows a guide, and what would be right; None if it may."""
    if path.segment in OUTSIDE_LOOPS:
        return None
    for step in path.loops:
        if step.id != "*" and step.id not in guide.loops:
            return f"{guide.name} has no loop {step.id}; it has {', '.join(guide.loops)}"
    holding = [loop.id for loop in guide.loops.values() if path.segment in _segments(loop)]
    if not holding:
        return f"{guide.name} has no segment {path.segment}"
    if path.loops and path.loops[-1].id not in ("*", *holding):
        return f"{path.segment} is not in loop {path.loops[-1].id} of {guide.name}; it is in {', '.join(holding)}"
    return _wrong_order(path, guide)


def _segments(loop: Loop) -> frozenset[str]:
    return loop.segments | {begin.segment for begin in loop.begins}


def _wrong_order(path: Path, guide: Guide) -> str | None:
    names = [step.id for step in path.loops if step.id != "*"]
    for outer, inner in pairwise(names):
        around = _around(inner, guide)
        if outer not in around:
            return f"{inner} is not in {outer}; it is in {', '.join(sorted(around))}"
    return None


def _around(name: str, guide: Guide) -> set[str]:
    """The loops that a loop may stand in, at any depth."""
    found: set[str] = set()
    left = list(guide.loops[name].parents)
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += guide.loops[one].parents
    return found
