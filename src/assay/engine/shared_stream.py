"""What a source gives bit by bit, for several readers: it is taken once, and no further than anybody reads."""

import threading
from collections.abc import Iterator
from itertools import count
from typing import Generic, TypeVar

Item = TypeVar("Item")


class SharedStream(Generic[Item]):
    """May be iterated several times and from several threads. An error comes to all who get that far."""

    def __init__(self, source: Iterator[Item]) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._taken: list[Item] = []
        self._ended = False
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[Item]:
        for index in count():
            # What is taken stays, so that only who comes to its end needs the lock.
            if index >= len(self._taken) and not self._has(index):
                return
            yield self._taken[index]

    def _has(self, index: int) -> bool:
        with self._lock:
            if index >= len(self._taken) and not self._ended:
                self._take()
            if index < len(self._taken):
                return True
            if self._error is not None:
                raise self._error
            return False

    def _take(self) -> None:
        try:
            self._taken.append(next(self._source))
        except StopIteration:
            self._ended = True
        except Exception as error:  # noqa: BLE001 - it is raised again, to everyone
            self._ended, self._error = True, error
