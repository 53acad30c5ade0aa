"""One playground for several criteria at once: the first to ask a question asks the source.

The others wait for that answer and share it, errors included. So all criteria see the same state, and a slow
server is asked only once, however many criteria have the same question. A view lives as long as one completion.
"""

import json
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import Any, Final, Generic, TypeVar

from assay.core.errors import BoundsError, MeasurementError
from assay.evidence import bounds, verdict
from assay.evidence.playground import (
    Clock,
    Event,
    FhirSource,
    FileSource,
    PastSource,
    PlaygroundState,
    StateRow,
    StoredFile,
    Turn,
    past,
    profile_problems,
)
from assay.evidence.verdict import Judge, NoOpinion, Question

KEPT_FILE_BYTES: Final = 1024 * 1024
KEPT_FILES_BYTES: Final = 64 * 1024 * 1024
Answer = TypeVar("Answer")
Item = TypeVar("Item")
Record = TypeVar("Record", Event, StateRow, Turn)


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


class AnswerMemory:
    """Answers by their questions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[Hashable, _Answer] = {}

    def once(self, question: Hashable, ask: Callable[[], Answer]) -> Answer:
        """The answer, or the error that was raised. If the question is being asked already, wait for that."""
        with self._lock:
            answer = self._answers.get(question)
            first = answer is None
            if answer is None:
                answer = self._answers[question] = _Answer()
        if first:
            answer.settle(ask)
        given: Answer = answer.result()
        return given


class _Answer:
    """An answer that others can wait for. A ``Future`` does the same, and costs several times as much."""

    __slots__ = ("_asking", "_error", "_settled", "_value")

    def __init__(self) -> None:
        self._asking = threading.Lock()
        self._asking.acquire()
        self._settled = False
        self._value: Any = None
        self._error: BaseException | None = None

    def settle(self, ask: Callable[[], object]) -> None:
        try:
            self._value = ask()
        except BaseException as error:  # noqa: BLE001 - whatever it is, those who wait must not wait for ever
            self._error = error
        self._settled = True
        self._asking.release()

    def result(self) -> Any:
        if not self._settled:
            with self._asking:
                pass
        if self._error is not None:
            raise self._error
        return self._value


class SharedJudge:
    """A judge. If it breaks, it has no opinion: nothing that it does may cost a score or a grading."""

    def __init__(self, judge: Judge | None) -> None:
        self._judge = judge
        self._memory = AnswerMemory()

    def opinion(self, question: Question) -> verdict.Answer:
        """The same for the same question."""
        return self._memory.once(question, lambda: self._ask_once(question))

    def _ask_once(self, question: Question) -> verdict.Answer:
        if self._judge is None:
            return NoOpinion(verdict.NO_JUDGE, down=True)
        try:
            return self._judge.opinion(question)
        except Exception as error:  # noqa: BLE001 - a broken judge has no opinion, whatever broke it
            return NoOpinion(f"the judge broke ({type(error).__name__})")


class SharedState:
    """Fulfils ``PlaygroundState``, ``Remembering`` and ``Judged``. May be asked from several threads.

    Records beyond the bounds keep their place and have no content; FHIR servers and files have bounds of their
    own. Raises ``BoundsError`` for more records than are read.
    """

    def __init__(
        self,
        source: PlaygroundState,
        stopped: threading.Event | None = None,
        judge: SharedJudge | None = None,
        time: Clock | None = None,
        accepted_at: datetime | None = None,
    ) -> None:
        self._source = source
        self._stopped = stopped or threading.Event()
        self._judge = judge or SharedJudge(None)
        self._time = time
        self._accepted_at = accepted_at
        self._memory = AnswerMemory()

    def stop(self) -> None:
        """Refuse all further questions, also in views made by ``anew``: nobody needs the answers."""
        self._stopped.set()

    def anew(self) -> "SharedState":
        """The same playground, with nothing remembered but opinions."""
        return SharedState(self._source, self._stopped, self._judge, self._time, self._accepted_at)

    def time(self) -> Clock | None:
        return self._time

    def accepted_at(self) -> datetime | None:
        return self._accepted_at

    def once(self, what: Hashable, make: Callable[[], Answer]) -> Answer:
        """Something made from answers, such as parsed messages."""
        return self._memory.once(("made", what), make)

    @property
    def run_start(self) -> datetime:
        return self._source.run_start

    def events(self, event_type: str) -> Sequence[Event]:
        return self._ask_once(
            ("events", event_type),
            lambda: _messages(self._source.events(event_type), f"events of type {event_type}"),
        )

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        return self._ask_once(("rows", resource), lambda: self._rows(resource))

    def _rows(self, resource: str) -> Sequence[StateRow]:
        rows = self._source.state_rows(resource)
        return _bound_records(rows, f"records of {resource}", _row_size, bounds.MOST_VALUES, "values", data={})

    def turns(self) -> Sequence[Turn]:
        return self._ask_once("turns", self._turns)

    def _turns(self) -> Sequence[Turn]:
        turns, most = self._source.turns(), bounds.SPEECH_CHARACTERS
        return _bound_records(turns, "turns", lambda one: len(one.text), most, "characters", text="")

    def x12_responses(self) -> Sequence[Event]:
        return self._ask_once("x12", lambda: _messages(self._source.x12_responses(), "X12 responses"))

    def opinion(self, question: Question) -> verdict.Answer:
        """The judge's opinion, if there is one."""
        return (
            NoOpinion("the grading was stopped", down=True)
            if self._stopped.is_set()
            else self._judge.opinion(question)
        )

    @property
    def fhir(self) -> FhirSource:
        return self._ask_once("fhir", lambda: SharedFhir(self._source.fhir, self._memory))

    @property
    def files(self) -> FileSource:
        return self._ask_once("files", lambda: SharedFiles(self._source.files, self._memory))

    def _ask_once(self, question: Hashable, ask: Callable[[], Answer]) -> Answer:
        if self._stopped.is_set():
            raise MeasurementError("the grading was stopped")
        return self._memory.once(question, ask)


