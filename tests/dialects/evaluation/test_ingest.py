"""From a verifier's artifacts to a result: every shape of a reward file, of details, and of a run's end."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.dialects.evaluation.ingest import ingest as ingest_evidence
from assay.dialects.evaluation.models import ErrorSource, EvaluationResult
from assay.dialects.evaluation.output import Declared, Format
from assay.evaluation import Ingested, ingest
from assay.evidence.coding_run import ProcessEnd, VerifierEvidence
from assay.evidence.files import Absent, Content, File, Refusal, Refused
from tests.builders import typed, within
from tests.dialects.evaluation.evidence import DETAILS, FINE, OUTPUT, REWARD, TEXT, left

JSON = Declared(Format.JSON)
NUMBER = Declared(Format.JSON, schema={"type": "object", "required": ["volts"]})
HUGE = "9" * 400


def summary(found: Ingested) -> tuple[float, bool, str | None]:
    return found.result.reward, found.result.validity.verifier_completed, found.reason_code


def tags(found: Ingested) -> list[tuple[str, str]]:
    return [(tag.category, tag.source.value) for tag in found.result.error_taxonomy or ()]


# --- A reward that can be used ---


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ('{ "reward": 0.93 }', 0.93),
        ('{"reward": 1}', 1.0),
        ('{"reward": 0}', 0.0),
        ('{"reward": 1.0}', 1.0),
        ('{"reward": 0.0}', 0.0),
        ('{"reward": -0.0}', 0.0),
        ('{"reward": 5e-324}', 5e-324),
        ('{"reward": 1e-400}', 0.0),
        ('{"reward": 0.123456789012345}', 0.123456789012345),
        ('{"reward": 1E-1}', 0.1),
        ('{"reward": 0.5, "other": 7, "more": [null]}', 0.5),
        ('\n {"reward":\t1}\n\n', 1.0),
        ('{"\\u0072eward": 0.5}', 0.5),
    ],
)
def test_the_reward_is_the_verifiers_as_it_stands(text: str, reward: float) -> None:
    """A reward that is written directly is used as it is, without rounding, once it is valid."""
    found = ingest(left(text.encode()))
    assert summary(found) == (reward, True, None)
    assert typed(found.result.reward) == typed(reward)
    assert (found.result.validity.errors, found.result.error_taxonomy) == ([], None)


@given(st.floats(0, 1))
def test_every_number_from_0_to_1_is_a_reward(reward: float) -> None:
    assert summary(ingest(left(json.dumps({"reward": reward}).encode()))) == (reward, True, None)


@given(st.floats().filter(lambda value: not 0 <= value <= 1))
def test_no_other_number_is(reward: float) -> None:
    found = ingest(left(json.dumps({"reward": reward}).encode()))
    reason = "reward_out_of_range" if math.isfinite(reward) else "reward_not_finite"
    assert summary(found) == (0.0, False, reason)


# --- Rewards that can't be used: 0.0, not completed, and a reason of their own ---

UNUSABLE = [
    # Malformed.
    ("", "reward_empty"),
    (" ", "reward_malformed"),
    ("{", "reward_malformed"),
    ("reward: 1", "reward_malformed"),
    ("{'reward': 1}", "reward_malformed"),
    ('{"reward": 1,}', "reward_malformed"),
    ('{"reward": 1}{"reward": 1}', "reward_malformed"),
    ('{"reward": 01}', "reward_malformed"),
    ('{"reward": .5}', "reward_malformed"),
    ('\ufeff{"reward": 1}', "reward_malformed"),
    ('{"reward": ' + "9" * 5000 + "}", "reward_malformed"),
    # Not an object.
    ("1", "reward_malformed"),
    ("[1]", "reward_malformed"),
    ('[{"reward": 1}]', "reward_malformed"),
    ('"reward"', "reward_malformed"),
    ("null", "reward_malformed"),
    ("true", "reward_malformed"),
    ("NaN", "reward_malformed"),
    # No key.
    ("{}", "reward_key_missing"),
    ('{"rewards": {"reward": 1}}', "reward_key_missing"),
    # Not a number.
    ('{"reward": true}', "reward_boolean"),
    ('{"reward": false}', "reward_boolean"),
    ('{"reward": "1"}', "reward_not_a_number"),
    ('{"reward": ""}', "reward_not_a_number"),
    ('{"reward": null}', "reward_not_a_number"),
    ('{"reward": [1]}', "reward_not_a_number"),
    ('{"reward": {"reward": 1}}', "reward_not_a_number"),
    ('{"reward": "\\ud800"}', "reward_not_a_number"),
    # Not finite.
    ('{"reward": NaN}', "reward_not_finite"),
    ('{"reward": Infinity}', "reward_not_finite"),
    ('{"reward": -Infinity}', "reward_not_finite"),
    ('{"reward": 1e400}', "reward_not_finite"),
    ('{"reward": -1e400}', "reward_not_finite"),
    # Out of range.
    ('{"reward": -0.1}', "reward_out_of_range"),
    ('{"reward": 1.0000001}', "reward_out_of_range"),
    ('{"reward": 2}', "reward_out_of_range"),
    ('{"reward": -1}', "reward_out_of_range"),
    ('{"reward": 100}', "reward_out_of_range"),
    (f'{{"reward": {HUGE}}}', "reward_out_of_range"),
    (f'{{"reward": -{HUGE}}}', "reward_out_of_range"),
    # Said twice.
    ('{"reward": 0, "reward": 1}', "reward_duplicate_key"),
    ('{"reward": 1, "reward": 1}', "reward_duplicate_key"),
    ('{"reward": 1, "a": 1, "a": 2}', "reward_duplicate_key"),
    ('{"reward": 1, "deep": [{"a": 1, "a": 2}]}', "reward_duplicate_key"),
    ('{"\\u0072eward": 0, "reward": 1}', "reward_duplicate_key"),
]


@pytest.mark.statement("evaluation.malformed-reward")
@pytest.mark.parametrize(("text", "reason"), UNUSABLE, ids=[f"{r}-{t[:30]!r}" for t, r in UNUSABLE])
def test_a_reward_that_can_not_be_used_is_0_and_not_completed(text: str, reason: str) -> None:
    """Notes, evaluation 5: the same as a missing one, each with its own reason code and its own text."""
    found = ingest(left(text.encode()))
    assert summary(found) == (0.0, False, reason)
    assert len(found.result.validity.errors) == 1
    assert REWARD in found.result.validity.errors[0]
    assert tags(found) == [("malformed artifact", "mechanical")]


@pytest.mark.parametrize(
    "data", [b"\xff", b'{"reward": 1}\xff', b'{"reward": "\xc3"}', '{"reward": 1}'.encode("utf-16")]
)
def test_a_reward_that_is_not_utf_8_is_malformed(data: bytes) -> None:
    assert summary(ingest(left(data))) == (0.0, False, "reward_malformed")


@pytest.mark.parametrize("depth", [500, 985, 1_000, 100_000, 1_000_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_without_end_is_a_reason_and_no_crash(depth: int, opening: bytes) -> None:
    found = ingest(left(b'{"reward":' + opening * depth))
    assert summary(found) == (0.0, False, "reward_malformed")
    closed = ingest(left(b'{"reward":' + b"[" * depth + b"]" * depth + b"}"))
    assert summary(closed)[:2] == (0.0, False)
    assert closed.reason_code in ("reward_malformed", "reward_not_a_number")


def test_a_missing_reward_is_0_and_not_completed() -> None:
    """A reward that is not there is 0.0 with ``verifier_completed = false``."""
    found = ingest(left())
    assert summary(found) == (0.0, False, "reward_missing")
    assert found.result.validity.errors == [f"the verifier wrote no {REWARD}"]
    assert tags(found) == [("missing artifact", "mechanical")]


@pytest.mark.statement("evaluation.missing-reward")
def test_a_missing_reward_is_told_apart_from_a_real_zero() -> None:
    """Notes, evaluation 5."""
    missing, zero = ingest(left()), ingest(left(b'{"reward": 0}'))
    assert missing.result.reward == zero.result.reward == 0.0
    assert (missing.result.validity.verifier_completed, zero.result.validity.verifier_completed) == (False, True)
    assert (missing.reason_code, zero.reason_code) == ("reward_missing", None)


@pytest.mark.parametrize("why", list(Refusal))
def test_what_must_not_be_read_is_no_reward(why: Refusal) -> None:
    found = ingest(left(Refused(REWARD, why), text=b"1"))
    assert summary(found) == (0.0, False, "reward_refused")
    assert found.result.validity.errors == [f"the reward file {REWARD} is {why.value}"]
    assert tags(found) == [("malformed artifact", "mechanical")]


# --- reward.txt, where there is no reward.json ---


@pytest.mark.parametrize(
    ("text", "reward"), [("1", 1.0), ("0", 0.0), ("0.5\n", 0.5), (" 1 \n", 1.0), ("1e-1", 0.1), ("-0", 0.0)]
)
def test_reward_txt_stands_in_for_a_reward_json_that_is_not_there(text: str, reward: float) -> None:
    found = ingest(left(text=text.encode()))
    assert summary(found) == (reward, True, None)
    assert typed(found.result.reward) == typed(reward)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "reward_empty"),
        ("\n", "reward_malformed"),
        ("one", "reward_malformed"),
        ("1 2", "reward_malformed"),
        ("true", "reward_malformed"),
        ('{"reward": 1}', "reward_malformed"),
        ("nan", "reward_not_finite"),
        ("inf", "reward_not_finite"),
        ("1e400", "reward_not_finite"),
        ("-0.1", "reward_out_of_range"),
        ("1.0000001", "reward_out_of_range"),
        ("100", "reward_out_of_range"),
    ],
)
def test_reward_txt_that_can_not_be_used(text: str, reason: str) -> None:
    found = ingest(left(text=text.encode()))
    assert summary(found) == (0.0, False, reason)
    assert TEXT in found.result.validity.errors[0]


def test_reward_txt_that_is_not_utf_8() -> None:
    assert summary(ingest(left(text=b"\xff"))) == (0.0, False, "reward_malformed")


def test_reward_txt_that_must_not_be_read() -> None:
    assert summary(ingest(left(text=Refused(TEXT, Refusal.FIFO)))) == (0.0, False, "reward_refused")


@pytest.mark.parametrize(("data", "reason"), [(b"", "reward_empty"), (b"{", "reward_malformed")])
def test_a_reward_json_that_is_there_wins_even_if_it_can_not_be_used(data: bytes, reason: str) -> None:
    assert summary(ingest(left(data, text=b"1"))) == (0.0, False, reason)


def test_a_good_reward_json_wins_over_reward_txt() -> None:
    assert summary(ingest(left(b'{"reward": 0.25}', text=b"1"))) == (0.25, True, None)


@pytest.mark.parametrize(
    ("declared", "why", "expected"),
    [
        (Declared(Format.TEXT, may_be_folder=True), Refusal.FOLDER, (1.0, True, None)),
        (
            Declared(Format.TEXT, may_be_folder=True),
            Refusal.LINK,
            (0.0, True, "reward_for_unparseable_output"),
        ),
        (Declared(Format.TEXT), Refusal.FOLDER, (0.0, True, "reward_for_unparseable_output")),
        (Declared(Format.JSON), Refusal.FOLDER, (0.0, True, "reward_for_unparseable_output")),
    ],
)
def test_there_is_nothing_to_parse_in_a_folder_that_an_instruction_names(
    declared: Declared, why: Refusal, expected: tuple[float, bool, str | None]
) -> None:
    found = ingest(left(b'{"reward": 1.0}', output=Refused("/workspace/repo", why)), declared)
    assert summary(found) == expected
    assert found.result.validity.output_parseable is (expected[2] is None)


# --- details.json ---

BREAKDOWNS: list[dict[str, Any]] = [
    # As the document has it.
    {
        "voltage_drop_v": {"score": 0.95, "max_score": 1.0, "evidence": "within 2% of reference"},
        "voltage_drop_pct": {"score": 1.0, "max_score": 1.0, "evidence": "exact match"},
        "compliance": {"score": 1.0, "max_score": 1.0, "evidence": "correctly flagged compliant"},
    },
    # Flat: notes, evaluation 3.
    {"voltage_drop_v": 0.95, "voltage_drop_pct": 1},
    {"mixed": 0.5, "nested": {"score": 7, "max_score": 10, "evidence": None}},
    {},
    {"anything": ["at", {"all": None}], "true": True, "text": "é∅"},
]


@pytest.mark.statement("evaluation.details-flat", "evaluation.reward-authoritative")
@pytest.mark.parametrize("details", BREAKDOWNS)
@pytest.mark.parametrize("reward", [0.0, 0.93, 1.0])
def test_details_are_stored_as_they_were_written_and_the_reward_is_not_computed_again(
    details: dict[str, Any], reward: float
) -> None:
    found = ingest(left(json.dumps({"reward": reward}).encode(), details=json.dumps(details).encode()))
    assert summary(found) == (reward, True, None)
    assert found.result.breakdown == details
    assert found.result.validity.errors == []


def test_details_are_optional() -> None:
    found = ingest(left(b'{"reward": 1}'))
    assert (found.result.breakdown, found.result.validity.errors) == (None, [])


@pytest.mark.parametrize(
    ("details", "says"),
    [
        (b"", f"can't parse {DETAILS}: "),
        (b"{", f"can't parse {DETAILS}: "),
        (b"\xff", f"can't parse {DETAILS}: "),
        (b"[" * 100_000, f"can't parse {DETAILS}: "),
        (b"[1]", f"{DETAILS} must be an object"),
        (b"0.5", f"{DETAILS} must be an object"),
        (b"null", f"{DETAILS} must be an object"),
        (Refused(DETAILS, Refusal.LINK), f"the details file {DETAILS} is a symbolic link"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_broken_details_cost_the_breakdown_and_not_the_reward(details: bytes | File, says: str) -> None:
    found = ingest(left(b'{"reward": 0.5}', details=details))
    assert summary(found) == (0.5, True, None)
    assert found.result.breakdown is None
    assert [error[: len(says)] for error in found.result.validity.errors] == [says]
    assert tags(found) == [("malformed artifact", "mechanical")]


def test_details_without_a_reward_are_kept() -> None:
    found = ingest(left(details=b'{"a": 1}'))
    assert summary(found) == (0.0, False, "reward_missing")
    assert found.result.breakdown == {"a": 1}


# --- What can be written down ---


def read_back(found: Ingested) -> EvaluationResult:
    """As a grading is kept: written, and read again."""
    return EvaluationResult.model_validate_json(found.result.model_dump_json())


@pytest.mark.parametrize(
    "details",
    [
        b'{"a": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"a": {"evidence": "before \\ud83d after"}}',
        b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}",
        b'{"a": ' + b'{"a":' * 600 + b"1" + b"}" * 600 + b"}",
        b'{"a": ' + b"9" * 400 + b"}",
    ],
    ids=["lone surrogate", "surrogate key", "half a pair", "300 lists", "600 objects", "huge number"],
)
def test_whatever_the_details_hold_the_result_can_be_written_down(details: bytes) -> None:
    found = ingest(left(b'{"reward": 0.5}', details=details))
    assert summary(found) == (0.5, True, None)
    assert read_back(found).reward == 0.5


def test_a_schema_violation_at_a_key_that_is_no_text_can_be_written_down() -> None:
    """JSON may name half a character; a record in UTF-8 can't."""
    declared = Declared(Format.JSON, schema={"additionalProperties": {"type": "integer"}})
    found = ingest(left(b'{"reward": 0.5}', output=b'{"\\ud800": "x"}'), declared)
    assert read_back(found).validity.schema_valid is False


