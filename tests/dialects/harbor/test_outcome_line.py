"""Section 5: the outcome of a job as one line, and what its reader makes of it."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.outcome_line import BenchmarkOutcome, ParsedOutcome, outcome_of, parse_outcome


def result(
    *metrics: Mapping[str, Any], total: Any = 4, completed: Any = 4, errored: Any = 0, groups: int = 1
) -> bytes:
    """A job's result with the same metrics in each group."""
    evals = {f"agent__ds{i}": {"metrics": list(metrics)} for i in range(groups)}
    stats = {"n_completed_trials": completed, "n_errored_trials": errored, "evals": evals}
    return json.dumps({"n_total_trials": total, "stats": stats}).encode()


# Rule 1: the score is the flat mean of all values; the key "mean" hides every other of its metric.
@pytest.mark.statement("harbor.outcome-score", "harbor.outcome-no-metrics")
@pytest.mark.parametrize(
    ("data", "score"),
    [
        (result({"mean": 0.75}), 0.75),
        (result({"mean": 1}), 1.0),
        (result({"mean": 0.5, "other": 100}), 0.5),
        (result({"correctness": 0.5, "speed": 0.75}), 0.625),
        (result({"max": 1}), 1.0),
        (result({"min": 0.25}), 0.25),
        (result({"sum": 3}), 3.0),
        # Each value of a multi-key metric is a sample of its own, so it outweighs a single mean.
        (result({"mean": 1.0}, {"a": 0.0, "b": 0.0, "c": 0.0}), 0.25),
        (result({"mean": 1.0}, {"mean": 0.0}, groups=3), 0.5),
        (result(*[{"mean": 0.1}] * 10), 0.1),
        (result({"mean": "0.5"}), 0.5),
        (result({"mean": True}), 1.0),
        (result({"mean": -1}), -1.0),
        (result(), 0.0),
        (result({}), 0.0),
        (result(groups=0), 0.0),
        (b"{}", 0.0),
        (b'{"stats": {}}', 0.0),
    ],
)
def test_score(data: bytes, score: float) -> None:
    found = outcome_of(data)
    assert (repr(found.score), found.reason_code) == (repr(score), None)


@pytest.mark.statement("harbor.pass-not-scored")
def test_pass_at_k_is_not_looked_at() -> None:
    data = json.loads(result({"mean": 0.25}))
    data["stats"]["evals"]["agent__ds0"]["pass_at_k"] = {"2": 1.0}
    assert outcome_of(json.dumps(data).encode()) == outcome_of(result({"mean": 0.25}))


# Rule 2: the status follows the count of errors, not the score.
@pytest.mark.statement("harbor.outcome-status")
@pytest.mark.parametrize(
    ("data", "status", "score"),
    [
        (result({"mean": 0.0}), "completed", 0.0),
        (result({"mean": 1.0}), "completed", 1.0),
        (result({"mean": 1.0}, errored=1), "failed", 1.0),
        (result({"mean": 0.0}, errored=4), "failed", 0.0),
        (result({"mean": 1.0}, errored=None), "completed", 1.0),
    ],
)
def test_status(data: bytes, status: str, score: float) -> None:
    assert (outcome_of(data).status, outcome_of(data).score) == (status, score)


# Rule 3: Python's own rounding, half to even.
@pytest.mark.statement("harbor.outcome-resolved")
@pytest.mark.parametrize(
    ("score", "total", "resolved"),
    [
        (0.5, 1, 0),
        (0.5, 3, 2),
        (0.5, 5, 2),
        (0.5, 7, 4),
        (0.25, 10, 2),
        (0.35, 10, 4),
        (0.6666666666666666, 3, 2),
        (1.0, 4, 4),
        (1.0, 0, 0),
        (-0.5, 1, 0),
        (-0.5, 3, -2),
    ],
)
def test_resolved_is_rounded_half_to_even(score: float, total: int, resolved: int) -> None:
    assert outcome_of(result({"mean": score}, total=total)).resolved == resolved


