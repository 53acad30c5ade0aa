"""The text of result.json, byte for byte."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assay.dialects.harbor.job_stats import MAX, MEAN, SUM, JobResult, JobStats, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.trial import Trial, Usage

GOLDEN = """\
{
    "id": "an-id",
    "started_at": "2026-01-01T00:00:00",
    "updated_at": null,
    "finished_at": "2026-01-01T00:01:00",
    "n_total_trials": 3,
    "stats": {
        "n_completed_trials": 2,
        "n_errored_trials": 1,
        "n_running_trials": 0,
        "n_pending_trials": 1,
        "n_cancelled_trials": 0,
        "n_retries": 0,
        "evals": {
            "solver__ds": {
                "n_trials": 1,
                "n_errors": 1,
                "metrics": [
                    {
                        "mean": 0.5
                    },
                    {
                        "sum": 1
                    }
                ],
                "pass_at_k": {
                    "2": 1.0
                },
                "reward_stats": {
                    "reward": {
                        "1": [
                            "t__1"
                        ]
                    }
                },
                "exception_stats": {
                    "RuntimeError": [
                        "t__2"
                    ]
                }
            }
        },
        "n_input_tokens": 7,
        "n_cache_tokens": null,
        "n_output_tokens": null,
        "cost_usd": 0.25
    }
}"""


def result(stats: JobStats, *, n_total: int = 0) -> JobResult:
    return JobResult("an-id", "2026-01-01T00:00:00", None, "2026-01-01T00:01:00", n_total, stats)


def text_with(rewards: dict[str, float] | None = None, usage: Usage | None = None, name: str = "t__1") -> str:
    trials = [Trial(name, "t", "solver", dataset="ds", rewards=rewards, usage=usage)]
    return job_text(result(job_stats(trials, {"ds": [MAX]})))


@pytest.mark.statement("harbor.text")
def test_a_small_job() -> None:
    trials = [
        Trial("t__1", "t", "solver", dataset="ds", rewards={"reward": 1}, usage=Usage(7, cost_usd=0.25)),
        Trial("t__2", "t", "solver", dataset="ds", exception_type="RuntimeError"),
    ]
    assert job_text(result(job_stats(trials, {"ds": [MEAN, SUM]}, n_total=3), n_total=3)) == GOLDEN


def test_what_is_empty_stays_on_its_line() -> None:
    text = job_text(result(JobStats()))
    assert '"evals": {},' in text
    assert text.endswith("}")
    group = text_with()
    assert '"pass_at_k": {},' in group
    assert '"reward_stats": {},' in group


@pytest.mark.statement("harbor.nan-infinity")
@pytest.mark.parametrize(
    ("value", "metric", "bucket"),
    [
        (1, "1", "1"),
        (1.0, "1.0", "1.0"),
        (0.1, "0.1", "0.1"),
        (0.00001, "0.00001", "1e-05"),
        (1e-7, "1e-7", "1e-07"),
        (1.5e-7, "1.5e-7", "1.5e-07"),
        (1e16, "1e+16", "1e+16"),
        (1e22, "1e+22", "1e+22"),
        (123456789012345.0, "123456789012345.0", "123456789012345.0"),
        (math.nan, "null", "nan"),
        (math.inf, "null", "inf"),
        (-math.inf, "null", "-inf"),
        (2**70, str(2**70), str(2**70)),
    ],
)
def test_numbers_are_pydantics_and_keys_are_pythons(value: float, metric: str, bucket: str) -> None:
    text = text_with({"reward": value})
    assert f'"max": {metric}\n' in text
    assert f'"{bucket}": [\n' in text


def test_each_nan_is_written_under_the_same_key_again() -> None:
    trials = [Trial(f"t__{i}", "t", "solver", dataset="ds", rewards={"reward": float("nan")}) for i in range(2)]
    text = job_text(result(job_stats(trials, {"ds": [MEAN]})))
    assert text.count('"nan": [') == 2
    assert '"mean": null' in text


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain__1", '"plain__1"'),
        ('quo"te\\__1', r'"quo\"te\\__1"'),
        ("línea\n__1", r'"línea\n__1"'),
        ("\x01\x7f\u2028__1", '"\\u0001\x7f\u2028__1"'),
        ("🦊__1", '"🦊__1"'),
    ],
)
def test_strings_are_plain_utf_8(name: str, written: str) -> None:
    assert written in text_with({"reward": 1}, name=name)


@given(st.text())
def test_a_string_is_spelled_as_pydantic_spells_it(name: str) -> None:
    written = TypeAdapter(str).dump_json(name).decode()
    assert f"                            {written}\n" in text_with({"reward": 1}, name=name)


@given(st.floats() | st.integers(-(2**80), 2**80))
def test_a_number_is_spelled_as_pydantic_spells_it(value: float) -> None:
    written = TypeAdapter(float | int).dump_json(value).decode()
    assert f'"max": {written}\n' in text_with({"reward": value})


@given(st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False)), st.text())
def test_the_text_is_json_with_an_indent_of_four(rewards: dict[str, float], name: str) -> None:
    text = text_with(rewards, name=name)
    parsed = json.loads(text)
    spaces = [len(line) - len(line.lstrip(" ")) for line in text.split("\n")]
    assert all(space % 4 == 0 for space in spaces)
    assert set(parsed["stats"]["evals"]["solver__ds"]["reward_stats"]) == set(rewards)