@pytest.mark.parametrize(
    "evidence",
    [
        left(text=b"x" * 10**6),
        left(b'{"' + b"x" * 10**6 + b'": 1, "' + b"x" * 10**6 + b'": 1}'),
        left(b'{"reward": "' + b"x" * 10**6 + b'"}'),
        left(b'{"reward": ' + b"9" * 4000 + b"}"),
        left(b'{"reward": 1}', output=b'{"' + b"x" * 10**6 + b'": "x"}'),
        left(b'{"reward": 1}', output=b'{"volts": "' + b"x" * 10**6 + b'"}'),
    ],
    ids=["text", "duplicate key", "string", "digits", "path of a violation", "value of a violation"],
)
def test_an_error_text_is_bounded_whatever_the_file_holds(evidence: VerifierEvidence) -> None:
    """It stands on the record and in reports: a megabyte of it helps nobody."""
    declared = Declared(Format.JSON, schema={"additionalProperties": {"type": "integer"}})
    found = ingest(evidence, declared)
    texts = [*found.result.validity.errors, *(tag.description or "" for tag in found.result.error_taxonomy or ())]
    assert texts
    assert max(map(len, texts)) <= 5000


def test_a_reward_file_with_many_keys_is_read_in_reasonable_time() -> None:
    """The file may have 16 MB, and whoever wrote it need not be friendly."""
    keys = ",".join(f'"k{number}":1' for number in range(200_000))
    with within(60):
        found = ingest(left(f'{{"reward":1,{keys},"z":1,"z":2}}'.encode()))
    assert found.reason_code == "reward_duplicate_key"


