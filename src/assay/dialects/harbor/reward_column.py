"""The rewards of many trials in order, in a few bytes each: numbers in one array, and their names once."""

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from assay.dialects.harbor.rewards import Rewards


class RewardColumn(Sequence[Rewards | None]):
    """Rewards that are kept as they were added, with the type of every number."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[tuple[str, type], ...] | None, int] = {}
        self._names: list[tuple[tuple[str, type], ...] | None] = []
        self._shape = array("L")
        self._starts = array("Q")
        self._values = array("d")
        # Ints, which a float may not hold, by their place.
        self._exact: dict[int, float] = {}

    def append(self, rewards: Rewards | None) -> None:
        shape = None if rewards is None else tuple((name, value.__class__) for name, value in rewards.items())
        number = self._shapes.get(shape)
        if number is None:
            number = self._shapes[shape] = len(self._names)
            self._names.append(shape)
        self._shape.append(number)
        self._starts.append(len(self._values))
        for value in () if rewards is None else rewards.values():
            if value.__class__ is not float and not (value.__class__ is int and -_EXACT <= value <= _EXACT):
                self._exact[len(self._values)] = value
                self._values.append(0.0)
            else:
                self._values.append(value)

    def __len__(self) -> int:
        return len(self._shape)

    def __iter__(self) -> Iterator[Rewards | None]:
        return (self._at(shape, start) for shape, start in zip(self._shape, self._starts, strict=True))

    @overload
    def __getitem__(self, index: int) -> Rewards | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rewards | None]: ...
    def __getitem__(self, index: int | slice) -> Rewards | list[Rewards | None] | None:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        return self._at(self._shape[index], self._starts[index])

    def _at(self, number: int, start: int) -> Rewards | None:
        shape = self._names[number]
        if shape is None:
            return None
        values = self._values
        return {
            name: values[place] if kind is float else self._exact.get(place, kind(values[place]))
            for place, (name, kind) in enumerate(shape, start)
        }


_EXACT = 2**53
