"""The tables of the document: which data each value of ``assert`` looks at, and how its evidence is spelled."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from assay.dialects.criteria.models import Criterion, CriterionRun
from assay.engine.criteria.complete_run import kinds
from assay.evidence.playground import Event, StateRow, StoredFile, Turn
from tests.checks.criteria.fake_state import AFTER, START, call, hl7, row, x12
from tests.completing import complete

ADT = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04|7|P|2.5\rPID|1||12345||Smith^Ann\r"
ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"
ANSWER = f"{ISA}GS*HB*S*R*20260301*1200*1*X*005010X279A1~ST*271*0001~TRN*2*98175~SE*3*0001~GE*1*1~IEA*1*000000001~"
BOOKED = {"resourceType": "Appointment", "participant": [{"actor": {"display": "Dr. Lee"}, "status": "accepted"}]}

# The first four are the shapes that existing users write.
SHAPES: dict[str, dict[str, Any]] = {
    "fhir-resource-state": {
        "resource_type": "Appointment",
        "search": {"patient": "p1"},
        "fields": [{"path": "participant.0.actor.display", "expected": "Dr. Lee"}],
    },
    "hl7-structural": {
        "correlate_by": {"PID.3.1": "12345"},
        "fields": [{"path": "PID.5.1", "expected": "Smith"}],
    },
    "portal-state-match": {
        "correlate_by": {"resource": "appointment", "key": "a1"},
        "assertions": [{"path": "status", "expected": "booked"}],
    },
    "voice-transcript": {"speaker": "agent", "contains": ["is booked"], "not_contains": ["diagnosis"]},
    "sftp-file-present": {"pattern": "out/*.json", "fields": [{"path": "id", "expected": 7}]},
    "x12-response": {"transaction_set": "271", "fields": [{"path": "TRN02", "expected": "98175"}]},
}


class Watched:
    """A playground with all sources, which notes what it is asked. It is its own FHIR server."""

    run_start = START

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def events(self, event_type: str) -> Sequence[Event]:
        self.asked.add(f"events {event_type}")
        return hl7(ADT)

    def state_rows(self, resource: str) -> Sequence[StateRow]:
        self.asked.add(f"rows {resource}")
        return [row(resource, "a1", {"status": "booked"})]

    def turns(self) -> Sequence[Turn]:
        self.asked.add("turns")
        return call(("agent", "Your visit is booked."))

    def x12_responses(self) -> Sequence[Event]:
        self.asked.add("x12")
        return x12(ANSWER)

    @property
    def fhir(self) -> "Watched":
        return self

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:
        self.asked.add(f"search {resource_type} {dict(parameters)}")
        yield {**BOOKED, "id": "1"}

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        raise NotImplementedError

    @property
    def files(self) -> "WatchedFiles":
        return WatchedFiles(self.asked)


class WatchedFiles:
    """One file, and a note of what was asked."""

    def __init__(self, asked: set[str]) -> None:
        self._asked = asked

    def files(self) -> list[StoredFile]:
        self._asked.add("files")
        return [StoredFile("out/a.json", 9, AFTER)]

    def chunks(self, path: str) -> Iterator[bytes]:
        self._asked.add(f"content {path}")
        yield b'{"id": 7}'


def graded(kind: str, **more: Any) -> tuple[CriterionRun, set[str]]:
    state = Watched()
    done = complete([Criterion(label=kind, assertion={"assert": kind, **SHAPES[kind], **more})], {}, state)
    return done.criterion_runs[0], state.asked


@pytest.mark.statement("criteria.assert-chooses")
def test_there_is_a_check_for_every_row_of_the_table() -> None:
    assert set(kinds()) == set(SHAPES)


@pytest.mark.statement(
    "criteria.fhir-source",
    "criteria.hl7-source",
    "criteria.portal-source",
    "criteria.sftp-source",
    "criteria.voice-source",
    "criteria.x12-source",
    "criteria.shapes-accepted",
)
@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("fhir-resource-state", {"search Appointment {'patient': 'p1'}"}),
        ("hl7-structural", {"events hl7_outbound"}),
        ("portal-state-match", {"rows appointment"}),
        ("sftp-file-present", {"files", "content out/a.json"}),
        ("voice-transcript", {"turns"}),
        ("x12-response", {"x12"}),
    ],
)
def test_each_looks_at_its_own_data_and_at_no_other(kind: str, asked: set[str]) -> None:
    run, really = graded(kind)
    assert (run.score, run.passed, really) == (1.0, True, asked)


@pytest.mark.statement(
    "criteria.evidence-stored",
    "criteria.evidence-fhir",
    "criteria.evidence-hl7",
    "criteria.evidence-portal",
    "criteria.evidence-voice",
    "criteria.evidence-x12",
    "criteria.evidence-rows",
)
@pytest.mark.parametrize(
    ("kind", "key", "rows"),
    [
        (
            "fhir-resource-state",
            "fieldResults",
            [{"path": "participant.0.actor.display", "expected": "Dr. Lee", "actual": "Dr. Lee", "passed": True}],
        ),
        (
            "hl7-structural",
            "field_results",
            [{"path": "PID.5.1", "expected": "Smith", "actual": "Smith", "passed": True}],
        ),
        (
            "portal-state-match",
            "assertionResults",
            [{"path": "status", "expected": "booked", "actual": "booked", "passed": True}],
        ),
        ("sftp-file-present", "fieldResults", [{"path": "id", "expected": 7, "actual": 7, "passed": True}]),
        (
            "voice-transcript",
            "phraseResults",
            [
                {"phrase": "is booked", "found": True, "turn": 1},
                {"phrase": "diagnosis", "found": False, "turn": None, "forbidden": True},
            ],
        ),
        (
            "x12-response",
            "fieldResults",
            [{"path": "TRN02", "expected": "98175", "actual": "98175", "passed": True}],
        ),
    ],
)
def test_evidence_is_spelled_as_the_table_has_it(kind: str, key: str, rows: list[dict[str, Any]]) -> None:
    assert graded(kind)[0].evidence[key] == rows


@pytest.mark.statement("criteria.evidence-sftp")
def test_a_file_has_its_matched_paths_beside_the_fields() -> None:
    evidence = graded("sftp-file-present")[0].evidence
    assert (evidence["path"], evidence["paths"], evidence["count"]) == ("out/a.json", ["out/a.json"], 1)


@pytest.mark.parametrize("kind", SHAPES)
def test_details_are_one_sentence(kind: str) -> None:
    details = graded(kind)[0].details
    assert details
    assert "\n" not in details


@pytest.mark.statement("criteria.unsupported")
@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ({}, "assert must be one of fhir-resource-state, "),
        ({"assert": None}, "got None"),
        ({"assert": 5}, "got 5"),
        ({"assert": "FHIR-resource-state"}, "got 'FHIR-resource-state'"),
        ({"assert": "fhir_resource_state"}, "got 'fhir_resource_state'"),
        (
            {"assert": "hl7-structural", **SHAPES["hl7-structural"], "colour": 1},
            "colour must be one of the fields ",
        ),
        ({"assert": "hl7-structural"}, "needs fields, segments or a cardinality"),
        ({"assert": "x12-response", "fields": [{"path": "??"}]}, "the X12 path '??' is wrong"),
        ({"assert": "portal-state-match", "assertions": []}, "correlate_by"),
    ],
)
def test_what_does_not_parse_is_a_failed_criterion_that_says_why(assertion: dict[str, Any], why: str) -> None:
    [run] = complete([Criterion(label="odd", assertion=assertion)], {}, Watched()).criterion_runs
    assert (run.score, run.passed, run.evidence) == (0.0, False, {})
    assert run.details.startswith("unsupported assertion: ")
    assert why in run.details