# --- Validity gates ---


def flags(found: Ingested) -> tuple[bool, bool, bool]:
    validity = found.result.validity
    return validity.output_parseable, validity.schema_valid, validity.verifier_completed


@pytest.mark.parametrize(
    ("output", "declared", "parseable", "schema_valid"),
    [
        (None, None, True, True),
        (None, JSON, True, True),
        (b"anything", None, True, True),
        (b"{}", JSON, True, True),
        (b"{", JSON, False, False),
        (b"", JSON, False, False),
        (b"\xff", JSON, False, False),
        (b'{"volts": 1}', NUMBER, True, True),
        (b"{}", NUMBER, True, False),
        (b"[]", NUMBER, True, False),
        (b"{", NUMBER, False, False),
        (Absent(OUTPUT), JSON, False, False),
        (Absent(OUTPUT), None, False, False),
        (Refused(OUTPUT, Refusal.LINK), JSON, False, False),
        (Refused(OUTPUT, Refusal.FOLDER), None, False, False),
    ],
)
@pytest.mark.parametrize("reward", [b'{"reward": 0}', b'{"reward": 1}', None])
def test_the_flags(
    output: bytes | File | None,
    declared: Declared | None,
    parseable: bool,
    schema_valid: bool,
    reward: bytes | None,
) -> None:
    found = ingest(left(reward, output=output), declared)
    assert flags(found) == (parseable, schema_valid, reward is not None)
    if not (parseable and schema_valid):
        assert found.result.validity.errors


