"""Who or what ended a trial. The causes of harbor's exceptions were compared with harbor 0.25.0."""

import pytest

from assay.dialects.harbor.reasons import CAUSES, failure_cause


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