# Rule 4: the total is n_total_trials, or what was completed and errored together.
@pytest.mark.statement("harbor.outcome-total")
@pytest.mark.parametrize(
    ("total", "completed", "errored", "expected"),
    [(4, 1, 1, 4), (0, 3, 2, 5), (None, 3, 2, 5), (None, None, None, 0), ("4", 0, 0, 4), (4.9, 0, 0, 4)],
)
def test_total(total: Any, completed: Any, errored: Any, expected: int) -> None:
    assert outcome_of(result(total=total, completed=completed, errored=errored)).total == expected


# Rule 5: missing and malformed results.
@pytest.mark.statement("harbor.outcome-reason")
def test_a_result_that_is_not_there() -> None:
    assert outcome_of(None) == BenchmarkOutcome("failed", 0.0, 0, 0, "harbor_result_missing")


@pytest.mark.statement("harbor.outcome-reason")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b"1",
        b"null",
        b"\xff",
        b'{"stats": null}',
        b'{"stats": []}',
        b'{"stats": {"evals": []}}',
        b'{"stats": {"evals": {"a": null}}}',
        b'{"stats": {"evals": {"a": {"metrics": [1]}}}}',
        b'{"stats": {"evals": {"a": {"metrics": ["mean"]}}}}',
        b'{"n_total_trials": "many"}',
        b'{"n_total_trials": 1e999}',
        b"[" * 100_000,
        result({"mean": None}),
        result({"mean": "high"}),
        result({"a": [1]}),
        # NaN is null in harbor's text; where it comes in as itself, it can't be rounded either.
        result({"mean": math.nan}),
        result({"mean": math.inf}),
        result({"mean": 1e308}, total=10**9),
    ],
)
def test_a_result_that_can_not_be_used(data: bytes) -> None:
    assert outcome_of(data) == BenchmarkOutcome("failed", 0.0, 0, 0, "harbor_result_malformed")


# Rule 6: the line.
@pytest.mark.statement("harbor.outcome-line")
def test_the_line_has_its_keys_sorted() -> None:
    line = outcome_of(result({"mean": 2 / 3}, total=3)).line()
    assert line == (
        'BASE_BENCHMARK_RESULT={"reason_code": null, "resolved": 2, '
        '"score": 0.6666666666666666, "status": "completed", "total": 3}'
    )
    assert outcome_of(None).line() == (
        'BASE_BENCHMARK_RESULT={"reason_code": "harbor_result_missing", "resolved": 0, '
        '"score": 0.0, "status": "failed", "total": 0}'
    )


@given(st.none() | st.binary() | st.builds(result, st.dictionaries(st.text(), st.floats()), total=st.integers()))
def test_no_bytes_crash_it_and_every_line_can_be_read_back(data: bytes | None) -> None:
    outcome = outcome_of(data)
    payload = json.loads(outcome.line().removeprefix("BASE_BENCHMARK_RESULT="), parse_constant=pytest.fail)
    assert payload["score"] == outcome.score


def line(payload: str) -> str:
    return f"BASE_BENCHMARK_RESULT={payload}\n"


FINE = line('{"status": "completed", "score": 0.5}')