def test_each_thing_that_is_wrong_with_the_output_is_said() -> None:
    said = {
        "nothing": ingest(left(b'{"reward": 0}', output=Absent(OUTPUT)), JSON),
        "a link": ingest(left(b'{"reward": 0}', output=Refused(OUTPUT, Refusal.LINK)), JSON),
        "a brace": ingest(left(b'{"reward": 0}', output=b"{"), JSON),
    }
    assert {what: found.result.validity.errors[0][:60] for what, found in said.items()} == {
        "nothing": f"there is no output at {OUTPUT}",
        "a link": f"the output {OUTPUT} is a symbolic link",
        "a brace": "the output is not json: Expecting property name enclosed in double quotes"[:60],
    }


@pytest.mark.parametrize("output", [b"{", Absent(OUTPUT), Refused(OUTPUT, Refusal.SOCKET)])
def test_a_reward_for_output_that_can_not_be_parsed_is_forfeited(output: bytes | File) -> None:
    """The verifier did complete, so this is no missing reward."""
    found = ingest(left(b'{"reward": 0.8}', output=output), JSON)
    assert summary(found) == (0.0, True, "reward_for_unparseable_output")
    assert found.result.validity.errors[-1] == "the verifier gave 0.8 for output that can't be parsed"


def test_a_reward_of_0_for_such_output_is_nothing_to_forfeit() -> None:
    assert summary(ingest(left(b'{"reward": 0}', output=b"{"), JSON)) == (0.0, True, None)


