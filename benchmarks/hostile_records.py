"""What the largest records cost that criteria still read: the bounds are bounds in time, too."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.criteria import EmptyPlayground, complete
from assay.dialects.criteria.models import Criterion
from assay.evidence import bounds
from assay.evidence.playground import Event, StateRow, Turn
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, best_cpu, sized

ROUNDS, GOAL = sized(3), 3.0
AT = datetime(2026, 3, 1, tzinfo=UTC)
ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"
MSH = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04|7|P|2.5\r"


@dataclass(frozen=True)
class Hostile(EmptyPlayground):
    """A playground with one large record of some kind."""

    payload: bytes = b""
    said: str = ""
    data: dict[str, Any] | None = None

    def events(self, event_type: str) -> Sequence[Event]:
        return [Event("1", event_type, self.payload, AT)]

    def x12_responses(self) -> Sequence[Event]:
        return [Event("1", "x12", self.payload, AT)]

    def turns(self) -> Sequence[Turn]:
        return [Turn(1, "agent", self.said, AT)]

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        return [StateRow(resource, "k", self.data or {}, AT)]


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """The largest of each kind against one half as large: the time grows no faster than the record."""
    segments, characters, values = bounds.MOST_SEGMENTS - 10, bounds.SPEECH_CHARACTERS, bounds.MOST_VALUES - 10
    x12 = {"assert": "x12-response", "fields": [{"path": "A01", "operator": "notExists"}]}
    yield _grown("X12", x12, segments, lambda n: Hostile((f"{ISA}ST*271*1~" + "A~" * n).encode()))
    hl7 = {"assert": "hl7-structural", "fields": [{"path": "PID-3", "operator": "notExists"}]}
    yield _grown("HL7", hl7, segments, lambda n: Hostile((MSH + "A|\r" * n).encode()))
    voice = {"assert": "voice-transcript", "not_contains": ["five hundred and one"]}
    yield _grown("speech", voice, characters // 12, lambda n: Hostile(said="one hundred " * n))
    rules = [{"path": "$..b", "operator": "notExists"}]
    portal = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": rules}
    yield _grown("JSON", portal, values, lambda n: Hostile(data={"a": [1] * n}))


def _grown(name: str, assertion: dict[str, Any], most: int, made: Callable[[int], Hostile]) -> Result:
    criteria, half, whole = (
        [Criterion(label=name, assertion=assertion)],
        made(sized(most // 2)),
        made(sized(most, 2)),
    )
    smaller, larger = best_cpu(ROUNDS, lambda: complete(criteria, {}, half), lambda: complete(criteria, {}, whole))
    return Result(
        f"the most {name} that is read", larger / smaller, f"{TIMES} half", GOAL, f"{larger:.1f} s of CPU"
    )
