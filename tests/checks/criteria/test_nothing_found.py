"""What a criterion says where nothing is there: rows keep what was asked for, and details what is too old."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from assay.evidence.playground import StoredFile
from tests.checks.criteria.fake_state import BEFORE, FakeState, call, hl7, row, x12

ADT = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04|7|P|2.5\rPID|1||12345||Smith^Ann\r"
ISA = "ISA*00*          *00*          *ZZ*A              *ZZ*B              *260301*1200*^*00501*000000001*0*P*:~"
SET = "GS*HB*A*B*20260301*1200*1*X*005010X279A1~ST*271*0001~BHT*0022*11*T1~SE*3*0001~GE*1*1~IEA*1*000000001~"
RULE = {"operator": "notEquals", "expected": "x"}


class OldResource:
    """A server with one resource from before the run."""

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:  # noqa: ARG002
        yield {"resourceType": resource_type, "id": "1", "meta": {"lastUpdated": BEFORE.isoformat()}}

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        raise NotImplementedError


class OldFile:
    """A place with one file from before the run."""

    def files(self) -> list[StoredFile]:
        return [StoredFile("a.json", 2, BEFORE)]

    def chunks(self, path: str) -> Iterator[bytes]:
        raise NotImplementedError


STATE = FakeState(
    hl7=hl7(ADT, at=BEFORE),
    rows=[row("r", "k", {"a": 1}, BEFORE), row("r", "l", {"a": 1}, BEFORE)],
    spoken=call(("agent", "yes"), at=BEFORE),
    x12=x12(ISA + SET, at=BEFORE),
    fhir_source=OldResource(),
    file_source=OldFile(),
)
FIELDS: dict[str, dict[str, Any]] = {
    "hl7-structural": {"fields": [{"path": "PID-5.1", **RULE}]},
    "x12-response": {"fields": [{"path": "BHT03", **RULE}]},
    "portal-state-match": {"correlate_by": {"resource": "r"}, "assertions": [{"path": "a", **RULE}]},
    "sftp-file-present": {"pattern": "*.json", "fields": [{"path": "a", **RULE}]},
    "fhir-resource-state": {"resource_type": "Patient", "search": {}, "fields": [{"path": "id", **RULE}]},
}


def answer(kind: str, state: FakeState, **more: Any) -> Scored:
    found = check_of({"assert": kind, "since": "run_start", **more}, {}).run(state)
    assert isinstance(found, Scored)
    assert (found.score, found.passed) == (0, False)
    return found


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("hl7-structural", "there are no messages; 1 is older than the run's start"),
        ("x12-response", "there are no transaction sets; 1 is older than the run's start"),
        ("portal-state-match", "there is no record r; 2 are older than the run's start"),
        (
            "sftp-file-present",
            "there are no files like *.json changed in this run; 1 is older than the run's start",
        ),
        ("fhir-resource-state", "there is no Patient changed in this run; 1 is older than the run's start"),
    ],
)
def test_what_is_older_is_mentioned_and_rows_keep_their_operators(kind: str, says: str) -> None:
    found = answer(kind, STATE, **FIELDS[kind])
    [rows] = [one for name, one in found.evidence.items() if name.lower().replace("_", "").endswith("results")]
    assert isinstance(rows, list)
    kept = {"expected": "x", "actual": None, "passed": False, "operator": "notEquals", "absent": True}
    assert found.summary == says
    assert rows == [{"path": rows[0]["path"], **kept}]


def test_phrases_keep_that_they_are_forbidden() -> None:
    found = answer("voice-transcript", STATE, contains=["a"], not_contains=["b"])
    assert found.summary == "there are no turns to check; 1 is older than the run's start"
    assert found.evidence["phraseResults"] == [
        {"phrase": "a", "found": False, "turn": None},
        {"phrase": "b", "found": False, "turn": None, "forbidden": True},
    ]


def test_where_nothing_is_older_nothing_is_said() -> None:
    found = answer("portal-state-match", FakeState(), **FIELDS["portal-state-match"])
    assert found.summary == "there is no record r"