def test_a_missing_reward_stays_missing_for_such_output() -> None:
    assert summary(ingest(left(output=b"{"), JSON)) == (0.0, False, "reward_missing")


@pytest.mark.statement("evaluation.flags-diagnostic")
@pytest.mark.parametrize("reward", [0.0, 0.5, 1.0])
def test_a_schema_violation_forces_nothing_by_itself(reward: float) -> None:
    """Notes, evaluation 1."""
    found = ingest(left(json.dumps({"reward": reward}).encode(), output=b"{}"), NUMBER)
    assert summary(found) == (reward, True, None)
    assert flags(found) == (True, False, True)


@pytest.mark.statement("evaluation.schema-may-forbid")
@pytest.mark.parametrize(
    ("output", "reward", "expected"),
    [
        (b"{}", 0.5, (0.0, True, "reward_for_schema_violation")),
        (b"{}", 0.0, (0.0, True, None)),
        (b'{"volts": 1}', 0.5, (0.5, True, None)),
        (b"{", 0.5, (0.0, True, "reward_for_unparseable_output")),
    ],
)
def test_a_strict_option_forbids_a_reward_for_a_schema_violation_too(
    output: bytes, reward: float, expected: tuple[float, bool, str | None]
) -> None:
    evidence = left(json.dumps({"reward": reward}).encode(), output=output)
    found = ingest(evidence, NUMBER, schema_forbids_reward=True)
    assert summary(found) == expected


