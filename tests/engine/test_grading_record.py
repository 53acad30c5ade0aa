"""From a verifier run to its record: what it names, and what verifying the same thing again says."""

import dataclasses
import math
import platform
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.tasks.task_folder import load_task
from assay.dialects.evaluation.models import ConfidenceInterval, ConfidenceMetadata, Grading, Hashes
from assay.dialects.harbor.rewards import TrialRewards
from assay.engine.machine import TrialSite
from assay.engine.run.grading_record import Before, grading_of, same_question, setting_of
from assay.engine.run.trial_record import Failure, Verified
from assay.engine.sandbox import Isolation, Ran
from assay.engine.tasks.task import LoadedTask
from assay.evaluation import Ingested, ingest
from assay.evidence.coding_run import ProcessEnd
from assay.version import ENGINE, VERSION
from tests.builders import REPO
from tests.dialects.evaluation.evidence import left
from tests.dialects.evaluation.gradings import STARTED, grading, hashes
from tests.tasks import ScriptedSandbox, make_step

ISOLATION = Isolation(
    **{
        one.name: "fake" if one.type in (str, "str") else True
        for one in dataclasses.fields(Isolation)
        if one.name != "measured"
    }  # type: ignore[arg-type]
)


class _Sandbox(ScriptedSandbox):
    def __init__(self) -> None:
        super().__init__()
        self.isolation = ISOLATION


SITE = TrialSite(_Sandbox(), ThisHost())


@pytest.fixture(scope="module")
def task() -> LoadedTask:
    return load_task(str(REPO / "examples" / "tasks" / "capital"))


def verified(
    reward: bytes | None = b'{"reward": 1}',
    rewards: dict[str, float] | None = None,
    *,
    failure: Failure | None = None,
    end: ProcessEnd = ProcessEnd(0),  # noqa: B008 - frozen
) -> Verified:
    ingested: Ingested = ingest(left(reward, end=end))
    return Verified(
        ran=Ran(
            end=end,
            output=b"",
            output_cut=False,
            started_at=STARTED,
            finished_at=STARTED + timedelta(seconds=2.5),
            cpu_sec=1.25,
            peak_memory_mb=64.0,
        ),
        rewards=None if rewards is None else TrialRewards(rewards),
        failure=failure,
        ingested=ingested,
        hashes={"output": "o", "reward": "r", "details": None},
    )


def record(
    task: LoadedTask,
    run: Verified,
    before: Before | None = None,
    step: str | None = None,
    workspace: str | None = "w",
) -> Grading:
    return grading_of(
        run,
        task=task,
        step=make_step(step),
        site=SITE,
        before=before or Before(),
        checksums={"tests": "v", "workspace": workspace},
    )


def test_everything_that_is_needed_to_derive_it_again(task: LoadedTask) -> None:
    found = record(task, verified(rewards={"reward": 1}))
    made = found.provenance
    assert (made.assay, made.engine, made.profile) == (VERSION, ENGINE, "harbor-0.13.1")
    assert (made.python, made.platform) == (platform.python_version(), platform.platform(terse=True))
    assert made.isolation == dataclasses.asdict(ISOLATION)
    assert made.hashes == Hashes(
        task=task.checksum, tests="v", output="o", reward="r", details=None, workspace="w"
    )
    assert (made.started_at, made.finished_at) == (STARTED, STARTED + timedelta(seconds=2.5))
    assert (made.usage.wall_sec, made.usage.cpu_sec, made.usage.peak_memory_mb) == (2.5, 1.25, 64.0)
    assert made.previous is None


def test_the_result_is_attached_to_the_record(task: LoadedTask) -> None:
    run = verified(b'{"reward": 0.93}', {"reward": 0.93})
    found = record(task, run, step="extend")
    assert found.result == run.ingested.result
    assert (found.number, found.step, found.reason_code) == (1, "extend", None)
    assert (found.rewards, found.exception_type, found.verifier_exit_code) == ({"reward": 0.93}, None, 0)
    assert Grading.model_validate_json(found.model_dump_json()) == found


