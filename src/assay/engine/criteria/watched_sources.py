"""Sources that note when somebody waits for them: each passes on what the real one answers.

Says what a grading is waiting for, so that a slow source isn't mistaken for a command that hangs.

A source is named once, when one of its answers takes longer than a couple of seconds. Nothing of what is asked or
answered is said.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

from assay.evidence.playground import FhirSource, FileSource, StoredFile, validated
from assay.evidence.verdict import Answer, Judge, Question

PATIENCE_SEC: Final = 2.0
Say = Callable[[str], None]
Item = TypeVar("Item")


class Waits:
    """The sources that somebody is waiting for. Safe to use from several threads."""

    def __init__(self, say: Say, clock: Callable[[], float]) -> None:
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        self._since: dict[object, tuple[str, float]] = {}
        self._said: set[str] = set()

    @contextmanager
    def of(self, source: str) -> Iterator[None]:
        """Inside this context, somebody is waiting for the source."""
        question = object()
        self._since[question] = source, self._clock()
        try:
            yield
        finally:
            del self._since[question]

    def each(self, source: str, ask: Callable[[], Iterable[Item]]) -> Iterator[Item]:
        """The items as they come. Only the time until the next one counts, not what is done with it."""
        with self.of(source):
            rest = iter(ask())
        while True:
            with self.of(source):
                try:
                    item = next(rest)
                except StopIteration:
                    return
            yield item

    def look(self) -> None:
        """Name the sources that have kept somebody waiting for long."""
        now = self._clock()
        with self._lock:
            late = {source for source, since in list(self._since.values()) if now - since >= PATIENCE_SEC}
            for source in sorted(late - self._said):
                self._said.add(source)
                self._say(f"waiting for {source}")


@dataclass(frozen=True, slots=True)
class WatchedFhir:
    """Fulfils ``FhirSource``."""

    source: FhirSource
    name: str
    waits: Waits

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        return self.waits.each(self.name, lambda: self.source.search(resource_type, parameters))

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        with self.waits.of(self.name):
            return self.source.read(resource_type, identity)

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        with self.waits.of(self.name):
            return validated(self.source, resource, profile)


@dataclass(frozen=True, slots=True)
class WatchedFiles:
    """Fulfils ``FileSource``."""

    source: FileSource
    name: str
    waits: Waits

    def files(self) -> Iterator[StoredFile]:
        return self.waits.each(self.name, self.source.files)

    def chunks(self, path: str) -> Iterator[bytes]:
        return self.waits.each(self.name, lambda: self.source.chunks(path))


@dataclass(frozen=True, slots=True)
class WatchedJudge:
    """Fulfils ``Judge``."""

    source: Judge
    name: str
    waits: Waits

    def opinion(self, question: Question) -> Answer:
        with self.waits.of(self.name):
            return self.source.opinion(question)
