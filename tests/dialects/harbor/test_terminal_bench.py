"""Results of terminal-bench as trials."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.reasons import REASON_CODES, reason_of_exception
from assay.dialects.harbor.terminal_bench import (
    FAILURE_REASONS,
    Metadata,
    Published,
    TerminalBenchError,
    binary_reward,
    import_metadata,
    import_results,
    import_run,
)
from assay.dialects.harbor.trial import Trial, Usage
from assay.engine.jobs.job_runs import trial_facts
from tests.builders import run_entry

WHOSE = Metadata("agent", "model", "core")


def imported(**fields: Any) -> Trial:
    return import_run(json.dumps(run_entry("t", 1, **fields)).encode(), WHOSE)


@pytest.mark.parametrize(
    ("resolved", "rewards", "verified"),
    [(True, {"reward": 1}, True), (False, {"reward": 0}, True), (None, None, False)],
)
def test_resolved_becomes_a_reward_and_null_stays_without(
    resolved: bool | None, rewards: dict[str, int] | None, verified: bool
) -> None:
    trial = imported(resolved=resolved)
    assert (trial.rewards, trial.verified) == (rewards, verified)
    assert rewards is None or type(next(iter((trial.rewards or {}).values()))) is int


@pytest.mark.parametrize(
    ("mode", "resolved", "reason"),
    [
        ("unset", True, None),
        ("none", False, None),
        # Without an outcome and without a reason, the reward is what is missing.
        ("unset", None, "harbor_reward_missing"),
        ("none", None, "harbor_reward_missing"),
        ("agent_timeout", False, "harbor_agent_timeout_error"),
        ("agent_timeout", True, "harbor_agent_timeout_error"),
        ("agent_timeout", None, "harbor_agent_timeout_error"),
        ("test_timeout", None, "harbor_verifier_timeout_error"),
        ("parse_error", None, "harbor_reward_parse_error"),
        ("agent_installation_failed", False, "harbor_submission_code_failed"),
        ("unknown", None, "harbor_trial_failed"),
        ("unknown_agent_error", None, "harbor_trial_failed"),
        ("fatal_llm_parse_error", None, "harbor_trial_failed"),
        ("context_length_exceeded", None, "harbor_trial_failed"),
        ("output_length_exceeded", None, "harbor_trial_failed"),
        ("a mode of tomorrow", True, "harbor_trial_failed"),
    ],
)
def test_failure_modes(mode: str, resolved: bool | None, reason: str | None) -> None:
    run = imported(resolved=resolved, failure_mode=mode)
    if mode in ("unset", "none"):
        assert run.exception_type is None
        assert trial_facts(run, None).reason == reason
    else:
        assert run.exception_type == mode
        assert reason_of_exception(mode, run.exception_message) == reason


def test_every_known_failure_mode_has_a_code_of_the_set() -> None:
    assert {reason for reason in FAILURE_REASONS.values() if reason is not None} <= REASON_CODES


def test_whose_run_it_was() -> None:
    trial = imported(resolved=True, trial_started_at="2025-07-11T19:11:52+00:00")
    assert (trial.name, trial.task) == ("t.1-of-5.run", "t")
    assert (trial.agent, trial.model, trial.dataset) == ("agent", "model", "core")
    assert trial.evals_key == "agent__model__core"
    assert trial.usage == Usage(n_input_tokens=10, n_output_tokens=1)
    assert trial.started_at == "2025-07-11T19:11:52+00:00"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{}", Metadata("unknown", None, None)),
        (b'{"agent_name": "a", "model_name": null, "run_id": 7}', Metadata("a", None, None)),
        (b'{"agent_name": "a", "model_name": "m", "dataset_name": "d"}', Metadata("a", "m", "d")),
    ],
)
def test_metadata(data: bytes, expected: Metadata) -> None:
    assert import_metadata(data) == expected


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"agent_name": 1}', b"\xff", b"[" * 100_000])
def test_metadata_that_can_not_be_used(data: bytes) -> None:
    with pytest.raises(TerminalBenchError, match=r"run_metadata\.json"):
        import_metadata(data)


def test_a_dataset_without_a_name_is_terminal_bench() -> None:
    run = import_run(json.dumps(run_entry("t", 1, resolved=True)).encode(), Metadata())
    assert (run.agent, run.dataset) == ("unknown", "terminal-bench")


def results(*entries: Any, **published: Any) -> bytes:
    return json.dumps({"results": list(entries)} | published).encode()


def test_a_broken_entry_is_a_problem_and_the_others_go_on() -> None:
    good, bad = run_entry("t", 1, resolved=True), {"task_id": "t"}
    found = import_results(
        results(good, bad, 7, run_entry("u", 1, resolved=True) | {"is_resolved": "yes"}, good), WHOSE
    )
    assert [run.name for run in found.runs] == ["t.1-of-5.run"] * 2
    assert [broken.where for broken in found.problems] == ["results[1]", "results[2]", "results[3]"]


def test_what_a_folder_publishes() -> None:
    data = results(accuracy=0.4, pass_at_k={"2": 0.5, "4": None}, n_resolved=2, n_unresolved=3, resolved_ids=[])
    assert import_results(data, WHOSE).published == Published(0.4, {"2": 0.5, "4": None}, 2, 3)
    assert import_results(results(), WHOSE).published == Published()


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"results": {}}', b"\xff", b"[" * 100_000])
def test_results_that_can_not_be_used(data: bytes) -> None:
    with pytest.raises(TerminalBenchError, match=r"results\.json"):
        import_results(data, WHOSE)


@given(st.binary())
def test_no_bytes_crash_it(data: bytes) -> None:
    with pytest.raises(TerminalBenchError):
        import_results(data, WHOSE)
    with pytest.raises(TerminalBenchError):
        import_run(data, WHOSE)


@pytest.mark.statement("harbor.tbench-binary")
@pytest.mark.parametrize(("status", "text"), [(0, "1\n"), (1, "0\n"), (2, "0\n"), (137, "0\n"), (-9, "0\n")])
def test_the_binary_reward(status: int, text: str) -> None:
    assert binary_reward(status) == text
