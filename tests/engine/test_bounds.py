"""Nothing that an agent leaves behind stops a grading: beyond the bounds it is not read, and evidence says so."""

import json
from typing import Any

import pytest

from assay.dialects.criteria.models import Criterion, CriterionRun
from assay.engine.criteria import bounded_evidence as shown_evidence
from assay.engine.criteria.shared_state import SharedState
from assay.evidence import bounds, playground
from assay.evidence.playground import Event, Turn
from tests.checks.criteria.fake_state import AFTER, FakeState, call, hl7, row, x12
from tests.completing import complete

ADT = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04|7|P|2.5\rPID|1||12345||Smith^Ann\r"
ISA = "ISA*00*          *00*          *ZZ*A              *ZZ*B              *260301*1200*^*00501*000000001*0*P*:~"
SET = "GS*HB*A*B*20260301*1200*1*X*005010X279A1~ST*271*0001~BHT*0022*11*T1~SE*3*0001~GE*1*1~IEA*1*000000001~"


def graded(state: FakeState, kind: str, **assertion: Any) -> CriterionRun:
    """The run of one criterion, which everybody can write, beside another one that passes."""
    asked = [Criterion(label="a", assertion={"assert": kind, **assertion})]
    done = complete(asked, {}, state)
    assert json.loads(done.model_dump_json()) == json.loads(json.dumps(done.answer(), allow_nan=False))
    return done.criterion_runs[0]


def portal(data: dict[str, Any], path: str = "a") -> CriterionRun:
    rules = [{"path": path, "operator": "exists"}, {"path": "b", "expected": 1}]
    state = FakeState(rows=[row("r", "k", data)])
    return graded(state, "portal-state-match", correlate_by={"resource": "r"}, assertions=rules)


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("words", ["one hundred ", "nine ", "hundred ", "twenty ", "double nine ", "a hundred "])
def test_a_turn_of_nothing_but_numbers(words: str) -> None:
    state = FakeState(spoken=call(("agent", words * 10_000 + ". You are booked.")))
    assert graded(state, "voice-transcript", contains=["are booked"]).passed


def test_ten_megabytes_of_speech_are_not_read_and_never_help() -> None:
    spoken = call(("agent", "You are booked."), ("agent", "one hundred " * 900_000), ("agent", "Good bye."))
    run = graded(
        FakeState(spoken=spoken), "voice-transcript", contains=["are booked", "good bye"], not_contains=["x"]
    )
    assert (run.score, run.passed) == (2 / 3, False)
    assert run.evidence["unread"] == {"2": "the turns have more than 1000000 characters up to here"}
    assert run.evidence["phraseResults"][2]["error"].startswith("turn 2 can't be read: ")


@pytest.mark.parametrize(("depth", "score"), [(40, 1.0), (88, 1.0), (90, 0.0), (300, 0.0), (900, 0.0)])
def test_a_record_of_any_depth(depth: int, score: float) -> None:
    run = portal({"a": nested(depth), "b": 1})
    assert run.score == score
    assert ("can't be read: it is nested more than 90 deep" in run.details) is (score == 0)
    cut = "assertionResults[0].actual" + "[0]" * 30 + ": values nested more than 32 deep left out"
    assert run.evidence.get("cut", [cut]) == [cut]


def test_halves_of_characters_are_written_out() -> None:
    run = portal({"a": {"\ud800": "\udfff"}, "b": 1})
    assert run.evidence["assertionResults"][0]["actual"] == {"\\ud800": "\\udfff"}


@pytest.mark.parametrize("digits", [2000, 5000])
def test_a_number_of_very_many_digits(digits: int) -> None:
    assert (
        portal({"a": -(10**digits), "b": 1}).details == "r can't be read: it has a number of more than 1000 digits"
    )


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_what_json_has_no_number_for_is_null(number: float) -> None:
    assert portal({"a": number, "b": 1}).evidence["assertionResults"][0]["actual"] is None


def test_long_values_are_cut_in_evidence_and_looked_at_whole() -> None:
    run = portal({"a": ["y" * 20_000, *range(2_000)], "b": 1})
    shown = run.evidence["assertionResults"][0]["actual"]
    assert (run.passed, len(shown), len(shown[0])) == (True, 1_000, 10_001)
    assert run.evidence["cut"] == [
        "assertionResults[0].actual: 1001 of 2001 values left out",
        "assertionResults[0].actual[0]: 10000 of 20000 characters left out",
    ]