def test_a_run_without_a_reward(task: LoadedTask) -> None:
    failure = Failure("RewardFileNotFoundError", "No reward file found", STARTED)
    found = record(task, verified(None, failure=failure, end=ProcessEnd(None, timed_out=True)))
    assert (found.result.reward, found.result.validity.verifier_completed) == (0.0, False)
    assert (found.reason_code, found.rewards) == ("reward_missing", None)
    assert (found.exception_type, found.verifier_exit_code) == ("RewardFileNotFoundError", None)


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ({"a": 1, "b": 0.5}, {"a": 1, "b": 0.5}),
        ({"nan": math.nan, "inf": math.inf, "minus": -math.inf}, {"nan": None, "inf": None, "minus": None}),
        ({}, {}),
        ({"huge": 10**400}, {"huge": 10**400}),
    ],
)
def test_harbors_rewards_stand_beside_the_result(
    task: LoadedTask, rewards: dict[str, float], expected: dict[str, float | None]
) -> None:
    """JSON has no NaN: null stands for it, as in harbor's own files."""
    found = record(task, verified(rewards=rewards))
    assert found.rewards == expected
    assert Grading.model_validate_json(found.model_dump_json()).rewards == expected


def test_null_rewards_are_none(task: LoadedTask) -> None:
    assert record(task, dataclasses.replace(verified(), rewards=TrialRewards(None))).rewards is None


def test_numbers_go_on_and_the_hash_of_the_last_is_named(task: LoadedTask) -> None:
    found = record(task, verified(), Before((grading(1), grading(2)), "ab"))
    assert (found.number, found.provenance.previous) == (3, "ab")


# --- Verifying the same thing again ---


def before(
    task: LoadedTask, *rewards: float | None, workspace: str | None = "w", step: str | None = None
) -> Before:
    seen = hashes(task=task.checksum, workspace=workspace)
    return Before(
        tuple(grading(number, reward, seen=seen, step=step) for number, reward in enumerate(rewards, start=1)),
        "ab",
    )


def test_a_first_grading_says_nothing_about_confidence(task: LoadedTask) -> None:
    assert record(task, verified()).result.confidence is None


@pytest.mark.parametrize(
    ("earlier", "now", "low", "high", "count", "flaky"),
    [
        ([1.0], 1, 1.0, 1.0, 2, False),
        ([1.0, 1.0], 1, 1.0, 1.0, 3, False),
        ([0.0], 1, 0.0, 1.0, 2, True),
        ([1.0, 0.5], 1, 0.5, 1.0, 3, True),
        ([0.0], 0, 0.0, 0.0, 2, False),
    ],
)
def test_a_sound_verifier_gives_a_point_and_a_flaky_one_a_range(
    task: LoadedTask, earlier: list[float], now: int, low: float, high: float, count: int, flaky: bool
) -> None:
    """The same output should produce the same reward; where it does not, that is on record."""
    found = record(task, verified(f'{{"reward": {now}}}'.encode()), before(task, *earlier))
    assert found.result.confidence == ConfidenceMetadata(
        confidence_interval=ConfidenceInterval(low=low, high=high),
        confidence_method=f"range of {count} verifications of the same output",
    )
    assert found.flaky is flaky
    assert found.result.reward == now


@pytest.mark.parametrize(("earlier", "now"), [(None, b'{"reward": 0}'), (0.0, None)])
def test_a_verifier_that_sometimes_gives_no_reward_is_flaky_even_if_the_reward_is_0(
    task: LoadedTask, earlier: float | None, now: bytes | None
) -> None:
    """A missing reward stays told apart from a real zero everywhere."""
    assert record(task, verified(now), before(task, earlier)).flaky is True


def test_gradings_of_something_else_say_nothing(task: LoadedTask) -> None:
    assert record(task, verified(), before(task, 0.0, workspace="other")).result.confidence is None
    assert record(task, verified(), before(task, 0.0, workspace=None), workspace=None).result.confidence is None
    assert record(task, verified(), before(task, 0.0, step="one"), step="two").result.confidence is None


@pytest.mark.parametrize(
    ("seen", "changed", "same"),
    [
        (hashes(), {}, True),
        (hashes(output="another output"), {}, True),
        (hashes(task="other"), {}, False),
        (hashes(tests="other"), {}, False),
        (hashes(workspace="other"), {}, False),
        (hashes(workspace=None), {}, False),
        (hashes(), {"step": "one"}, False),
        (hashes(), {"backend": "container"}, False),
        (hashes(), {"network": True}, False),
        (hashes(), {"image": "other"}, False),
    ],
)
def test_the_same_question_has_the_same_task_tests_workspace_step_and_place(
    seen: Hashes, changed: dict[str, Any], same: bool
) -> None:
    made = grading(seen=hashes())
    before = made.model_copy(update={"provenance": made.provenance.model_copy(update={"network": False})})
    assert same_question(before, seen, replace(setting_of(before), **changed)) is same


def test_a_record_that_does_not_say_whether_there_was_a_network_is_compared() -> None:
    old = grading(seen=hashes())
    assert old.provenance.network is None
    assert same_question(old, hashes(), replace(setting_of(old), network=True, image="x"))
