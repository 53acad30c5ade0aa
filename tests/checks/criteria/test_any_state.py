"""Whatever an agent leaves behind is looked at: nothing in it breaks a check, which would void the grading."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from assay.evidence.playground import Event, StoredFile
from tests.checks.criteria.fake_state import AFTER, FakeState, row
from tests.sampling import examples

RULES: list[dict[str, Any]] = [
    {"expected": "a"},
    {"operator": "notEquals", "expected": None},
    {"operator": "in", "expected": [1, "a", None]},
    {"operator": "notIn", "expected": [[1], {"a": 1}]},
    {"operator": "contains", "expected": "a"},
    {"operator": "contains", "expected": {"a": 1}},
    {"operator": "notContains", "expected": 5},
    {"operator": "matches", "expected": "^a.*[0-9]$"},
    {"operator": "exists"},
    {"operator": "notExists"},
    {"operator": "empty"},
    {"operator": "notEmpty"},
    {"operator": "greaterThan", "expected": 5},
    {"operator": "lessThan", "expected": "2026-03-01"},
    {"operator": "between", "expected": [1, "9"]},
    {"operator": "startsWith", "expected": "a"},
    {"operator": "endsWith", "expected": "a"},
    {"operator": "count", "expected": {"max": 2}},
    {"operator": "dateWithin", "expected": "2026-03-01", "tolerance": "1 day"},
    {"operator": "approx", "expected": "1.5", "tolerance": "5%"},
]
ODD_TEXTS = st.sampled_from(
    [
        "1e999999999",
        "-1e-999999999",
        "nan",
        "٣",
        "9999-12-31",
        "0001-01-01T00:00:00+14:00",
        "20261332",
        "\ud800",
        "\0",
    ]
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | ODD_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc0"), inner, max_size=3),
    max_leaves=10,
)
HL7_TEXTS = st.lists(
    st.sampled_from(["MSH|^~\\&|", "PID|", "a", "|", "^", "~", "\\", "&", '""', "\r", "\n", "\\X4"])
)
X12_TEXTS = st.lists(
    st.sampled_from(["ISA*", "GS*", "ST*271*", "EB*", "HL*1**", "~", "*", ":", "^", "SE*", "IEA*", "1"])
)
ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"


def answered(assertion: dict[str, Any], state: FakeState) -> None:
    answer = check_of(assertion, {}).run(state)
    assert isinstance(answer, Scored)
    json.dumps(answer.evidence)


def rules(*paths: str) -> list[dict[str, Any]]:
    return [{"path": path, **rule} for path in paths for rule in RULES]


PORTAL = {
    "assert": "portal-state-match",
    "correlate_by": {"resource": "r"},
    "assertions": rules("a", "a.0.b", "$..a", "$.a[?@.b > 1].c", "$[?match(@, 'a+')]", "$[?length(@) == 1]"),
}
HL7 = {
    "assert": "hl7-structural",
    "fields": rules("PID-3", "PID-3[*].1.2", "PID[3.1=a]-5", "PID[*]", "MSH-9.1"),
    "segments": {"PID": {"max": 3}},
}
X12 = {
    "assert": "x12-response",
    "envelope": True,
    "fields": rules("EB03", "2110C/EB[01=1]03[2]", "ISA06", "HL[2]"),
}
FHIR = {
    "assert": "fhir-resource-state",
    "resource_type": "Patient",
    "search": {},
    "where": "name.exists() or active",
    "select": "any",
    "fields": [
        {"fhirpath": one.pop("path"), **one} for one in rules("name.family", "birthDate", "name.given.first()")
    ],
}


def event(kind: str, payload: bytes) -> list[Event]:
    return [Event("1", kind, payload, AFTER)]


@given(st.dictionaries(st.sampled_from("abc"), PLAIN, max_size=3))
@example({"a": 10**4000})
def test_any_record_of_a_portal(data: dict[str, Any]) -> None:
    answered(PORTAL, FakeState(rows=[row("r", "k", data)]))


@pytest.mark.parametrize("depth", [50, 90, 99, 100, 150, 400])
def test_a_record_of_any_depth(depth: int) -> None:
    data: dict[str, Any] = {}
    for _ in range(depth):
        data = {"a": data}
    answered(PORTAL, FakeState(rows=[row("r", "k", data)]))


@given(st.binary(max_size=80) | HL7_TEXTS.map(lambda parts: "".join(["MSH|^~\\&|", *parts]).encode()))
def test_any_message(payload: bytes) -> None:
    answered(HL7, FakeState(hl7=event("hl7_outbound", payload)))


@given(st.binary(max_size=80) | X12_TEXTS.map(lambda parts: "".join([ISA, *parts]).encode()))
def test_any_response(payload: bytes) -> None:
    answered(X12, FakeState(x12=event("x12", payload)))


class OneFile:
    """A place with one file of any content."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self.content = name, content

    def files(self) -> list[StoredFile]:
        return [StoredFile(self.name, len(self.content), AFTER)]

    def chunks(self, path: str) -> Iterator[bytes]:  # noqa: ARG002
        yield self.content


PATHS = {
    "json": ["a", "$..a"],
    "csv": ["a", "2.a"],
    "txt": ["content", "line.*"],
    "hl7": ["PID-3"],
    "x12": ["EB01"],
}


@given(
    st.sampled_from(sorted(PATHS)),
    st.binary(max_size=80)
    | PLAIN.map(lambda value: json.dumps(value).encode())
    | st.text(',;|"a\n1', max_size=40).map(str.encode),
)
@settings(deadline=None)
def test_any_file(ending: str, content: bytes) -> None:
    name = f"out/x.{ending}"
    assertion = {"assert": "sftp-file-present", "pattern": name, "contains": "a", "fields": rules(*PATHS[ending])}
    answered(assertion, FakeState(file_source=OneFile(name, content)))


class OneResource:
    """A server with one resource of any content."""

    def __init__(self, resource: dict[str, Any]) -> None:
        self.resource = resource

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[dict[str, object]]:  # noqa: ARG002
        yield self.resource

    def read(self, resource_type: str, identity: str) -> dict[str, object] | None:
        raise NotImplementedError


@given(st.dictionaries(st.sampled_from(["name", "birthDate", "active", "meta", "id"]), PLAIN, max_size=4))
@examples(50)
def test_any_resource(content: dict[str, Any]) -> None:
    state = FakeState(fhir_source=OneResource({"resourceType": "Patient", **content}))
    answered(FHIR, state)
    answered({**FHIR, "select": "latest", "since": "run_start"}, state)


@given(st.datetimes())
def test_any_time_of_a_record(at: datetime) -> None:
    state = FakeState(rows=[row("r", "k", {"a": at.isoformat()})])
    answered({**PORTAL, "assertions": rules("a")}, state)
