"""The checks on what a playground recorded: portal rows, HL7 messages, X12 responses and calls."""

from typing import Any

import pytest

from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from assay.evidence.playground import PlaygroundState
from tests.checks.criteria.fake_state import BEFORE, FakeState, call, hl7, row, x12

ADT = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04|7|P|2.5\rPID|1||12345^^^H||Smith^Ann||19800101|F\rPV1|1|O\r"
ORU = (
    'MSH|^~\\&|A|B|C|D|20260301||ORU^R01|8|P|2.5\rPID|1||777||""\r'
    "OBX|1|NM|8480-6^Systolic||120|mm\rOBX|2|NM|8462-4^Diastolic||80|mm\r"
)
ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"
SET = (
    "GS*HB*S*R*20260301*1200*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*10001234*20260301*1200~"
    "HL*1**20*1~NM1*PR*2*PAYER*****PI*1~HL*2*1*21*1~NM1*1P*2*CLINIC*****XX*9~HL*3*2*22*0~TRN*2*98175*9~"
    "NM1*IL*1*SMITH*ANN****MI*123~EB*1*IND*30~EB*B*IND*98***27*20~SE*{count}*0001~GE*1*1~IEA*1*000000001~"
)
ELIGIBLE = ISA + SET.format(count=12)


def outcome(assertion: dict[str, Any], state: PlaygroundState, data: dict[str, Any] | None = None) -> Scored:
    answer = check_of(assertion, data or {}).run(state)
    assert isinstance(answer, Scored)
    return answer


PORTAL = {"assert": "portal-state-match", "correlate_by": {"resource": "appointment", "key": "a1"}}


def portal(**more: Any) -> dict[str, Any]:
    return {**PORTAL, "assertions": [{"path": "status", "expected": "booked"}], **more}


BOOKED = FakeState(rows=[row("appointment", "a1", {"status": "booked", "slots": [{"at": 9}, {"at": 10}]})])


def test_a_portal_record_as_it_should_be() -> None:
    answer = outcome(portal(), BOOKED)
    assert (answer.score, answer.passed) == (1.0, True)
    assert answer.evidence["assertionResults"] == [
        {"path": "status", "expected": "booked", "actual": "booked", "passed": True}
    ]


def test_a_portal_record_that_is_half_right() -> None:
    rules = [{"path": "status", "expected": "booked"}, {"path": "$.slots[*].at", "expected": 11}]
    answer = outcome(portal(assertions=rules), BOOKED)
    assert (answer.score, answer.passed) == (0.5, False)


def test_weights_of_rules() -> None:
    rules = [{"path": "status", "expected": "booked", "weight": 3}, {"path": "slots.5.at", "operator": "exists"}]
    assert outcome(portal(assertions=rules), BOOKED).score == 0.75


def test_no_record_is_no_pass_even_for_rules_about_absence() -> None:
    rules = [{"path": "status", "operator": "notExists"}]
    answer = outcome(portal(assertions=rules), FakeState())
    assert (answer.score, answer.passed) == (0.0, False)


@pytest.mark.statement("criteria.since-run-start")
def test_state_from_before_the_run_does_not_count_where_that_is_asked_for() -> None:
    old = FakeState(rows=[row("appointment", "a1", {"status": "booked"}, BEFORE)])
    assert outcome(portal(), old).passed
    assert not outcome(portal(since="run_start"), old).passed


def test_how_many_records_there_may_be() -> None:
    two = FakeState(rows=[row("appointment", key, {"status": "booked"}) for key in ("a1", "a2")])
    any_key = {"correlate_by": {"resource": "appointment"}}
    assert outcome(portal(**any_key, cardinality={"min": 2, "max": 2}), two).passed
    assert not outcome(portal(**any_key, cardinality={"min": 1, "max": 1}), two).passed


def test_that_there_is_no_record_can_be_asked() -> None:
    none = {"assertions": [], "cardinality": {"min": 0, "max": 0}}
    assert outcome(portal(**none), FakeState()).passed
    assert not outcome(portal(**none), BOOKED).passed


def test_of_several_records_the_best_counts() -> None:
    rows = [row("appointment", "a", {"status": "free"}), row("appointment", "b", {"status": "booked"})]
    assert outcome(portal(correlate_by={"resource": "appointment"}), FakeState(rows=rows)).passed


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ([{"path": "PID.5.1", "expected": "Smith"}], 1.0),
        ([{"path": "PID-5.2", "expected": "Ann"}, {"path": "PID.8", "expected": "M"}], 0.5),
        ([{"path": "PID.3.4", "expected": "H"}], 1.0),
        ([{"path": "PID.20", "operator": "notExists"}], 1.0),
        ([{"path": "PID.4", "operator": "empty"}], 1.0),
    ],
)
def test_fields_of_a_message(fields: list[dict[str, Any]], score: float) -> None:
    assertion = {"assert": "hl7-structural", "correlate_by": {"PID.3.1": "12345"}, "fields": fields}
    assert outcome(assertion, FakeState(hl7=hl7(ORU, ADT))).score == score


def test_a_message_is_chosen_by_its_type_and_its_segments_are_counted() -> None:
    assertion = {
        "assert": "hl7-structural",
        "message_type": "ORU^R01",
        "segments": {"OBX": 2, "PV1": 0},
        "fields": [{"path": "OBX[3.1=8480-6]-5", "expected": "120"}, {"path": "PID.5", "expected": None}],
    }
    answer = outcome(assertion, FakeState(hl7=hl7(ADT, ORU)))
    assert answer.passed
    assert [row["passed"] for row in answer.evidence["field_results"]] == [True] * 4  # type: ignore[attr-defined]


