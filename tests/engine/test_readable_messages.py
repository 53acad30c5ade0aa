"""Messages as people read them, with the fields that criteria looked at marked."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.criteria.models import CriterionRun
from assay.evidence.playground import Event
from assay.web.evidence_table import evidence_rest, evidence_rows, looked_at
from assay.web.readable_messages import (
    LONGEST_FIELD,
    MOST_MESSAGES,
    MOST_SEGMENTS,
    ShownField,
    ShownMessage,
    readable_hl7,
    readable_x12,
)

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADT = (
    b"MSH|^~\\&|EHR|HOSP|LAB|HOSP|20260301||ADT^A04|MSG1|P|2.5.1\r"
    b"PID|1||12345^^^HOSP^MR||Doe^Jane\r"
    b"OBX|1|NM|8480-6^Systolic||120\rOBX|2|NM|8462-4^Diastolic||80\rZZZ|own"
)
X271 = (
    b"ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *260301*1200*^*00501*000000001*0*P*:~"
    b"GS*HB*PAYER*PROVIDER*20260301*1200*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*T1*20260301*1200~"
    b"HL*1**20*1~NM1*PR*2*PAYER*****PI*1~HL*2*1*21*1~NM1*1P*2*CLINIC*****XX*2~HL*3*2*22*0~"
    b"NM1*IL*1*DOE*JANE****MI*M1~EB*1**30~EB*B**30****25~SE*10*0001~GE*1*1~IEA*1*000000001~"
)


def event(payload: bytes, unread: str | None = None) -> Event:
    return Event("1", "hl7_outbound", payload, AT, unread)


def criterion(kind: str, **evidence: Any) -> CriterionRun:
    return CriterionRun.model_construct(label="a rule", assert_=kind, evidence=evidence)


def row(path: str, passed: bool, **more: Any) -> dict[str, Any]:
    return {"path": path, "expected": "x", "actual": "y", "passed": passed, **more}


def fields(message: ShownMessage, name: str) -> list[ShownField]:
    return [one for segment in message.segments if segment.name == name for one in segment.fields]


def test_an_hl7_message_is_shown_by_segment_with_positions() -> None:
    [message] = readable_hl7([event(ADT)], []).messages
    assert (message.title, message.identity, message.why) == ("ADT^A04", "MSG1", None)
    assert [(one.name, one.words) for one in message.segments] == [
        ("MSH", "Message header"),
        ("PID", "Patient"),
        ("OBX", "Observation"),
        ("OBX", "Observation"),
        ("ZZZ", ""),
    ]
    assert [(one.position, one.text) for one in fields(message, "PID")] == [
        ("PID-1", "1"),
        ("PID-3", "12345^^^HOSP^MR"),
        ("PID-5", "Doe^Jane"),
    ]
    assert fields(message, "MSH")[0].position == "MSH-1"
    assert fields(message, "MSH")[1].text == "^~\\&"
    assert not message.is_marked


def test_the_fields_that_criteria_looked_at_are_marked() -> None:
    rows = [row("PID.5.1", True), row("OBX[3.1=8462-4]-5", False), row("PID-8", False), row("OBX", True)]
    looked = looked_at([criterion("hl7-structural", field_results=rows, message="MSG1")])
    [message] = readable_hl7([event(ADT)], looked).messages
    states = {
        (one.position, one.text): one.state for segment in message.segments for one in segment.fields if one.state
    }
    assert states == {("PID-5", "Doe^Jane"): "passed", ("OBX-5", "80"): "failed", ("PID-8", ""): "failed"}
    assert [len(one.marks) for one in message.segments] == [0, 0, 1, 0, 0]
    assert fields(message, "PID")[2].marks[0].label == "a rule"


def test_only_the_message_that_a_criterion_scored_is_marked() -> None:
    looked = looked_at([criterion("hl7-structural", field_results=[row("PID-5", True)], message="OTHER")])
    [message] = readable_hl7([event(ADT)], looked).messages
    assert not message.is_marked
    assert looked_at([criterion("hl7-structural", field_results=[row("PID-5", False)])]) == []


def test_an_x12_set_is_shown_with_loops_and_marks() -> None:
    rows = [row("2110C/EB[01=B]07", False), row("ISA06", True), row("envelope", True), row("EB[01=1]12", False)]
    looked = looked_at([criterion("x12-response", fieldResults=rows, set="0001")])
    [message] = readable_x12([event(X271)], looked).messages
    assert (message.title, message.identity) == ("271", "0001")
    names = [one.name for one in message.segments]
    assert (names[:4], names[-3:]) == (["ISA", "GS", "ST", "BHT"], ["SE", "GE", "IEA"])
    benefits = [one for one in message.segments if one.name == "EB"]
    assert [one.loop for one in benefits] == ["2110C", "2110C"]
    states = {one.position: one.state for segment in benefits for one in segment.fields if one.state}
    assert states == {"EB12": "failed", "EB07": "failed"}
    assert [one.state for one in fields(message, "ISA") if one.position == "ISA06"] == ["passed"]


def test_what_cannot_be_read_is_shown_as_it_is_with_the_reason() -> None:
    [broken, unread] = readable_hl7([event(b"<script>alert(1)</script>"), event(b"", "too large")], []).messages
    assert broken.why is not None
    assert "MSH" in broken.why
    assert broken.raw == "<script>alert(1)</script>"
    assert unread.why == "too large"
    [other] = readable_x12([event(b"nonsense")], []).messages
    assert other.why == "the text is not X12: it has no ISA header"


def test_what_is_shown_is_bounded() -> None:
    long = ADT + b"\rNTE|1||" + b"x" * 10_000 + b"\rNTE|2" * MOST_SEGMENTS
    found = readable_hl7([event(long)] * (MOST_MESSAGES + 3), [])
    assert (len(found.messages), found.left_out) == (MOST_MESSAGES, 3)
    message = found.messages[0]
    assert (len(message.segments), message.left_out) == (MOST_SEGMENTS, 6)
    assert len(fields(message, "NTE")[1].text) == LONGEST_FIELD + 1


@given(st.binary(max_size=300))
def test_no_bytes_break_it(payload: bytes) -> None:
    for shown in (readable_hl7([event(payload)], []), readable_x12([event(payload)], [])):
        assert shown.left_out == 0


def test_the_evidence_of_every_check_is_one_kind_of_table() -> None:
    told = {
        "fieldResults": [row("a.b", True, operator="contains", note="n")],
        "path": "out/a.txt",
        "unreadable": [],
    }
    [found] = evidence_rows(told)
    assert (found.path, found.operator, found.passed, found.more) == ("a.b", "contains", True, {"note": "n"})
    assert evidence_rest(told) == {"path": "out/a.txt"}
    phrases = [
        {"phrase": "hello", "found": True, "turn": 2},
        {"phrase": ["a", "b"], "found": True, "turn": 1, "forbidden": True},
        {"phrase": "c", "found": False, "turn": None, "forbidden": True},
        {"phrase": "d", "found": False, "turn": None},
    ]
    shown = [(one.path, one.expected, one.actual, one.passed) for one in evidence_rows({"phraseResults": phrases})]
    assert shown == [
        ("hello", "said", "said in turn 2", True),
        ("a or b", "not said", "said in turn 1", False),
        ("c", "not said", "not said", True),
        ("d", "said", "not said", False),
    ]
    assert evidence_rows({"fieldResults": "nonsense"}) == ()
