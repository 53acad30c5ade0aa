"""Places in a file of criteria, such as ``criteria[0].assertion.fields[2].path``, and remarks on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding whose line is not looked up yet."""

    rule: str
    place: Place
    why: str


def line_of(place: Sequence[str | int], lines: Mapping[Place, int]) -> int | None:
    """The line of a place, or of the nearest thing around it that is in the file."""
    for length in range(len(place), -1, -1):
        if tuple(place[:length]) in lines:
            return lines[tuple(place[:length])]
    return None


def spelled(place: Sequence[str | int]) -> str:
    """A place as an author would write it."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")
