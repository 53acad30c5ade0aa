"""The record of one run graded once: what it holds, and that it is read back as it was written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from assay.dialects.evaluation.models import SCHEMA_VERSION, Grading, Hashes, Provenance, Usage
from tests.dialects.evaluation.gradings import grading


def test_the_fields_of_a_record() -> None:
    """A grading can be derived again from what it says: what was graded, with what, under which isolation."""
    assert list(Grading.model_fields) == [
        "schema_version",
        "number",
        "step",
        "steps",
        "result",
        "reason_code",
        "rewards",
        "exception_type",
        "verifier_exit_code",
        "flaky",
        "cause",
        "control",
        "again",
        "provenance",
    ]
    assert list(Provenance.model_fields) == [
        "assay",
        "engine",
        "python",
        "platform",
        "profile",
        "schema_forbids_reward",
        "isolation",
        "network",
        "image",
        "agent_access",
        "verifier_environment",
        "hashes",
        "changed_tests",
        "started_at",
        "finished_at",
        "usage",
        "previous",
    ]
    assert list(Hashes.model_fields) == ["task", "tests", "output", "reward", "details", "workspace"]
    assert list(Usage.model_fields) == ["wall_sec", "cpu_sec", "peak_memory_mb", "disk_mb"]


@pytest.mark.parametrize(
    "record",
    [
        grading(),
        grading(7, None, step="extend", tags=(("time-out", "mechanical"),)),
        grading(2, 0.0, parseable=False, schema_valid=False, method="range of 2 verifications", flaky=True),
        grading(3, rewards={"a": 1, "b": 0.5, "nan": None}, verifier_exit_code=None, previous="ab" * 32),
    ],
)
def test_a_record_is_read_back_as_it_was_written(record: Grading) -> None:
    assert Grading.model_validate(json.loads(record.model_dump_json())) == record
    again = Grading.model_validate_json(record.model_dump_json(indent=2))
    assert again == record
    assert again.model_dump_json() == record.model_dump_json()


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)))
def test_harbors_rewards_keep_their_values_and_types(rewards: dict[str, float | int | None]) -> None:
    again = Grading.model_validate_json(grading(rewards=rewards).model_dump_json())
    assert repr(again.rewards) == repr(rewards)


def test_a_record_says_which_form_it_has() -> None:
    assert json.loads(grading().model_dump_json())["schema_version"] == SCHEMA_VERSION == 4


@pytest.mark.parametrize(
    ("field", "value"), [("number", 0), ("number", "1"), ("rewards", {"a": True}), ("rewards", {"a": "1"})]
)
def test_what_no_record_may_hold(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        Grading.model_validate_json(json.dumps(json.loads(grading().model_dump_json()) | {field: value}))