def _messages(events: Sequence[Event], what: str) -> Sequence[Event]:
    return _bound_records(events, what, _message_size, bounds.MESSAGES_BYTES, "bytes", payload=b"")


def _bound_records(
    records: Sequence[Record],
    what: str,
    size: Callable[[Record], int | str],
    most: int,
    unit: str,
    **empty: Any,
) -> Sequence[Record]:
    """The records; those that are too large, alone or with the ones before, are ``empty``."""
    if len(records) > bounds.MOST_RECORDS:
        raise BoundsError(f"there are more than {bounds.MOST_RECORDS} {what}, which are not read")
    left, kept = most, list[Record]()
    for record in records:
        needed = size(record) if record.unread is None else record.unread
        if isinstance(needed, int) and needed > left:
            needed = f"the {what} have more than {most} {unit} up to here"
        if isinstance(needed, str):
            kept.append(replace(record, unread=needed, **empty))
        else:
            left -= needed
            kept.append(record)
    return kept


def _message_size(event: Event) -> int | str:
    too_large = len(event.payload) > bounds.MESSAGE_BYTES
    return f"it has more than {bounds.MESSAGE_BYTES} bytes" if too_large else len(event.payload)


def _row_size(row: StateRow) -> int | str:
    data = dict(row.data)
    size = bounds.size_of(data)
    return size if size > bounds.MOST_VALUES else bounds.unusual(data) or size


class SharedFhir:
    """A FHIR server. Only as many pages of a search are read as some criterion needs."""

    def __init__(self, source: FhirSource, memory: AnswerMemory) -> None:
        self._source = source
        self._memory = memory

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The matches, page by page."""
        # As JSON, in which 1, 1.0, true and "1" differ.
        question = ("search", resource_type, json.dumps(parameters, sort_keys=True, default=repr))

        def ask() -> SharedStream[dict[str, object]]:
            return SharedStream(self._source.search(resource_type, parameters))

        return iter(self._memory.once(question, ask))

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        question = ("read", resource_type, identity)
        return self._memory.once(question, lambda: self._source.read(resource_type, identity))

    def problems(self, resource: Mapping[str, object], profile: str) -> Sequence[str]:
        question = ("problems", json.dumps(resource, sort_keys=True, default=repr), profile)
        return self._memory.once(question, lambda: profile_problems(self._source, resource, profile))

    def past(self, at: datetime) -> "SharedFhir":
        """The server as it was, for all who ask for the same moment."""
        return self._memory.once(("past", at), lambda: SharedFhir(past(self._source, at), AnswerMemory()))

    def note(self, resource_type: str) -> str | None:
        return self._source.note(resource_type) if isinstance(self._source, PastSource) else None


class SharedFiles:
    """A place for files. Small ones are read once and kept, as long as there is room for them."""

    def __init__(self, source: FileSource, memory: AnswerMemory) -> None:
        self._source = source
        self._memory = memory
        self._lock = threading.Lock()
        self._room = KEPT_FILES_BYTES

    def files(self) -> Iterable[StoredFile]:
        return self._list_files().values()

    def chunks(self, path: str) -> Iterator[bytes]:
        """The content of a file, a part at a time."""
        kept = self._memory.once(("content", path), lambda: self._kept_content(path))
        return self._source.chunks(path) if kept is None else iter(kept)

    def _list_files(self) -> dict[str, StoredFile]:
        return self._memory.once("listing", lambda: {one.path: one for one in self._source.files()})

    def _kept_content(self, path: str) -> SharedStream[bytes] | None:
        """The content of a small file, to be kept; None for a large one, or one that wasn't listed."""
        file = self._list_files().get(path)
        if file is None or file.size > KEPT_FILE_BYTES:
            return None
        with self._lock:
            if file.size > self._room:
                return None
            self._room -= file.size
        return SharedStream(self._source.chunks(path))
