"""The files of a job folder: harbor's fields in harbor's order, held against files that harbor itself wrote."""

import json
import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from assay.dialects.harbor import wire
from tests.builders import HARBOR_JOBS

JOB = HARBOR_JOBS / "j1"
TRIAL = JOB / "t-pass__a57vv8Y"
MULTI = JOB / "t-multi__e8VDxVN"
NOON = datetime(2026, 1, 2, 12, 0, 0, 250, tzinfo=UTC)

ENVIRONMENT = wire.environment_config("process")
AGENT = wire.agent_config("oracle", None, {}, {})


def harbors(path: Path) -> Any:
    return json.loads(path.read_text())


def shape(value: Any) -> Any:
    """Keys in their order, at every level; what stands below ``env`` and ``kwargs`` is the user's own."""
    if isinstance(value, dict):
        return [(key, None if key in ("env", "kwargs") else shape(inner)) for key, inner in value.items()]
    return [shape(inner) for inner in value[:1]] if isinstance(value, list) else None


def test_the_configuration_of_a_trial() -> None:
    ours = wire.trial_config(
        task=wire.task_reference("ds/t-pass", "ds"),
        name="t",
        folder="jobs/j1",
        agent=AGENT,
        environment=ENVIRONMENT,
        job_id="id",
    )
    assert shape(ours) == shape(harbors(TRIAL / "config.json"))


def test_the_configuration_of_a_job() -> None:
    ours = wire.job_config(
        name="j1",
        jobs_dir="jobs",
        attempts=2,
        concurrent=4,
        max_retries=0,
        environment=ENVIRONMENT,
        agent=AGENT,
        datasets=["ds"],
        tasks=[],
    )
    assert shape(ours) == shape(harbors(JOB / "config.json"))


def test_the_lock_of_a_job() -> None:
    """What is not set is left out there."""
    trial = wire.trial_lock(
        task="t-json", path="ds/t-json", digest="ab", source="ds", agent=AGENT, environment=ENVIRONMENT
    )
    ours = wire.job_lock(created_at=NOON, invocation=["assay", "run"], concurrent=4, max_retries=0, trials=[trial])
    recorded = harbors(JOB / "lock.json")
    assert shape(ours) == shape(recorded)
    assert ours["retry"] == recorded["retry"]
    assert trial["task"]["digest"] == "sha256:ab"
    assert ours["harbor"] == {"version": "0.13.1", "is_editable": False}


def test_what_is_not_retried() -> None:
    assert (
        wire.retry_config(3)["exclude_exceptions"] == harbors(JOB / "config.json")["retry"]["exclude_exceptions"]
    )
    assert wire.retry_config(3)["max_retries"] == 3


@pytest.mark.parametrize("kwargs", [{}, {"command": "solve --fast"}, {"command": ""}])
def test_what_the_agent_is_called_with_is_on_record(kwargs: dict[str, str]) -> None:
    found = wire.agent_config("solver", "org/model", kwargs, {"A": "1"})
    assert (found["name"], found["model_name"], found["kwargs"], found["env"]) == (
        "solver",
        "org/model",
        kwargs,
        {"A": "1"},
    )


def test_the_parts_of_a_trials_result() -> None:
    recorded = harbors(TRIAL / "result.json")
    assert shape(wire.verifier_result({"reward": 1.0})) == shape(recorded["verifier_result"])
    assert shape(wire.timing(NOON, NOON)) == shape(recorded["verifier"])
    failed = harbors(JOB / "t-none__oCxN7zt" / "result.json")
    assert shape(wire.exception_info("E", "m", "t", NOON)) == shape(failed["exception_info"])
    multi = harbors(MULTI / "result.json")["step_results"][0]
    assert list(wire.agent_result()) == list(multi["agent_result"])


def test_nobody_is_to_think_that_tokens_were_nought() -> None:
    assert set(wire.agent_result().values()) == {None}


@pytest.mark.parametrize(("rewards", "expected"), [(None, {"rewards": None}), ({}, {"rewards": {}})])
def test_null_rewards_and_none_are_told_apart(rewards: dict[str, float] | None, expected: object) -> None:
    assert wire.verifier_result(rewards) == expected


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (None, None),
        (NOON, "2026-01-02T12:00:00.000250Z"),
        (NOON.replace(microsecond=0), "2026-01-02T12:00:00Z"),
        (NOON.astimezone(timezone(timedelta(hours=2))), "2026-01-02T12:00:00.000250Z"),
    ],
)
def test_trials_record_utc(moment: datetime | None, expected: str | None) -> None:
    assert wire.utc(moment) == expected


@pytest.fixture
def three_hours_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "XYZ-3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("three_hours_east")
def test_jobs_record_local_time_without_a_zone() -> None:
    assert wire.local(None) is None
    assert wire.local(NOON) == "2026-01-02T15:00:00.000250"
    assert wire.exception_info("E", "m", "t", NOON)["occurred_at"] == "2026-01-02T15:00:00.000250"


def test_nothing_is_timed_before_it_began() -> None:
    assert wire.timing(None, NOON) is None
    assert wire.timing(NOON, None) == {"started_at": "2026-01-02T12:00:00.000250Z", "finished_at": None}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ({"a": 1.0, "b": [1]}, '{\n    "a": 1.0,\n    "b": [\n        1\n    ]\n}'),
        ({"a": math.nan, "b": math.inf, "c": -math.inf}, '{\n    "a": null,\n    "b": null,\n    "c": null\n}'),
        # As pydantic writes floats: notes, harbor 9.
        ([0.00001, 1e-7, 1e16], "[\n    0.00001,\n    1e-7,\n    1e+16\n]"),
        ("é∅", '"é∅"'),
    ],
)
def test_the_text_is_pydantics(value: object, text: str) -> None:
    assert wire.encode(value) == text


@pytest.mark.parametrize("path", ["config.json", "lock.json"])
def test_what_harbor_wrote_is_written_again_to_the_byte(path: str) -> None:
    assert wire.encode(harbors(JOB / path)) == (JOB / path).read_text()
