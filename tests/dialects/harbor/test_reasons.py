"""The reason codes, and what becomes of a free text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.reasons import FINAL, REASON_CODES, RETRYABLE, normalise_reason, reason_of_exception


@pytest.mark.statement("harbor.reason-set")
def test_the_whole_set() -> None:
    assert set(RETRYABLE) == {
        "harbor_broker_connection_failed",
        "harbor_cancelled_error",
        "harbor_environment_start_timeout_error",
        "terminal_bench_broker_ref_missing",
        "terminal_bench_job_dir_missing",
        "terminal_bench_lease_expired",
    }
    assert set(FINAL) == {
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
    assert RETRYABLE | FINAL == REASON_CODES
    assert not RETRYABLE & FINAL


@pytest.mark.statement("harbor.reason-normaliser", "harbor.reason-substrings")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        # 1. Blank gives none.
        (None, None),
        ("", None),
        (" \t\n", None),
        # 2. An exact code, in any case.
        ("harbor_reward_missing", "harbor_reward_missing"),
        ("  Harbor_Reward_Missing\n", "harbor_reward_missing"),
        ("TERMINAL_BENCH_LEASE_EXPIRED", "terminal_bench_lease_expired"),
        # 3. The same with hyphens and white space for underscores.
        ("harbor-nonzero-exit", "harbor_nonzero_exit"),
        ("harbor trial  result\tmissing", "harbor_trial_result_missing"),
        ("harbor result-malformed", "harbor_result_malformed"),
        # 4. Names of exceptions, with or without underscores.
        ("AgentTimeoutError", "harbor_agent_timeout_error"),
        ("agent_timeout_error", "harbor_agent_timeout_error"),
        ("CancelledError", "harbor_cancelled_error"),
        ("cancelled_error", "harbor_cancelled_error"),
        ("EnvironmentStartTimeoutError", "harbor_environment_start_timeout_error"),
        ("environment-start-timeout-error", "harbor_environment_start_timeout_error"),
        ("VerifierTimeoutError", "harbor_verifier_timeout_error"),
        ("verifier timeout error", "harbor_verifier_timeout_error"),
        ("submission_code_failure", "harbor_submission_code_failed"),
        ("RewardFileNotFoundError", "harbor_reward_missing"),
        ("reward_file_not_found_error", "harbor_reward_missing"),
        ("RewardFileEmptyError", "harbor_reward_empty"),
        ("VerifierOutputParseError", "harbor_reward_parse_error"),
        # 5. Substrings.
        ("asyncio.exceptions.CancelledError: stopped by the user", "harbor_cancelled_error"),
        ("raised a canceled error", "harbor_cancelled_error"),
        ("harbor.trial.errors.AgentTimeoutError: timed out after 1.0 seconds", "harbor_agent_timeout_error"),
        ("EnvironmentStartTimeoutError(600)", "harbor_environment_start_timeout_error"),
        ("a VerifierTimeoutError was raised", "harbor_verifier_timeout_error"),
        ("the broker closed the connection", "harbor_broker_connection_failed"),
        ("[Errno 111] Connection refused", "harbor_broker_connection_failed"),
        ("connection reset by peer", "harbor_broker_connection_failed"),
        ("the reward is missing", "harbor_reward_missing"),
        ("No reward file found at /v/reward.txt or /v/reward.json", "harbor_reward_missing"),
        ("Reward file is empty at /v/reward.txt", "harbor_reward_empty"),
        ("Failed to parse rewards from text file /v/reward.txt", "harbor_reward_parse_error"),
        ("malformed reward", "harbor_reward_parse_error"),
        ("the submission has broken code", "harbor_submission_code_failed"),
        ("submission runtime error", "harbor_submission_code_failed"),
        # The order decides where a text holds several.
        ("CancelledError after AgentTimeoutError", "harbor_cancelled_error"),
        ("AgentTimeoutError: connection refused", "harbor_agent_timeout_error"),
        ("broker connection lost, reward missing", "harbor_broker_connection_failed"),
        ("reward missing or empty", "harbor_reward_missing"),
        ("empty reward can't be parsed", "harbor_reward_empty"),
        ("reward of the submission code can't be parsed", "harbor_reward_parse_error"),
        # 6. Anything else stays, underscored.
        ("Something Else-Entirely", "something_else_entirely"),
        ("a malformed file", "a_malformed_file"),
        ("connection closed", "connection_closed"),
    ],
)
def test_normaliser(text: str | None, code: str | None) -> None:
    assert normalise_reason(text) == code


@given(st.text())
def test_any_text_gives_a_code_without_blanks_or_nothing(text: str) -> None:
    code = normalise_reason(text)
    assert (code is None) == (not text.strip())
    assert code is None or (code.split() == [code])


@given(st.sampled_from(sorted(REASON_CODES)))
def test_a_code_stands_for_itself(code: str) -> None:
    assert normalise_reason(code) == code
    assert normalise_reason(code.upper().replace("_", " ")) == code


@pytest.mark.statement("harbor.reason-set")
@pytest.mark.parametrize(
    ("exception_type", "message", "code"),
    [
        ("RewardFileNotFoundError", "No reward file found at a or b", "harbor_reward_missing"),
        ("ValidationError", "1 validation error for VerifierResult\nrewards …", "harbor_reward_parse_error"),
        ("ValidationError", "1 validation error for TaskConfig", "harbor_trial_failed"),
        ("RuntimeError", "connection refused", "harbor_broker_connection_failed"),
        ("AgentTimeoutError", "connection refused", "harbor_agent_timeout_error"),
        ("RuntimeError", "whatever", "harbor_trial_failed"),
        ("", "", "harbor_trial_failed"),
    ],
)
def test_an_exception_always_has_a_code_of_the_set(exception_type: str, message: str, code: str) -> None:
    assert reason_of_exception(exception_type, message) == code


@given(st.text(), st.text())
def test_no_exception_falls_out_of_the_set(exception_type: str, message: str) -> None:
    assert reason_of_exception(exception_type, message) in REASON_CODES