@pytest.mark.statement("harbor.outcome-reader")
@pytest.mark.parametrize(
    ("stdout", "status", "score", "reason"),
    [
        (FINE, "completed", 0.5, None),
        (line('{"status": "completed", "score": 0}'), "completed", 0.0, None),
        (line('{"status": "completed", "score": 1, "reason_code": null}'), "completed", 1.0, None),
        (line('{"status": "failed", "score": 0.0}'), "failed", 0.0, None),
        (line('{"status": "failed", "score": 0, "reason_code": "Agent-Timeout-Error"}'), "failed", 0.0,
         "harbor_agent_timeout_error"),
        (line('{"status": "failed", "score": 0, "reason_code": 7}'), "failed", 0.0, None),
        # The last line counts, wherever it stands; the prefix must begin a line.
        ("noise\n" + line("{}") + FINE + "more noise\n", "completed", 0.5, None),
        (FINE + line("{"), "failed", 0.0, "harbor_result_malformed"),
        (FINE + "  " + line("{}"), "completed", 0.5, None),
        (FINE.rstrip("\n"), "completed", 0.5, None),
        # None at all.
        ("", "failed", 0.0, "harbor_result_missing"),
        ("some other output\n", "failed", 0.0, "harbor_result_missing"),
        (" " + FINE, "failed", 0.0, "harbor_result_missing"),
        # Bad JSON, or no object.
        (line(""), "failed", 0.0, "harbor_result_malformed"),
        (line("{"), "failed", 0.0, "harbor_result_malformed"),
        (line("[1]"), "failed", 0.0, "harbor_result_malformed"),
        (line("null"), "failed", 0.0, "harbor_result_malformed"),
        (line("[" * 100_000), "failed", 0.0, "harbor_result_malformed"),
        # No status, one that is no string, or no score.
        (line("{}"), "failed", 0.0, "harbor_result_partial"),
        (line('{"status": "completed"}'), "failed", 0.0, "harbor_result_partial"),
        (line('{"score": 1}'), "failed", 0.0, "harbor_result_partial"),
        (line('{"status": ["completed"], "score": 0}'), "failed", 0.0, "harbor_result_partial"),
        (line('{"status": 1, "score": 7}'), "failed", 0.0, "harbor_result_partial"),
        (line('{"status": null, "score": 1}'), "failed", 0.0, "harbor_result_partial"),
        # A score that is not a number, or outside 0 to 1.
        (line('{"status": "completed", "score": null}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": true}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "failed", "score": false}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": "0.5"}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": [1]}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": -0.1}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": 1.1}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": NaN}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": Infinity}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "completed", "score": 1' + "0" * 400 + "}"), "failed", 0.0, "harbor_result_invalid"),
        # An unknown status, or failed with a score above 0.
        (line('{"status": "running", "score": 0}'), "failed", 0.0, "harbor_result_invalid"),
        (line('{"status": "failed", "score": 0.5}'), "failed", 0.0, "harbor_result_invalid"),
    ],
)  # fmt: skip
def test_reading_the_line(stdout: str, status: str, score: float, reason: str | None) -> None:
    found = parse_outcome(stdout)
    assert (found.status, found.score, found.reason_code) == (status, score, reason)
    assert type(found.score) is float


def test_what_was_said_is_kept_even_where_it_does_not_count() -> None:
    assert parse_outcome(line('{"status": "failed", "score": 0.5}')).payload == {"status": "failed", "score": 0.5}
    assert parse_outcome("").payload is None


@pytest.mark.parametrize(
    ("stdout", "payload"), [(FINE, {"status": "completed", "score": 0.5}), ("", None), (line("{"), None)]
)
def test_a_time_out_or_an_exit_code_discards_the_score(stdout: str, payload: Mapping[str, Any] | None) -> None:
    failed = ParsedOutcome("failed", 0.0, "harbor_nonzero_exit", payload)
    timed_out = ParsedOutcome("timed_out", 0.0, "timed_out", payload)
    assert parse_outcome(stdout, exit_code=1) == failed
    assert parse_outcome(stdout, exit_code=-9) == failed
    assert parse_outcome(stdout, timed_out=True) == timed_out
    assert parse_outcome(stdout, exit_code=1, timed_out=True) == timed_out


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ('"Agent Timeout Error"', "harbor_agent_timeout_error"),
        ('"harbor_reward_missing"', "harbor_reward_missing"),
        ('" "', "harbor_nonzero_exit"),
        ("null", "harbor_nonzero_exit"),
        ("7", "harbor_nonzero_exit"),
    ],
)
def test_a_stated_reason_outlives_an_exit_code_but_not_a_time_out(stated: str, reason: str) -> None:
    stdout = line(f'{{"status": "failed", "score": 0, "reason_code": {stated}}}')
    assert parse_outcome(stdout, exit_code=2).reason_code == reason
    assert parse_outcome(stdout, exit_code=2, timed_out=True).reason_code == "timed_out"


payloads = st.dictionaries(
    st.sampled_from(["status", "score", "reason_code"]),
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["completed", "failed"]) | st.text(),
)


@given(st.text() | payloads.map(json.dumps).map(line))
def test_a_score_that_may_be_used_is_always_a_share(stdout: str) -> None:
    found = parse_outcome(stdout)
    assert 0 <= found.score <= 1
    assert found.status in ("completed", "failed")
    assert found.status == "completed" or found.score == 0
