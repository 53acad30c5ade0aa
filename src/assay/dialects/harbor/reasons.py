"""The reason codes of an outcome, which of them to retry, and how free text becomes a reason code.

The cause behind the type of an exception, in the words of harbor 0.25, is for people who look for the reason of a
failure. It never changes a score or a count.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.dialects.harbor.trial import Trial

RETRYABLE = frozenset(
    {
        "harbor_broker_connection_failed",
        "harbor_cancelled_error",
        "harbor_environment_start_timeout_error",
        "terminal_bench_broker_ref_missing",
        "terminal_bench_job_dir_missing",
        "terminal_bench_lease_expired",
    }
)

FINAL = frozenset(
    {
        "harbor_agent_timeout_error",
        "harbor_nonzero_exit",
        "harbor_result_invalid",
        "harbor_result_malformed",
        "harbor_result_missing",
        "harbor_result_partial",
        "harbor_reward_empty",
        "harbor_reward_missing",
        "harbor_reward_parse_error",
        "harbor_submission_code_failed",
        "harbor_trial_failed",
        "harbor_trial_result_malformed",
        "harbor_trial_result_missing",
        "harbor_verifier_timeout_error",
    }
)

REASON_CODES = RETRYABLE | FINAL

# Exception names reduced to letters and digits, so that one entry covers every spelling.
_NAMES = {
    "agenttimeouterror": "harbor_agent_timeout_error",
    "cancellederror": "harbor_cancelled_error",
    "environmentstarttimeouterror": "harbor_environment_start_timeout_error",
    "verifiertimeouterror": "harbor_verifier_timeout_error",
    "submissioncodefailure": "harbor_submission_code_failed",
    "rewardfilenotfounderror": "harbor_reward_missing",
    "rewardfileemptyerror": "harbor_reward_empty",
    "verifieroutputparseerror": "harbor_reward_parse_error",
}

# Searched for in longer texts, in this order, because a text may contain more than one.
_NAMES_IN_TEXT = (
    ("cancellederror", "harbor_cancelled_error"),
    ("cancelederror", "harbor_cancelled_error"),
    ("environmentstarttimeouterror", "harbor_environment_start_timeout_error"),
    ("agenttimeouterror", "harbor_agent_timeout_error"),
    ("verifiertimeouterror", "harbor_verifier_timeout_error"),
)

_WORDS_IN_TEXT: tuple[tuple[tuple[str, ...], str], ...] = (
    (("broker", "connection"), "harbor_broker_connection_failed"),
    (("connection refused",), "harbor_broker_connection_failed"),
    (("connection reset",), "harbor_broker_connection_failed"),
    (("reward", "missing"), "harbor_reward_missing"),
    (("no reward file found",), "harbor_reward_missing"),
    (("rewardfilenotfounderror",), "harbor_reward_missing"),
    (("reward", "empty"), "harbor_reward_empty"),
    (("reward", "parse"), "harbor_reward_parse_error"),
    (("reward", "malformed"), "harbor_reward_parse_error"),
    (("verifieroutputparseerror",), "harbor_reward_parse_error"),
    (("submission", "code"), "harbor_submission_code_failed"),
    (("submission", "runtime"), "harbor_submission_code_failed"),
)


def normalise_reason(text: str | None) -> str | None:
    """The reason code for a free text; if no code fits, the text itself with underscores."""
    lowered = (text or "").strip().lower()
    if not lowered or lowered in REASON_CODES:
        return lowered or None
    underscored = "_".join(lowered.replace("-", "_").split())
    if underscored in REASON_CODES:
        return underscored
    squeezed = "".join(character for character in lowered if character.isalnum())
    return _NAMES.get(squeezed) or _found_in(lowered, squeezed) or underscored


def is_invalid_reward(exception_type: str | None, message: str) -> bool:
    """Whether a ValidationError is about the rewards. An agent may have one of its own."""
    return exception_type == "ValidationError" and "VerifierResult" in message


def reason_of_exception(exception_type: str, message: str) -> str:
    """The reason code of a trial's exception. Always one of the set: ``harbor_trial_failed`` if no other fits."""
    if is_invalid_reward(exception_type, message):
        return "harbor_reward_parse_error"
    for text in (exception_type, message):
        code = normalise_reason(text)
        if code in REASON_CODES:
            return code
    return "harbor_trial_failed"