# --- Tags ---

TIMED_OUT = ProcessEnd(exit_code=None, timed_out=True)
OUT_OF_MEMORY = ProcessEnd(exit_code=None, out_of_memory=True, signal=9)
KILLED = ProcessEnd(exit_code=None, signal=11)


@pytest.mark.parametrize(
    ("evidence", "declared", "expected"),
    [
        (left(b'{"reward": 1}'), None, []),
        (left(b'{"reward": 0}'), None, []),
        (left(b'{"reward": 1}', end=TIMED_OUT), None, ["time-out"]),
        (left(b'{"reward": 1}', end=OUT_OF_MEMORY), None, ["out of memory"]),
        (left(b'{"reward": 1}', end=KILLED), None, ["killed"]),
        (left(b'{"reward": 1}', end=ProcessEnd(exit_code=3)), None, ["non-zero exit"]),
        (left(), None, ["missing artifact"]),
        (left(b"{"), None, ["malformed artifact"]),
        (left(b'{"reward": 0}', output=Absent(OUTPUT)), JSON, ["missing artifact"]),
        (left(b'{"reward": 0}', output=Refused(OUTPUT, Refusal.LINK)), JSON, ["unparseable output"]),
        (left(b'{"reward": 0}', output=b"{"), JSON, ["unparseable output"]),
        (left(b'{"reward": 1}', output=b"{"), JSON, ["unparseable output"]),
        (left(b'{"reward": 1}', output=b"{}"), NUMBER, ["schema violation"]),
        (left(end=TIMED_OUT, output=b"{}"), NUMBER, ["time-out", "schema violation", "missing artifact"]),
        (
            left(b"{", end=ProcessEnd(1), output=b"{"),
            JSON,
            ["non-zero exit", "unparseable output", "malformed artifact"],
        ),
        (left(output=Absent(OUTPUT)), JSON, ["missing artifact", "missing artifact"]),
    ],
)
def test_mechanical_tags(evidence: VerifierEvidence, declared: Declared | None, expected: list[str]) -> None:
    found = ingest(evidence, declared)
    assert tags(found) == [(category, "mechanical") for category in expected]
    assert all(tag.description for tag in found.result.error_taxonomy or ())


@pytest.mark.parametrize(
    ("reward", "says"),
    [
        (b'{"reward": 0.5}', "it had written 0.5"),
        (b'{"reward": 2}', f"the reward in {REWARD} must be from 0 to 1, got 2"),
        (b"{", f"can't parse {REWARD}: "),
    ],
)
def test_a_reward_from_before_a_time_out_is_reported_as_that(reward: bytes, says: str) -> None:
    found = ingest(left(reward, end=TIMED_OUT))
    assert summary(found) == (0.0, False, "reward_before_time_out")
    (error,) = found.result.validity.errors
    assert error.startswith(f"the verifier ran out of time, so its reward doesn't count: {says}")
    assert tags(found) == [("time-out", "mechanical")]


def test_no_reward_at_a_time_out_is_a_missing_one() -> None:
    found = ingest(left(end=TIMED_OUT))
    assert summary(found) == (0.0, False, "reward_missing")
    assert found.result.validity.errors == [f"the verifier wrote no {REWARD} before it ran out of time"]