def test_evidence_has_so_many_values_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_evidence, "MOST_VALUES", 20)
    shown = shown_evidence.shown_evidence({"a": [list(range(10)) for _ in range(10)]})
    assert shown["cut"][0] == "a[1]: 4 of 10 values left out"
    assert len(json.dumps(shown)) < 1000


def test_other_records_still_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_VALUES", 50)
    rows = [row("r", "big", {"a": "x" * 500, "b": 1}), row("r", "small", {"a": "x", "b": 1})]
    rules = [{"path": "a", "expected": "x"}]
    state = FakeState(rows=rows)
    assert graded(state, "portal-state-match", correlate_by={"resource": "r"}, assertions=rules).passed
    run = graded(state, "portal-state-match", correlate_by={"resource": "r", "key": "big"}, assertions=rules)
    assert run.details == "r big can't be read: the records of r have more than 50 values up to here"


def test_more_records_than_are_read_fail_what_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_RECORDS", 3)
    state = FakeState(rows=[row("r", str(n), {"a": 1}) for n in range(4)], spoken=call(("agent", "yes")))
    asked = [
        Criterion(label="a", assertion={"assert": "portal-state-match", "correlate_by": {"resource": "r"},
                                        "assertions": [{"path": "a", "expected": 1}]}),
        Criterion(label="b", assertion={"assert": "voice-transcript", "contains": ["yes"]}),
    ]  # fmt: skip
    first, second = complete(asked, {}, state).criterion_runs
    said = "not measured: there are more than 3 records of r, which are not read"
    assert (first.score, first.status, first.details) == (0, "failed", said)
    assert second.passed


def test_forty_five_megabytes_of_x12_are_not_read() -> None:
    big = x12(ISA + SET, ISA + "EB*1~" * 9_000_000)
    fields = [{"path": "BHT03", "expected": "T1"}]
    run = graded(FakeState(x12=big), "x12-response", fields=fields)
    assert (run.passed, run.evidence["unreadable"]) == (True, ["it has more than 8388608 bytes"])
    run = graded(FakeState(x12=big), "x12-response", fields=fields, cardinality={"max": 1})
    assert (run.score, run.details) == (
        0,
        "1 of the transaction sets can't be read, so it is unknown how many match",
    )


def test_so_many_segments_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one message, and of all together."""
    fields = [{"path": "PID-3", "expected": "12345"}]
    run = graded(FakeState(hl7=hl7(ADT, ADT + "A|\r" * 300_000)), "hl7-structural", fields=fields)
    assert run.evidence["unreadable"] == ["line 1: the text has more than 250000 segments"]
    text = ISA + SET + ISA + "EB*1~" * 300_000
    run = graded(FakeState(x12=x12(ISA + SET, text)), "x12-response", fields=[{"path": "BHT03", "expected": "T1"}])
    assert run.evidence["unreadable"] == ["the text has more than 250000 segments"]
    monkeypatch.setattr(playground, "MOST_SEGMENTS", 3)
    run = graded(FakeState(hl7=hl7(ADT, ADT, ADT)), "hl7-structural", fields=fields)
    assert run.evidence["unreadable"] == ["the messages have more than 3 segments up to here"]
    answers = x12(ISA + SET, ISA + SET)
    run = graded(FakeState(x12=answers), "x12-response", fields=[{"path": "BHT03", "expected": "T1"}])
    assert run.evidence["unreadable"] == ["the responses have more than 3 segments up to here"]


def test_all_messages_together_have_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MESSAGES_BYTES", 2 * len(ADT))
    state = SharedState(FakeState(hl7=hl7(ADT, ADT, ADT)))
    assert [one.unread is None for one in state.events("hl7_outbound")] == [True, True, False]


def test_what_fits_is_passed_on_as_it_is() -> None:
    events, turns = hl7(ADT), call(("agent", "yes"))
    state = SharedState(FakeState(hl7=events, spoken=turns, rows=[row("r", "k", {"a": 1})]))
    assert (state.events("hl7_outbound"), state.turns()) == (events, turns)
    assert state.state_rows("r") == [row("r", "k", {"a": 1})]
    assert (Event("1", "x", b"", AFTER).unread, Turn(1, "a", "b", AFTER).unread) == (None, None)