def _found_in(lowered: str, squeezed: str) -> str | None:
    for name, code in _NAMES_IN_TEXT:
        if name in squeezed:
            return code
    for words, code in _WORDS_IN_TEXT:
        if all(word in lowered for word in words):
            return code
    return None


UNCLASSIFIED = "unclassified"

_TYPES: Mapping[str, tuple[str, ...]] = {
    "sandbox_failed": (
        "EnvironmentStartTimeoutError",
        "SandboxBuildFailedError",
        "AgentSetupTimeoutError",
        "HealthcheckError",
        "SandboxLikelyOutOfMemoryError",
        "MemoryLimitExceededError",
        "SSHAccessError",
        "GKEExecStreamClosedError",
        "GKEPodNotFoundError",
        "RuntimeRequestError",
        "AddTestsDirError",
        "DownloadVerifierDirError",
    ),
    "model_provider_failed": (
        "ApiError",
        "ApiRateLimitError",
        "ApiInternalServerError",
        "ApiOverloadedError",
        "ApiConnectionClosedError",
        "ApiResponseStalledError",
        "UnknownApiError",
        "NetworkConnectionError",
        "ApiConnectionError",
        "ApiUsageLimitError",
        "RateLimitError",
        "InternalServerError",
        "ServiceUnavailableError",
        "APIConnectionError",
        "APIError",
        "Timeout",
        "BadRequestError",
        "UnprocessableEntityError",
        "UnsupportedParamsError",
        "APIResponseValidationError",
        "BudgetExceededError",
        "AgentAuthenticationError",
        "ModelNotFoundError",
        "ApiProviderResourceNotFoundError",
        "AuthenticationError",
        "PermissionDeniedError",
        "NotFoundError",
    ),
    "harbor_failed": (
        "ServiceOperationsUnsupportedError",
        "VercelScopeError",
        "DspyImportError",
        "MissingExtraError",
        "RegradeError",
        # Assay's own word for a measurement that broke.
        "MeasurementError",
    ),
    "agent_exhausted_budget": (
        "AgentTimeoutError",
        "ContextWindowExceededError",
        "OutputTokenExceededError",
        "ContextLengthExceededError",
        "OutputLengthExceededError",
        # Failure modes of terminal-bench.
        "agent_timeout",
        "context_length_exceeded",
        "output_length_exceeded",
    ),
    "agent_refused_task": ("AgentSafetyRefusalError", "ContentPolicyViolationError"),
    "verifier_failed": (
        "VerifierTimeoutError",
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "test_timeout",
        "parse_error",
    ),
    "cancelled": ("CancelledError",),
}

_CAUSES = {name: cause for cause, names in _TYPES.items() for name in names}

CAUSES = (*_TYPES, UNCLASSIFIED)


# Failures before the agent could do anything, or in what it has no hand. It may bring about everything else.
BEYOND_THE_AGENT = frozenset(
    (
        "EnvironmentStartTimeoutError",
        "SandboxBuildFailedError",
        "AgentSetupTimeoutError",
        "HealthcheckError",
        *_TYPES["harbor_failed"],
    )
)
_BY_AGENT = frozenset(
    ("NonZeroAgentExitCodeError", *_TYPES["agent_exhausted_budget"], *_TYPES["agent_refused_task"])
)


def blame(exception_type: str) -> str | None:
    """The one to blame for a failure, if its type alone tells: "machine", "agent", or None."""
    if exception_type in BEYOND_THE_AGENT:
        return "machine"
    return "agent" if exception_type in _BY_AGENT else None


def failure_cause(exception_type: str, message: str = "") -> str:
    """The cause of a failure; ``unclassified`` for a type that isn't known."""
    if is_invalid_reward(exception_type, message):
        return "verifier_failed"
    return _CAUSES.get(exception_type, UNCLASSIFIED)


def reward_valid(trial: "Trial") -> bool:
    """Whether harbor 0.25 takes a trial's reward for a measurement: whatever failed was the agent's doing."""
    failed = [name for name in (trial.exception_type, *trial.step_exceptions) if name is not None]
    return bool(trial.rewards) and all(_CAUSES.get(name, "").startswith("agent_") for name in failed)