@pytest.mark.statement("evaluation.malformed-reward", "harbor.json-keys")
@pytest.mark.parametrize(
    ("written", "named"),
    [
        ('{"correctness": 1, "speed": 0.5}', "correctness, speed"),
        ('{"score": 1}', "score"),
        ('{"Reward": 1}', "Reward"),
        ('{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}', "a, b, c, d, e"),
    ],
)
def test_a_file_of_other_metrics_has_no_reward_and_is_not_malformed(written: str, named: str) -> None:
    found = ingest(left(written.encode()))
    assert summary(found) == (0.0, False, "reward_key_missing")
    assert found.result.validity.errors == [f"{REWARD} has no key 'reward', only {named}"]
    assert tags(found) == [("no reward key", "mechanical")]


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (OUT_OF_MEMORY, "the verifier ran into its memory limit"),
        (KILLED, "the verifier was killed by signal 11"),
        (ProcessEnd(exit_code=3), "the verifier ended with exit code 3"),
    ],
)
def test_how_the_run_ended_is_said_and_costs_no_reward(end: ProcessEnd, says: str) -> None:
    found = ingest(left(b'{"reward": 0.5}', end=end))
    assert summary(found) == (0.5, True, None)
    assert found.result.error_taxonomy is not None
    assert found.result.error_taxonomy[0].description == says


@pytest.mark.statement("evaluation.tags-of-verifier")
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([{"category": "unit mismatch"}], [("unit mismatch", None)]),
        ([{"category": "a", "description": "why"}, {"category": "b"}], [("a", "why"), ("b", None)]),
        ([{"category": "a", "source": "judge", "extra": 1}], [("a", None)]),
        ([{"category": "a", "description": 3}], [("a", None)]),
        (None, []),
        ([], []),
    ],
)
def test_tags_that_the_verifier_wrote_into_details(
    written: object, expected: list[tuple[str, str | None]]
) -> None:
    """Verifiers can tag failures, and the tags stay in the breakdown."""
    details = {"error_taxonomy": written, "a": 1}
    found = ingest(left(b'{"reward": 0.5}', details=json.dumps(details).encode()))
    assert [(tag.category, tag.description) for tag in found.result.error_taxonomy or ()] == expected
    assert found.result.breakdown == details


@pytest.mark.parametrize(
    ("tag", "source"),
    [
        ({"category": "a"}, ErrorSource.MECHANICAL),
        ({"category": "a", "source": "mechanical"}, ErrorSource.MECHANICAL),
        ({"category": "a", "source": "judge"}, ErrorSource.JUDGE),
        ({"category": "a", "source": "human"}, ErrorSource.HUMAN),
    ],
)
def test_a_verifier_that_asked_a_judge_may_say_so(tag: dict[str, object], source: ErrorSource) -> None:
    found = ingest(left(b'{"reward": 0.5}', details=json.dumps({"error_taxonomy": [tag]}).encode()))
    assert [tag.source for tag in found.result.error_taxonomy or ()] == [source]


@pytest.mark.parametrize("field", ["category", "description"])
def test_a_tag_with_half_a_character_is_no_reason_to_crash(field: str) -> None:
    details = {"error_taxonomy": [{"category": "a", "description": "b"} | {field: "\ud800"}]}
    found = ingest(left(b'{"reward": 0.5}', details=json.dumps(details).encode()))
    assert summary(found) == (0.5, True, None)
    assert read_back(found).reward == 0.5


def test_the_runners_tags_come_before_the_verifiers() -> None:
    details = json.dumps({"error_taxonomy": [{"category": "unit mismatch"}]}).encode()
    found = ingest(left(b'{"reward": 0}', details=details, end=ProcessEnd(1)))
    assert [category for category, _ in tags(found)] == ["non-zero exit", "unit mismatch"]


# --- Properties ---

ANY_TEXT = st.text(st.characters())  # Surrogates included, as JSON may spell them.
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
TAGS = st.lists(st.fixed_dictionaries({"category": ANY_TEXT}, optional={"description": ANY_TEXT}), max_size=3)


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


REWARD_BYTES = st.binary(max_size=40) | ANY_JSON.map(dumped) | ANY_JSON.map(lambda one: dumped({"reward": one}))
DETAILS_BYTES = (
    st.binary(max_size=40) | ANY_JSON.map(dumped) | TAGS.map(lambda one: dumped({"error_taxonomy": one}))
)
OUTPUT_BYTES = st.binary(max_size=40) | ANY_JSON.map(dumped)
DECLARATIONS = st.sampled_from([None, JSON, NUMBER, *(Declared(one) for one in Format)])
ENDS = st.sampled_from([FINE, TIMED_OUT, OUT_OF_MEMORY, KILLED, ProcessEnd(exit_code=2)])