def test_an_unreadable_message_is_evidence_and_no_crash() -> None:
    assertion = {"assert": "hl7-structural", "fields": [{"path": "PID.5.1", "expected": "Smith"}]}
    answer = outcome(assertion, FakeState(hl7=hl7("no message at all", ADT)))
    assert answer.passed
    assert answer.evidence["unreadable"]


def test_no_message() -> None:
    assertion = {"assert": "hl7-structural", "fields": [{"path": "PID.5.1", "expected": "Smith"}]}
    answer = outcome({**assertion, "since": "run_start"}, FakeState(hl7=hl7(ADT, at=BEFORE)))
    assert (answer.score, answer.passed) == (0.0, False)


@pytest.mark.parametrize(
    ("more", "score"),
    [
        ({"fields": [{"path": "2110C/EB[01=B]07", "expected": "20"}]}, 1.0),
        ({"fields": [{"path": "EB01", "expected": "1"}, {"path": "NM1[01=IL]03", "expected": "JONES"}]}, 0.5),
        ({"fields": [{"path": "EB.9", "operator": "notExists"}]}, 1.0),
        ({"envelope": True}, 1.0),
        ({"fields": [{"path": "EB01", "expected": "1"}], "correlate_by": {"TRN02": "98175"}}, 1.0),
        ({"fields": [{"path": "EB01", "expected": "1"}], "correlate_by": {"TRN02": "1"}}, 0.0),
        ({"fields": [{"path": "EB01", "expected": "1"}], "transaction_set": "835"}, 0.0),
    ],
)
def test_fields_of_an_x12_response(more: dict[str, Any], score: float) -> None:
    assert outcome({"assert": "x12-response", **more}, FakeState(x12=x12(ELIGIBLE))).score == score


def test_a_wrong_envelope_gives_evidence() -> None:
    wrong = ISA + SET.format(count=99)
    answer = outcome({"assert": "x12-response", "envelope": True}, FakeState(x12=x12(wrong)))
    assert (answer.score, answer.passed) == (0.0, False)
    assert "99" in str(answer.evidence["findings"])


CALL = FakeState(
    spoken=call(
        ("caller", "Is my visit on March fifth confirmed?"),
        ("agent", "Let me look. Your visit is confirmed for March 5th at three thirty p.m."),
        ("agent", "Your reference is one two three four."),
    )
)


@pytest.mark.parametrize(
    ("more", "score"),
    [
        ({"contains": ["is confirmed"], "speaker": "agent"}, 1.0),
        ({"contains": ["is confirmed", "reference is 1234"]}, 1.0),
        ({"contains": ["reference is 1234", "is confirmed"], "in_order": True}, 0.5),
        ({"contains": ["is confirmed", "reference is 1234"], "in_order": True}, 1.0),
        ({"contains": [["was booked", "is confirmed"]]}, 1.0),
        ({"contains": ["is confirmed"], "turns": [1, 1]}, 0.0),
        ({"not_contains": ["cancelled"]}, 1.0),
        ({"not_contains": ["reference is 1234"], "contains": ["confirmed"]}, 0.5),
        ({"not_contains": ["cancelled"], "speaker": "nurse"}, 0.0),
    ],
)
def test_phrases_of_a_call(more: dict[str, Any], score: float) -> None:
    assert outcome({"assert": "voice-transcript", **more}, CALL).score == score


def test_where_a_phrase_was_said() -> None:
    answer = outcome({"assert": "voice-transcript", "contains": ["is confirmed", "goodbye"]}, CALL)
    assert answer.evidence["phraseResults"] == [
        {"phrase": "is confirmed", "found": True, "turn": 2},
        {"phrase": "goodbye", "found": False, "turn": None},
    ]


def test_values_of_the_task_are_escaped_in_paths() -> None:
    """A value with a quote and a bracket in it can't change what the path means."""
    odd = ADT.replace("12345^^^H", '1"]2^^^H')
    assertion = {"assert": "hl7-structural", "fields": [{"path": "PID[3.1={{mrn}}]-5.1", "expected": "{{name}}"}]}
    data = {"mrn": '1"]2', "name": "Smith"}
    assert outcome(assertion, FakeState(hl7=hl7(odd)), data).passed


@pytest.mark.parametrize(
    ("assertion", "says"),
    [
        ({}, "assert must be one of"),
        ({"assert": "nope"}, "got 'nope'"),
        ({"assert": "portal-state-match"}, "correlate_by must be given, got nothing"),
        (portal(colour="red"), r"^colour must be one of the fields .*, got 'colour'$"),
        (portal(assertions=[{"path": "a..b"}]), "has an empty part"),
        (portal(assertions=[{"path": "$.a["}]), "is not JSONPath"),
        (portal(assertions=[{"path": "a", "operator": "like"}]), "got 'like'"),
        (portal(assertions=[]), "needs assertions or a cardinality"),
        ({"assert": "hl7-structural", "fields": [{"path": "PID.x"}]}, "is wrong at character 5"),
        ({"assert": "hl7-structural"}, "needs fields, segments or a cardinality"),
        ({"assert": "hl7-structural", "segments": {"PID": -1}}, "count needs a whole number"),
        ({"assert": "x12-response"}, "needs fields, envelope: true, or a cardinality"),
        ({"assert": "x12-response", "fields": [{"path": "EB[01=B"}]}, "EB\\[01=B"),
        ({"assert": "voice-transcript"}, "needs contains or not_contains"),
        ({"assert": "voice-transcript", "contains": ["!"]}, "has no words"),
        ({"assert": "voice-transcript", "contains": ["a"], "turns": [0, 1]}, "counted from 1"),
        (portal(assertions=[{"path": "status", "expected": "{{nothing}}"}]), "the data has no 'nothing'"),
    ],
)
def test_an_assertion_that_can_not_be(assertion: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_of(assertion, {})
