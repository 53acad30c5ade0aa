"""A trial as it is read from its result.json."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.trial import Trial, Usage, UsageSum, evals_key
from assay.dialects.harbor.trial_file import MESSAGE_LIMIT, TrialDecoder, TrialFileError
from tests.builders import HARBOR_JOBS, trial_record, typed_values


def decode(**fields: Any) -> Trial:
    return TrialDecoder().decode(json.dumps(trial_record("t__1", **fields)).encode())


@pytest.mark.statement("harbor.evals-key")
@pytest.mark.parametrize(
    ("agent", "model", "dataset", "key"),
    [
        ("oracle", None, "ds", "oracle__ds"),
        ("oracle", "", "ds", "oracle__ds"),
        ("oracle", "vendor/model", "ds", "oracle__vendor/model__ds"),
        ("my__agent", "m", "d__s", "my__agent__m__d__s"),
    ],
)
def test_the_key_of_a_group(agent: str, model: str | None, dataset: str, key: str) -> None:
    assert evals_key(agent, model, dataset) == key
    assert Trial("t__1", "t", agent, model, dataset).evals_key == key


@pytest.mark.statement("harbor.adhoc")
@pytest.mark.parametrize("source", [None, ""])
def test_a_trial_without_a_source_belongs_to_adhoc(source: str | None) -> None:
    assert decode(dataset=source).dataset == "adhoc"


def test_what_is_read() -> None:
    found = decode(
        model="m", rewards={"reward": 1.0}, exception="E", message="why", started_at="2026-01-01T00:00:00Z"
    )
    assert (found.name, found.task, found.agent, found.model, found.dataset) == ("t__1", "t", "solver", "m", "ds")
    assert (found.rewards, found.verified, found.lost) == ({"reward": 1.0}, True, ())
    assert (found.exception_type, found.exception_message) == ("E", "why")
    assert found.started_at == "2026-01-01T00:00:00Z"
    assert found.slot == ("t", "solver", "m")


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ({"reward": 1}, {"reward": 1}),
        ({"reward": 1.0}, {"reward": 1.0}),
        ({"reward": -0.0}, {"reward": -0.0}),
        ({"reward": True}, {"reward": 1.0}),
        ({"reward": "0.5"}, {"reward": 0.5}),
        ({"reward": math.nan}, {"reward": math.nan}),
        ({"reward": math.inf, "other": 1}, {"reward": math.inf, "other": 1}),
        ({"reward": 2**70}, {"reward": 2**70}),
        ({"reward": 1e-320}, {"reward": 1e-320}),
        ({}, {}),
        (None, None),
    ],
)
def test_rewards_are_what_harbors_validation_makes_of_them(
    rewards: dict[str, Any] | None, expected: dict[str, float] | None
) -> None:
    found = decode(rewards=rewards)
    assert typed_values(found.rewards) == typed_values(expected)
    assert (found.verified, found.lost) == (True, ())


@pytest.mark.statement("harbor.none-is-not-zero")
def test_no_verifier_result_is_not_a_result_without_rewards() -> None:
    assert (decode().rewards, decode().verified) == (None, False)
    assert (decode(rewards=None).rewards, decode(rewards=None).verified) == (None, True)


def test_a_null_value_was_a_number_that_json_can_not_hold() -> None:
    found = decode(rewards={"speed": 0.5, "reward": None, "more": None})
    assert (found.rewards, found.lost) == ({"speed": 0.5}, ("reward", "more"))


def test_null_values_stay_lost_on_the_slow_path_too() -> None:
    found = decode(rewards={"speed": "0.5", "reward": None})
    assert (found.rewards, found.lost) == ({"speed": 0.5}, ("reward",))


def test_a_long_message_is_cut() -> None:
    assert decode(exception="E", message="x" * 10_000).exception_message == "x" * MESSAGE_LIMIT


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"usage": {"n_input_tokens": None}}, None),
        ({"usage": {"n_input_tokens": 5, "cost_usd": 0.25}}, Usage(5, None, None, 0.25)),
        ({"usage": {"n_input_tokens": 0}}, Usage(0)),
        (
            {"step_results": [
                {"step_name": "a", "agent_result": {"n_input_tokens": 1, "cost_usd": 0.1}},
                {"step_name": "b", "agent_result": None},
                {"step_name": "c", "agent_result": {"n_input_tokens": 2, "n_output_tokens": 7, "cost_usd": 0.2}},
            ]},
            Usage(3, None, 7, 0.30000000000000004),
        ),
        # A trial's own usage counts, and its steps' only where it has none.
        (
            {
                "usage": {"n_input_tokens": 9},
                "step_results": [{"step_name": "a", "agent_result": {"n_input_tokens": 1}}],
            },
            Usage(9),
        ),
    ],
)  # fmt: skip
def test_usage(fields: dict[str, Any], expected: Usage | None) -> None:
    assert decode(**fields).usage == expected


def together(*parts: Usage) -> Usage:
    added = UsageSum()
    for part in parts:
        added.add(part)
    return added.total()


def test_what_nobody_counted_is_not_0() -> None:
    assert together(Usage(1, None, 2), Usage(None, None, 3, 0.5)) == Usage(1, None, 5, 0.5)
    assert together(Usage(), Usage()) == Usage()
    assert together(Usage(), Usage(0)) == Usage(0)


@pytest.mark.parametrize(
    ("config", "slot"),
    [
        (None, ("t", "solver")),
        ({"task": {"path": "ds/t"}, "agent": {"name": "solver"}}, ("ds/t", "solver", "")),
        ({"task": {"path": None, "name": "org/t"}, "agent": {"name": "solver"}}, ("org/t", "solver", "")),
        ({"task": {"path": None}, "agent": {"name": None, "import_path": "m:A"}}, ("t", "m:A", "")),
        ({"task": {"path": "p"}, "agent": {"name": "solver", "model_name": "m"}}, ("p", "solver", "m")),
    ],
)
def test_the_slot_is_what_the_plan_calls_the_trial(config: dict[str, Any] | None, slot: tuple[str, ...]) -> None:
    assert decode(config=config).slot == slot


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff\xfe\xff", "not valid JSON"),
        (b'{"task_name": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"[]", "not the result of a trial"),
        (b"null", "not the result of a trial"),
        (b"{}", "not the result of a trial"),
        (b'{"task_name": "t", "trial_name": "t__1"}', "not the result of a trial"),
        (b'{"task_name": {}, "trial_name": "t__1", "agent_info": {"name": "a"}}', "not the result of a trial"),
        (json.dumps(trial_record("t__1", rewards={"r": [1]})).encode(), "rewards must be numbers"),
        (json.dumps(trial_record("t__1", rewards={"r": "high"})).encode(), "rewards must be numbers"),
        (json.dumps(trial_record("t__1", rewards=[1])).encode(), "not the result of a trial"),
    ],
)
def test_a_file_that_can_not_be_used_says_why_in_one_line(data: bytes, why: str) -> None:
    with pytest.raises(TrialFileError, match=why) as raised:
        TrialDecoder().decode(data)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("depth", [500, 50_000, 100_000])
@pytest.mark.parametrize("key", ["unknown", "config", "verifier_result"])
def test_a_file_nested_too_deeply_is_an_error_of_the_file(key: str, depth: int) -> None:
    nested = (
        json.dumps(trial_record("t__1", **{key: "HERE"})).replace('"HERE"', "[" * depth + "]" * depth).encode()
    )
    decoder = TrialDecoder()
    if key == "unknown" and depth == 500:
        assert decoder.decode(nested).name == "t__1"
        return
    with pytest.raises(TrialFileError):
        decoder.decode(nested)


@given(st.binary())
def test_no_bytes_crash_it(data: bytes) -> None:
    with pytest.raises(TrialFileError):
        TrialDecoder().decode(data)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(sorted(trial_record("t__1")))


@given(st.dictionaries(fields, json_values, max_size=3))
def test_no_value_of_a_field_crashes_it(values: dict[str, Any]) -> None:
    try:
        found = decode(**values)
    except TrialFileError:
        return
    assert all(type(value) in (int, float) for value in (found.rewards or {}).values())


@pytest.mark.parametrize("path", sorted(HARBOR_JOBS.glob("*/*/result.json")), ids=lambda path: path.parent.name)
def test_the_fast_way_and_the_slow_way_agree_on_what_harbor_wrote(path: Any) -> None:
    data = path.read_bytes()
    # The fast decoder refuses NaN, wherever it stands.
    slow = data.replace(b"{", b'{"unknown": NaN,', 1)
    assert TrialDecoder().decode(slow) == TrialDecoder().decode(data)