@given(
    st.none() | REWARD_BYTES,
    st.none() | st.binary(max_size=12),
    st.none() | DETAILS_BYTES,
    st.none() | OUTPUT_BYTES,
    DECLARATIONS,
    ENDS,
    st.booleans(),
)
@example(b'{"reward": 1}', None, b'{"error_taxonomy": [{"category": "\\ud800"}]}', None, None, FINE, False)
@example(b'{"reward": 1}', None, None, b"!!int ''", Declared(Format.YAML), FINE, False)
def test_whatever_the_files_hold_there_is_a_valid_result(
    reward: bytes | None,
    text: bytes | None,
    details: bytes | None,
    output: bytes | None,
    declared: Declared | None,
    end: ProcessEnd,
    strict: bool,
) -> None:
    evidence = left(reward, text=text, details=details, output=output, end=end)
    found = ingest(evidence, declared, schema_forbids_reward=strict)
    result, validity = found.result, found.result.validity
    assert read_back(found).reward == result.reward
    assert validity.output_parseable or result.reward == 0
    assert validity.verifier_completed or (result.reward == 0 and found.reason_code is not None)
    assert found.reason_code is None or result.reward == 0
    assert found.reason_code is None or validity.errors


@pytest.mark.statement("evaluation.deterministic")
@given(st.none() | REWARD_BYTES, st.none() | DETAILS_BYTES, st.none() | OUTPUT_BYTES, DECLARATIONS)
@example(b'{"reward": 0.5}', b'{"a": 1}', b"{}", NUMBER)
def test_the_same_evidence_gives_the_same_result(
    reward: bytes | None, details: bytes | None, output: bytes | None, declared: Declared | None
) -> None:
    """Mechanical scoring is deterministic. Compared as text: NaN in details is not equal to itself."""
    evidence = left(reward, details=details, output=output)
    assert repr(ingest(evidence, declared)) == repr(ingest(evidence, declared))


@given(DETAILS_BYTES)
def test_details_never_change_the_reward(details: bytes) -> None:
    assert summary(ingest(left(b'{"reward": 0.93}', details=details))) == (0.93, True, None)


def test_a_file_is_what_was_found_whatever_its_path() -> None:
    """Paths are for messages only."""
    odd = Content("/tmp/elsewhere", b'{"reward": 0.5}')
    assert summary(ingest(left(odd))) == (0.5, True, None)


# --- A reward that the verifier may not have written itself ---

KILLED_BY_9 = ProcessEnd(exit_code=137, signal=9)


@pytest.mark.parametrize(
    ("evidence", "reward", "category", "reason"),
    [
        (left(text=b"1", end=KILLED_BY_9), 1.0, "killed", "reward_before_kill"),
        (left(b'{"reward": 1}', text=b"0"), 1.0, "conflicting rewards", "reward_files_disagree"),
        (left(b'{"reward": 0}', text=b"1"), 0.0, "conflicting rewards", "reward_files_disagree"),
        (
            replace(left(text=b"1"), startup=("/root/x.pth",)),
            1.0,
            "start-up file left",
            "reward_after_startup_files",
        ),
    ],
)
def test_a_doubtful_reward_is_tagged_and_strictly_unusable(
    evidence: VerifierEvidence, reward: float, category: str, reason: str
) -> None:
    found = ingest(evidence)
    assert (summary(found), tags(found)) == ((reward, True, None), [(category, "mechanical")])
    strictly = ingest_evidence(evidence, strict=True)
    assert (summary(strictly), tags(strictly)) == ((0.0, False, reason), [(category, "mechanical")])


@pytest.mark.parametrize(
    ("json_file", "text"), [(b'{"reward": 0.3333}', b"0.33"), (b'{"reward": 1}', b"1.0"), (b'{"reward": 1}', b"?")]
)
def test_files_that_do_not_contradict_each_other(json_file: bytes, text: bytes) -> None:
    found = ingest_evidence(left(json_file, text=text), strict=True)
    assert (found.reason_code, found.result.error_taxonomy) == (None, None)
