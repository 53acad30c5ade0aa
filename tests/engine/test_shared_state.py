"""Every source is asked once for each thing, by however many criteria at once."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.core.errors import MeasurementError
from assay.engine.criteria.shared_state import KEPT_FILE_BYTES, SharedJudge, SharedState, SharedStream
from assay.evidence.playground import Event, PlaygroundState, StateRow, StoredFile, Turn, anew, made_once
from assay.evidence.verdict import Answer, NoOpinion, Opinion, Question, opinion
from tests.checks.criteria.fake_state import AFTER, START, FakeState

PAUSE_SEC = 0.02
READERS = 8


class Counting:
    """A playground with all sources that takes a while to answer, and counts the questions."""

    run_start = START

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.fhir = self
        self.files = Files(self)

    def count(self, question: str) -> None:
        time.sleep(PAUSE_SEC)
        self.asked[question] += 1

    def events(self, event_type: str) -> Sequence[Event]:
        self.count(f"events {event_type}")
        return [Event("1", event_type, b"", AFTER)]

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        self.count(f"rows {resource}")
        return []

    def turns(self) -> Sequence[Turn]:
        self.count("turns")
        return []

    def x12_responses(self) -> Sequence[Event]:
        self.count("x12")
        return []

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        for page in range(3):
            self.count(f"{resource_type} {dict(parameters)} page {page}")
            yield {"id": str(page)}

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        self.count(f"{resource_type}/{identity}")
        return None


class Files:
    """A small file and one that is too large to be kept."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting

    def files(self) -> list[StoredFile]:
        self._counting.count("listing")
        return [StoredFile("small", 4, AFTER), StoredFile("large", KEPT_FILE_BYTES + 1, AFTER)]

    def chunks(self, path: str) -> Iterator[bytes]:
        self._counting.count(f"content {path}")
        yield from (b"ab", b"cd")


def by_all(state: PlaygroundState, ask: Callable[[PlaygroundState], object]) -> list[object]:
    with ThreadPoolExecutor(READERS) as threads:
        return list(threads.map(lambda _: ask(state), range(READERS)))


@pytest.mark.parametrize(
    ("ask", "question"),
    [
        (lambda state: state.events("hl7_outbound"), "events hl7_outbound"),
        (lambda state: state.state_rows("claims"), "rows claims"),
        (lambda state: state.turns(), "turns"),
        (lambda state: state.x12_responses(), "x12"),
        (lambda state: state.fhir.read("Patient", "1"), "Patient/1"),
        (lambda state: next(state.fhir.search("Patient", {"name": "a"})), "Patient {'name': 'a'} page 0"),
        (lambda state: list(state.files.files()), "listing"),
    ],
)
def test_it_is_asked_once_by_many_at_the_same_time(
    ask: Callable[[PlaygroundState], object], question: str
) -> None:
    counting = Counting()
    answers = by_all(SharedState(counting), ask)
    assert counting.asked == {question: 1}
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    "other", [{"name": "b"}, {"name": "a", "active": True}, {"active": 1, "name": "a"}, {"name": ["a"]}, {}]
)
def test_another_question_is_asked(other: dict[str, object]) -> None:
    counting = Counting()
    state = SharedState(counting)
    next(state.fhir.search("Patient", {"name": "a"}))
    next(state.fhir.search("Patient", other))
    assert counting.asked.total() == 2


def test_pages_are_asked_for_only_as_far_as_somebody_reads() -> None:
    counting = Counting()
    state = SharedState(counting)
    next(state.fhir.search("Patient", {}))
    assert counting.asked.total() == 1
    assert by_all(state, lambda shared: len(list(shared.fhir.search("Patient", {})))) == [3] * READERS
    assert counting.asked.total() == 3


def test_small_files_are_read_once_and_large_ones_are_not_kept() -> None:
    counting = Counting()
    state = SharedState(counting)
    assert by_all(state, lambda shared: b"".join(shared.files.chunks("small"))) == [b"abcd"] * READERS
    assert by_all(state, lambda shared: b"".join(shared.files.chunks("large"))) == [b"abcd"] * READERS
    assert counting.asked == {"listing": 1, "content small": 1, "content large": READERS}


def test_a_source_that_is_down_is_so_for_all_and_asked_once() -> None:
    class Down(Counting):
        def turns(self) -> Sequence[Turn]:
            self.count("turns")
            raise MeasurementError("the store is down")

    counting = Down()

    def failed(state: PlaygroundState) -> str:
        with pytest.raises(MeasurementError) as raised:
            state.turns()
        return str(raised.value)

    assert by_all(SharedState(counting), failed) == ["the store is down"] * READERS
    assert counting.asked == {"turns": 1}


def test_anew_nothing_is_remembered() -> None:
    counting = Counting()
    state = SharedState(counting)
    for view in (state, state, anew(state), anew(state)):
        view.fhir.read("Patient", "1")
    assert counting.asked == {"Patient/1": 3}


def test_a_state_that_does_not_remember_is_always_new() -> None:
    state, made = FakeState(), []
    assert anew(state) is state
    for _ in range(2):
        made_once(state, "thing", lambda: made.append(1))
    assert made == [1, 1]


def test_what_is_made_of_answers_is_made_once() -> None:
    made = []

    def make() -> int:
        time.sleep(PAUSE_SEC)
        made.append(1)
        return 7

    assert by_all(SharedState(Counting()), lambda state: made_once(state, "thing", make)) == [7] * READERS
    assert made == [1]


def test_when_it_is_stopped_nobody_goes_on() -> None:
    state = SharedState(Counting())
    later = state.anew()
    state.stop()
    for view in (state, later):
        with pytest.raises(MeasurementError, match="stopped"):
            view.turns()


def test_a_stream_that_breaks_gives_what_came_before_to_everyone() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise MeasurementError("the second page is gone")

    stream = SharedStream(source())
    for _ in range(2):
        reader = iter(stream)
        assert next(reader) == 1
        with pytest.raises(MeasurementError, match="second page"):
            next(reader)


def test_readers_of_a_stream_do_not_get_in_each_others_way() -> None:
    stream = SharedStream(iter(range(2000)))
    start = threading.Barrier(READERS)

    def read(_: int) -> list[int]:
        start.wait()
        return list(stream)

    with ThreadPoolExecutor(READERS) as threads:
        assert list(threads.map(read, range(READERS))) == [list(range(2000))] * READERS


def test_a_judge_is_asked_once_by_many_and_not_after_the_end() -> None:
    asked = []

    class Judge:
        def opinion(self, question: Question) -> Answer:
            time.sleep(PAUSE_SEC)
            asked.append(question)
            return Opinion(False, None, "", "m")

    state = SharedState(Counting(), judge=SharedJudge(Judge()))
    question = Question(("a",), (), ())
    assert by_all(state, lambda shared: opinion(shared, question)) == [Opinion(False, None, "", "m")] * READERS
    assert opinion(state.anew(), question) == Opinion(False, None, "", "m")
    state.stop()
    assert opinion(state, Question(("b",), (), ())) == NoOpinion("the grading was stopped")
    assert asked == [question]
