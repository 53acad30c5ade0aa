"""Who or what ended a trial. The causes of harbor's exceptions were compared with harbor 0.25.0."""

import json
from typing import Any

import pytest

from assay.dialects.harbor.reasons import CAUSES, failure_cause
from assay.harbor import Trial, reward_valid
from tests.builders import DATA


@pytest.mark.parametrize(
    ("exception", "message", "cause"),
    [
        ("AgentTimeoutError", "", "agent_exhausted_budget"),
        ("ContextLengthExceededError", "", "agent_exhausted_budget"),
        ("AgentSafetyRefusalError", "", "agent_refused_task"),
        ("EnvironmentStartTimeoutError", "", "sandbox_failed"),
        ("RateLimitError", "", "model_provider_failed"),
        ("RegradeError", "", "harbor_failed"),
        ("MeasurementError", "", "harbor_failed"),
        ("RewardFileEmptyError", "", "verifier_failed"),
        ("CancelledError", "", "cancelled"),
        ("NonZeroAgentExitCodeError", "", "unclassified"),
        ("SomethingElse", "", "unclassified"),
        ("ValidationError", "1 validation error for Answer", "unclassified"),
        ("ValidationError", "1 validation error for VerifierResult", "verifier_failed"),
        ("agent_timeout", "", "agent_exhausted_budget"),
        ("test_timeout", "", "verifier_failed"),
    ],
)
def test_the_cause_of_a_failure(exception: str, message: str, cause: str) -> None:
    assert failure_cause(exception, message) == cause
    assert cause in CAUSES


RECORDED: list[dict[str, Any]] = json.loads((DATA / "harbor_versions" / "0.25.0-reward-valid.json").read_bytes())


def recorded_trial(case: dict[str, Any]) -> Trial:
    verified = case["rewards"] != "none"
    return Trial(
        *("name", "task", "agent"),
        rewards=case["rewards"] if verified else None,
        verified=verified,
        exception_type=case["exception"],
        step_exceptions=tuple(name for name in case["steps"] if name is not None),
    )


def test_a_reward_is_valid_where_harbor_says_so() -> None:
    assert [reward_valid(recorded_trial(case)) for case in RECORDED] == [case["reward_valid"] for case in RECORDED]
    assert {case["reward_valid"] for case in RECORDED} == {True, False}


def test_the_cause_of_each_exception_is_harbors() -> None:
    alone = [case for case in RECORDED if case["exception"] is not None]
    assert [failure_cause(case["exception"]) for case in alone] == [case["failure_cause"] for case in alone]
    assert {case["failure_cause"] for case in alone} == set(CAUSES)
