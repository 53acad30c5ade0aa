"""Harbor's model of a verifier's result: what counts as a number, and how it is written."""

import math
from typing import Any

import pytest

from assay.dialects.harbor.errors import RewardValidationError
from assay.dialects.harbor.verifier_result import dump_verifier_result, validate_rewards
from tests.builders import typed_values


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, None),
        ({}, {}),
        ({"a": 1}, {"a": 1}),
        ({"a": 1.0}, {"a": 1.0}),
        ({"a": True, "b": False}, {"a": 1.0, "b": 0.0}),
        ({"a": "0.5", "b": "2"}, {"a": 0.5, "b": 2.0}),
        ({"a": "nan"}, {"a": math.nan}),
        ({"a": 2**80}, {"a": 2**80}),
    ],
)
def test_coercion(found: Any, expected: dict[str, float] | None) -> None:
    assert typed_values(validate_rewards(found)) == typed_values(expected)


@pytest.mark.parametrize("found", [1, "x", [], [1], {"a": None}, {"a": []}, {"a": {}}, {"a": "x"}, {1: 1}])
def test_anything_else_is_refused(found: Any) -> None:
    with pytest.raises(RewardValidationError, match="for VerifierResult"):
        validate_rewards(found)


@pytest.mark.parametrize(
    ("rewards", "text"),
    [
        (None, '{"rewards":null}'),
        ({}, '{"rewards":{}}'),
        ({"reward": 1.0}, '{"rewards":{"reward":1.0}}'),
        ({"reward": 1}, '{"rewards":{"reward":1}}'),
        ({"reward": math.nan}, '{"rewards":{"reward":null}}'),
        ({"reward": -math.inf, "other": 0.5}, '{"rewards":{"reward":null,"other":0.5}}'),
    ],
)
def test_the_text_that_harbor_writes(rewards: dict[str, float] | None, text: str) -> None:
    assert dump_verifier_result(rewards) == text
