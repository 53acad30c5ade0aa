"""Which sources are named as waited for, and when. The clock is the test's own."""

from collections.abc import Callable, Iterator, Mapping

import pytest

from assay.engine.criteria.watched_sources import Waits, WatchedFhir, WatchedFiles, WatchedJudge
from assay.evidence.playground import StoredFile
from assay.evidence.verdict import Answer, NoOpinion, Question


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """Every kind of source. Each answer takes as long as is said, and the clock is looked at just before it."""

    def __init__(self, *seconds: float) -> None:
        self.clock = Clock()
        self.said: list[str] = []
        self.waits = Waits(self.said.append, self.clock)
        self._seconds = iter(seconds)

    def _answer(self) -> None:
        self.clock.now += next(self._seconds)
        self.waits.look()

    def read(self, _type: str, _id: str) -> dict[str, object] | None:
        self._answer()
        return None

    def search(self, _type: str, _parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        for _ in range(2):
            self._answer()
            yield {}

    def files(self) -> Iterator[StoredFile]:
        self._answer()
        return iter(())

    def chunks(self, _path: str) -> Iterator[bytes]:
        self._answer()
        yield b""

    def opinion(self, _question: Question) -> Answer:
        self._answer()
        return NoOpinion("")


Ask = Callable[[Slow], object]
QUESTION = Question(("a",), (), ())
ASKED: dict[str, Ask] = {
    "read": lambda slow: WatchedFhir(slow, "it", slow.waits).read("Patient", "p"),
    "search": lambda slow: list(WatchedFhir(slow, "it", slow.waits).search("Patient", {})),
    "files": lambda slow: list(WatchedFiles(slow, "it", slow.waits).files()),
    "chunks": lambda slow: list(WatchedFiles(slow, "it", slow.waits).chunks("a")),
    "opinion": lambda slow: WatchedJudge(slow, "it", slow.waits).opinion(QUESTION),
}


@pytest.mark.parametrize(
    ("asked", "seconds", "said"),
    [
        ("read", [1.9], []),
        ("read", [2.0], ["waiting for it"]),
        ("read", [60], ["waiting for it"]),
        ("search", [1.9, 1.9], []),
        ("search", [0, 3], ["waiting for it"]),
        ("search", [3, 3], ["waiting for it"]),
        ("files", [3], ["waiting for it"]),
        ("chunks", [3], ["waiting for it"]),
        ("opinion", [3], ["waiting for it"]),
    ],
)
def test_a_source_is_named_once_when_an_answer_takes_long(
    asked: str, seconds: list[float], said: list[str]
) -> None:
    slow = Slow(*seconds)
    ASKED[asked](slow)
    assert slow.said == said


def test_what_is_done_with_an_answer_is_no_waiting() -> None:
    slow = Slow(0, 0)
    for _ in WatchedFhir(slow, "it", slow.waits).search("Patient", {}):
        slow.clock.now += 100
        slow.waits.look()
    assert slow.said == []


def test_each_source_is_named_and_one_that_failed_is_not_waited_for() -> None:
    clock, said = Clock(), list[str]()
    waits = Waits(said.append, clock)
    with pytest.raises(OSError, match="gone"), waits.of("c"):
        raise OSError("gone")
    with waits.of("b"), waits.of("a"), waits.of("b"):
        clock.now += 5
        waits.look()
        waits.look()
    assert said == ["waiting for a", "waiting for b"]
