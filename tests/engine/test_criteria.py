"""Criteria are asked side by side, and share what their sources say."""

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest

from assay.adapters.sources.fhir import FhirServer
from assay.adapters.sources.json_requests import Pace
from assay.checks.criteria import hl7_structural, x12_response
from assay.core.errors import MeasurementError
from assay.core.outcome import Outcome, Scored
from assay.dialects.criteria.models import Criterion
from assay.engine.criteria.complete_run import WithinBounds
from assay.evidence.playground import PlaygroundState, StateRow
from assay.formats.field_rules import values
from tests.checks.criteria.fake_state import AFTER, FakeState, hl7, x12
from tests.completing import complete
from tests.servers.scripted_server import Reply, scripted

BOOKED: dict[str, object] = {"resourceType": "Appointment", "id": "1", "status": "booked"}
FIELDS = [{"fhirpath": "status", "expected": "booked"}]
ISA = "ISA*00*          *00*          *ZZ*A              *ZZ*B              *260301*1200*^*00501*000000001*0*P*:~"
SET = "GS*HB*A*B*20260301*1200*1*X*005010X279A1~ST*271*0001~BHT*0022*11*T1~SE*3*0001~GE*1*1~IEA*1*000000001~"


def fhir(label: str = "c", **given: Any) -> Criterion:
    assertion = {"assert": "fhir-resource-state", "resource_type": "Appointment", "fields": FIELDS, **given}
    return Criterion(label=label, assertion=assertion)


class Searched:
    """A server that answers searches by their parameters; what is an error is raised, after a while."""

    def __init__(self, answers: Mapping[str, Any], slow: str = "") -> None:
        self._answers = answers
        self._slow = slow
        self.asked: list[str] = []

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:  # noqa: ARG002
        patient = str(parameters["patient"])
        self.asked.append(patient)
        time.sleep(0.1 if patient == self._slow else 0)
        answer = self._answers[patient]
        if isinstance(answer, Exception):
            raise answer
        yield from answer.pop(0) if len(answer) > 1 else answer[0]

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        raise NotImplementedError


def test_ten_criteria_ask_one_server_for_one_thing_once() -> None:
    with scripted(Reply(body=BOOKED)) as script, FhirServer(script.url) as server:
        done = complete([fhir(id="1") for _ in range(10)], {}, FakeState(fhir_source=server))
        assert (done.score, len(script.asked)) == (1.0, 1)
        complete([fhir(id=str(n)) for n in range(10)], {}, FakeState(fhir_source=server))
        assert len(script.asked) == 11


def test_ten_criteria_ask_side_by_side() -> None:
    """Nobody has an answer before all have asked."""
    all_asked = threading.Barrier(10, timeout=60)

    class Patient(Searched):
        def read(self, resource_type: str, identity: str) -> dict[str, object] | None:  # noqa: ARG002
            all_asked.wait()
            return BOOKED

    done = complete([fhir(id=str(n)) for n in range(10)], {}, FakeState(fhir_source=Patient({})))
    assert done.score == 1


def test_answers_come_in_the_order_of_the_criteria() -> None:
    server = Searched({"slow": [[BOOKED]], "quick": [[BOOKED]]}, slow="slow")
    labels = ["slow", "quick"]
    done = complete([fhir(one, search={"patient": one}) for one in labels], {}, FakeState(fhir_source=server))
    assert [run.label for run in done.criterion_runs] == labels


def test_of_several_sources_that_are_down_the_first_in_order_is_told() -> None:
    server = Searched({"a": MeasurementError("a is down"), "b": MeasurementError("b is down")}, slow="a")
    criteria = [fhir(search={"patient": one}) for one in "ab"]
    with pytest.raises(MeasurementError, match="a is down"):
        complete(criteria, {}, FakeState(fhir_source=server))


def test_one_that_waits_asks_anew_and_does_not_hold_up_an_error_for_long() -> None:
    server = Searched({"late": [[], [BOOKED]], "down": MeasurementError("down"), "never": [[]]})
    state = FakeState(fhir_source=server)
    late = [fhir(search={"patient": "late"}), fhir(search={"patient": "late"}, wait_s=20)]
    assert [run.passed for run in complete(late, {}, state, time=Pace()).criterion_runs] == [False, True]
    assert server.asked == ["late", "late"]
    start = time.monotonic()
    criteria = [fhir(search={"patient": "down"}), fhir(search={"patient": "never"}, wait_s=60)]
    with pytest.raises(MeasurementError, match="down"):
        complete(criteria, {}, state, time=Pace())
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("since", [{}, {"since": "run_start"}])
def test_a_message_is_parsed_once_for_all_criteria(monkeypatch: pytest.MonkeyPatch, since: dict[str, str]) -> None:
    parsed: list[bytes] = []
    for module, name in ((hl7_structural, "parse"), (x12_response, "tokenize")):
        monkeypatch.setattr(module, name, _noting(parsed, getattr(module, name)))
    state = FakeState(hl7=hl7("MSH|^~\\&|A|B\rPID|1", "MSH|^~\\&|A|C", "nothing"), x12=x12(ISA + SET, "nothing"))
    rule = {"assert": "hl7-structural", "fields": [{"path": "MSH-4", "expected": "C"}]}
    other = {"assert": "x12-response", "fields": [{"path": "BHT03", "expected": "T1"}]}
    assertions = [one | more for one in (rule, other) for more in ({}, since) for _ in range(5)]
    done = complete([Criterion(label="c", assertion=one) for one in assertions], {}, state)
    assert done.score == 1.0
    assert all(len(run.evidence["unreadable"]) == 1 for run in done.criterion_runs)
    assert len(parsed) == 5


def _noting(noted: list[bytes], parse: Any) -> Any:
    def noting(payload: bytes) -> Any:
        noted.append(payload)
        return parse(payload)

    return noting


SLOW = r"(x|xx)+\1y"


@pytest.mark.parametrize("match", ["any", "none"])
def test_a_value_that_keeps_a_pattern_busy_is_not_measured_and_the_next_criterion_is(
    monkeypatch: pytest.MonkeyPatch, match: str
) -> None:
    """An agent that could break the measurement so would rather do that than fail."""
    monkeypatch.setattr(values, "MOST_STEPS", 1000)
    rules = [
        {"path": "a", "operator": "matches", "expected": SLOW, "match": match},
        {"path": "b", "expected": 1},
    ]
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": rules}
    state = FakeState(rows=[StateRow("r", "k", {"a": "x" * 5000, "b": 1}, AFTER)])
    other = assertion | {"assertions": rules[1:]}
    run, next_run = complete(
        [Criterion(label="l", assertion=one) for one in (assertion, other)], {}, state
    ).criterion_runs
    assert (run.score, run.passed, run.status, run.evidence) == (0.0, False, "failed", {"measured": False})
    assert run.details.startswith(f"not measured: the pattern {SLOW!r} needs more than 1000 steps")
    assert (next_run.score, next_run.status) == (1.0, "completed")


def test_where_it_can_not_be_told_in_time_what_is_meant_nothing_fits() -> None:
    class Busy:
        kind: ClassVar[str] = "busy"

        def run(self, evidence: PlaygroundState) -> Outcome:  # noqa: ARG002
            raise values.SlowPatternError("the pattern needs more steps")

    said = "not measured: the pattern needs more steps"
    assert WithinBounds(Busy()).run(FakeState()) == Scored(0.0, False, said, {"measured": False})
