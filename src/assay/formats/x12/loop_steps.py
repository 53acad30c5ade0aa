"""Which segments stand in the loops that a path names."""

from assay.formats.x12.loops import LoopAt, Placed
from assay.formats.x12.path import LoopStep


def in_loops(
    placed: tuple[Placed, ...], steps: tuple[LoopStep, ...], loops: tuple[LoopAt, ...]
) -> tuple[Placed, ...]:
    """The segments whose own loop is the last that is named, inside the others from the outside in."""
    if all(step.number is None for step in steps):
        return _by_names(placed, tuple(step.id for step in steps))
    chosen = _chosen(steps, loops)
    return tuple(one for one in placed if one.loop.order in chosen)


def _by_names(placed: tuple[Placed, ...], names: tuple[str, ...]) -> tuple[Placed, ...]:
    if names == ("*",):
        return placed
    if len(names) == 1:
        return tuple(one for one in placed if one.loop.id == names[0])
    return tuple(one for one in placed if _stands_in(one.loop.path, names))


def _stands_in(path: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether a loop's path ends with the last name and has the others before it in this order."""
    *outer, own = names
    if own not in ("*", path[-1]):
        return False
    rest = iter(path[-2::-1])
    return all(any(name in ("*", one) for one in rest) for name in reversed(outer))


def _chosen(steps: tuple[LoopStep, ...], loops: tuple[LoopAt, ...]) -> set[int]:
    """The loops that are meant, by their order. A number counts loops inside what stands left of it."""
    chosen: set[int] | None = None
    for step in steps:
        found = [
            loop.order
            for loop in loops
            if step.id in ("*", loop.id) and (chosen is None or _is_inside(loop, chosen))
        ]
        chosen = set(found if step.number is None else found[step.number - 1 : step.number])
    return chosen or set()


def _is_inside(loop: LoopAt, outer: set[int]) -> bool:
    at = loop.parent
    while at is not None:
        if at.order in outer:
            return True
        at = at.parent
    return False
