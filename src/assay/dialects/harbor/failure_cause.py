"""Who or what ended a trial: the cause behind the type of its exception, in the words of harbor 0.25.

A cause is for people who look for the reason of a failure. It never changes a score or a count.
"""

from collections.abc import Mapping

from assay.dialects.harbor.reasons import is_invalid_reward

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
    """Who is to blame for a failure, if its type alone tells: "machine", "agent", or None."""
    if exception_type in BEYOND_THE_AGENT:
        return "machine"
    return "agent" if exception_type in _BY_AGENT else None


def failure_cause(exception_type: str, message: str = "") -> str:
    """The cause of a failure; ``unclassified`` for a type that isn't known."""
    if is_invalid_reward(exception_type, message):
        return "verifier_failed"
    return _CAUSES.get(exception_type, UNCLASSIFIED)
