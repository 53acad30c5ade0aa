"""Values to be read one after another: a few are in memory, and many in a file, so that memory doesn't grow.

The file is one that the process alone can see, so what comes back is what was put there.
"""

import pickle
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import BinaryIO, Final, Generic, TypeAlias, TypeVar, overload

import msgspec

Value = TypeVar("Value")

IN_MEMORY: Final = 4096
_AT_ONCE: Final = 256
_PICKLED: Final = pickle.PROTO

OpenScratch: TypeAlias = Callable[[], BinaryIO]
"""Opens an empty file without a name and without a buffer."""


class Spool(Sequence[Value], Generic[Value]):
    """A sequence of values of one kind that is filled once. Each pass over it decodes the values again."""

    def __init__(self, kind: type[Value], scratch: OpenScratch, in_memory: int = IN_MEMORY) -> None:
        self._kind, self._scratch, self._in_memory = kind, scratch, in_memory
        self._decode = msgspec.msgpack.Decoder(kind).decode if issubclass(kind, msgspec.Struct) else pickle.loads
        self._values: list[Value] = []
        self._file: BinaryIO | None = None
        self._waiting: list[bytes] = []
        # Of each value its length, and of each so many where the first one begins.
        self._lengths, self._begins, self._end = array("I"), array("Q"), 0

    def append(self, value: Value) -> None:
        if self._file is None:
            self._values.append(value)
            if len(self._values) > self._in_memory:
                self._file = self._opened()
                for one in self._values:
                    self._add(self._encoded(one))
                self._values = []
        else:
            self._add(self._encoded(value))

    def ordered(self, positions: Sequence[int]) -> "Sequence[Value]":
        """The values at these positions: a list of few, or a new spool."""
        if self._file is None:
            return [self._values[position] for position in positions]
        found = Spool(self._kind, self._scratch, 0)
        found._file = found._opened()
        for position in positions:
            found._add(self._read(position, position + 1)[0])
        return found

    def __len__(self) -> int:
        return len(self._values) if self._file is None else len(self._lengths)

    def __iter__(self) -> Iterator[Value]:
        if self._file is None:
            yield from self._values
            return
        for start in range(0, len(self), _AT_ONCE):
            for one in self._read(start, min(start + _AT_ONCE, len(self))):
                yield self._decoded(one)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        position = range(len(self))[index]
        return (
            self._values[position] if self._file is None else self._decoded(self._read(position, position + 1)[0])
        )

    def _opened(self) -> BinaryIO:
        file = self._scratch()
        weakref.finalize(self, file.close)
        return file

    def _encoded(self, value: Value) -> bytes:
        try:
            if isinstance(value, msgspec.Struct):
                return msgspec.msgpack.encode(value)
        except (OverflowError, UnicodeEncodeError):
            pass  # An int or a text that only JSON can hold.
        return pickle.dumps(value)

    def _decoded(self, data: bytes) -> Value:
        return pickle.loads(data) if data[:1] == _PICKLED else self._decode(data)  # noqa: S301 - written here

    def _add(self, data: bytes) -> None:
        self._waiting.append(data)
        if not len(self._lengths) % _AT_ONCE:
            self._begins.append(self._end)
        self._lengths.append(len(data))
        self._end += len(data)
        if len(self._waiting) >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        data = b"".join(self._waiting)
        self._waiting.clear()
        assert self._file is not None  # noqa: S101 - narrows the type
        self._file.seek(self._end - len(data))
        while data:
            data = data[self._file.write(data) :]

    def _read(self, start: int, stop: int) -> list[bytes]:
        if self._waiting:
            self._flush()
        assert self._file is not None  # noqa: S101 - narrows the type
        block, lengths = start // _AT_ONCE, self._lengths[start:stop]
        self._file.seek(self._begins[block] + sum(self._lengths[block * _AT_ONCE : start]))
        ends = [0, *accumulate(lengths)]
        data = b""
        while len(data) < ends[-1]:
            data += self._file.read(ends[-1] - len(data)) or _cut_short()
        return [data[one:other] for one, other in pairwise(ends)]


def _cut_short() -> bytes:
    raise OSError("a temporary file was cut short")


def joined(parts: Iterable[Sequence[Value]]) -> "Sequence[Value]":
    """Several sequences as one. What is in files stays there."""
    known = list(parts)
    if len(known) == 1:
        return known[0]
    if any(isinstance(one, Spool) for one in known):
        return Lazy(lambda: (value for part in known for value in part), sum(map(len, known)))
    return [value for part in known for value in part]


class Lazy(Sequence[Value], Generic[Value]):
    """A sequence of which each pass makes the values again."""

    __slots__ = ("_length", "_make")

    def __init__(self, make: Callable[[], Iterator[Value]], length: int) -> None:
        self._make, self._length = make, length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Value]:
        return self._make()

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        if isinstance(index, slice):
            return list(self)[index]
        position = range(self._length)[index]
        return next(value for number, value in enumerate(self) if number == position)
