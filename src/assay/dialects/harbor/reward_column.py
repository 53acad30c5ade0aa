"""The rewards of many trials in order, in a few bytes each: numbers in one array, and their names once."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from assay.dialects.harbor.rewards import Rewards


class RewardColumn(Sequence[Rewards | None]):
    """Rewards that are kept as they were added, with the type of every number. They are read one after another."""

    def __init__(self) -> None:
        # The names and types of rewards, by a number that most often fits in a byte.
        self._shapes: dict[tuple[tuple[str, type], ...] | None, int] = {}
        self._shape = array("B")
        self._values = array("d")
        # Ints, which a float may not hold, by their place.
        self._exact: dict[int, float] = {}

    def append(self, rewards: Rewards | None) -> None:
        shape = None if rewards is None else tuple((name, value.__class__) for name, value in rewards.items())
        number = self._shapes.setdefault(shape, len(self._shapes))
        if number == _MOST_IN_A_BYTE:
            self._shape = array("L", self._shape)
        self._shape.append(number)
        for value in () if rewards is None else rewards.values():
            if value.__class__ is not float and not (value.__class__ is int and -_EXACT <= value <= _EXACT):
                self._exact[len(self._values)] = value
                self._values.append(0.0)
            else:
                self._values.append(value)

    def __len__(self) -> int:
        return len(self._shape)

    def __iter__(self) -> Iterator[Rewards | None]:
        shapes, values, begin = list(self._shapes), self._values, 0
        for shape in map(shapes.__getitem__, self._shape):
            if shape is None:
                yield None
                continue
            yield {
                name: values[place] if kind is float else self._exact.get(place, kind(values[place]))
                for place, (name, kind) in enumerate(shape, begin)
            }
            begin += len(shape)

    @overload
    def __getitem__(self, index: int) -> Rewards | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rewards | None]: ...
    def __getitem__(self, index: int | slice) -> Rewards | list[Rewards | None] | None:
        if isinstance(index, slice):
            return list(self)[index]
        return next(islice(self, range(len(self))[index], None))


_EXACT = 2**53
_MOST_IN_A_BYTE = 256
