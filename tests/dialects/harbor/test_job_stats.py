"""Section 3.3: the statistics of a job."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import MAX, MEAN, JobStats, job_stats
from assay.dialects.harbor.trial import Trial, Usage
from tests.builders import typed


def trial(
    name: str,
    rewards: Mapping[str, float] | None = None,
    exception: str | None = None,
    usage: Usage | None = None,
    **group: str,
) -> Trial:
    return Trial(
        name,
        task=name.partition("__")[0],
        agent=group.get("agent", "solver"),
        model=group.get("model"),
        dataset=group.get("dataset", "ds"),
        rewards=rewards,
        verified=rewards is not None,
        exception_type=exception,
        usage=usage,
    )


def stats_of(*trials: Trial, n_total: int | None = None) -> JobStats:
    return job_stats(trials, {"adhoc": [MEAN], **{one.dataset: [MEAN] for one in trials}}, n_total=n_total)


def test_each_agent_model_and_dataset_is_a_group_in_the_order_of_its_first_trial() -> None:
    found = stats_of(
        trial("t__1", {"reward": 1}, model="m"),
        trial("t__2", {"reward": 1}),
        trial("t__3", {"reward": 0}, model="m"),
        trial("t__4", {"reward": 0}, dataset="other"),
    )
    assert list(found.evals) == ["solver__m__ds", "solver__ds", "solver__other"]
    assert [group.metrics for group in found.evals.values()] == [[{"mean": 0.5}], [{"mean": 1.0}], [{"mean": 0.0}]]


def test_different_parts_with_the_same_key_are_one_group() -> None:
    found = stats_of(
        trial("t__1", {"reward": 1}, agent="a__b"), trial("t__2", {"reward": 0}, agent="a", model="b")
    )
    assert list(found.evals) == ["a__b__ds"]
    assert found.evals["a__b__ds"].metrics == [{"mean": 0.5}]


@pytest.mark.statement("harbor.dataset-of-key")
def test_a_dataset_with_two_underscores_in_its_name_finds_no_metrics() -> None:
    found = stats_of(
        trial("t__1", {"reward": 1}, dataset="my__ds"), trial("t__2", {"reward": 1}, dataset="my__ds")
    )
    assert found.evals["solver__my__ds"].metrics == []
    assert found.evals["solver__my__ds"].n_trials == 2


@pytest.mark.statement("harbor.dataset-of-key")
def test_its_last_part_may_be_another_datasets_name() -> None:
    trials = [trial("t__1", {"reward": 1}, dataset="my__ds")]
    assert job_stats(trials, {"ds": [MAX]}).evals["solver__my__ds"].metrics == [{"max": 1}]


@pytest.mark.statement("harbor.metrics-list")
def test_one_metric_after_the_other() -> None:
    trials = [trial("t__1", {"reward": 1}), trial("t__2")]
    found = job_stats(trials, metrics_for(["ds"], ["mean", "max", "min", "sum"]))
    assert found.evals["solver__ds"].metrics == [{"mean": 0.5}, {"max": 1}, {"min": 0}, {"sum": 1}]


def test_a_dataset_that_nobody_declared_has_no_metrics() -> None:
    assert job_stats([trial("t__1", {"reward": 1})], {"other": [MEAN]}).evals["solver__ds"].metrics == []


@pytest.mark.statement("harbor.counts")
def test_counters() -> None:
    found = stats_of(
        trial("t__1", {"reward": 1}),
        trial("t__2", {"reward": 1}, "AgentTimeoutError"),
        trial("t__3", None, "RewardFileNotFoundError"),
        trial("t__4", None, "CancelledError"),
        trial("t__5"),
        n_total=8,
    )
    assert (found.n_completed_trials, found.n_errored_trials, found.n_cancelled_trials) == (5, 3, 1)
    assert (found.n_pending_trials, found.n_running_trials, found.n_retries) == (3, 0, 0)
    group = found.evals["solver__ds"]
    assert (group.n_trials, group.n_errors) == (2, 3)
    assert group.exception_stats == {
        "AgentTimeoutError": ["t__2"],
        "RewardFileNotFoundError": ["t__3"],
        "CancelledError": ["t__4"],
    }
    assert group.metrics == [{"mean": 0.4}]


@pytest.mark.parametrize(("n_total", "pending"), [(None, 0), (0, 0), (1, 0), (2, 1)])
def test_pending_is_never_below_0(n_total: int | None, pending: int) -> None:
    assert stats_of(trial("t__1"), n_total=n_total).n_pending_trials == pending


def buckets(*rewards: Mapping[str, float]) -> dict[str, list[tuple[tuple[str, str], list[str]]]]:
    found = stats_of(*(trial(f"t__{i}", one) for i, one in enumerate(rewards, start=1)))
    stats = found.evals["solver__ds"].reward_stats
    return {key: [(typed(value), names) for value, names in values.items()] for key, values in stats.items()}


def test_equal_values_share_the_bucket_of_the_first_one() -> None:
    assert buckets({"reward": 1}, {"reward": 1.0}, {"reward": 0}) == {
        "reward": [(("int", "1"), ["t__1", "t__2"]), (("int", "0"), ["t__3"])]
    }
    assert buckets({"reward": 1.0}, {"reward": 1}) == {"reward": [(("float", "1.0"), ["t__1", "t__2"])]}
    assert buckets({"reward": 0.0}, {"reward": -0.0}) == {"reward": [(("float", "0.0"), ["t__1", "t__2"])]}


def test_each_nan_has_its_own_bucket() -> None:
    one, other = float("nan"), float("nan")
    assert buckets({"reward": one}, {"reward": other}) == {
        "reward": [(("float", "nan"), ["t__1"]), (("float", "nan"), ["t__2"])]
    }


@pytest.mark.statement("harbor.counts")
def test_buckets_by_key() -> None:
    assert buckets({"a": 1, "b": 0.5}, {"b": 0.5}, {}) == {
        "a": [(("int", "1"), ["t__1"])],
        "b": [(("float", "0.5"), ["t__1", "t__2"])],
    }


@pytest.mark.statement("harbor.counts")
def test_usage_adds_up_over_the_trials_that_counted_it() -> None:
    found = stats_of(
        trial("t__1", usage=Usage(10, None, 1, 0.1)),
        trial("t__2"),
        trial("t__3", usage=Usage(20, 5, None, 0.2)),
    )
    # The cost is added plainly, one trial after the other: harbor does not use sum() here.
    assert found.usage == Usage(30, 5, 1, 0.30000000000000004)


def test_where_nobody_counted_there_is_no_usage() -> None:
    assert stats_of(trial("t__1"), trial("t__2")).usage == Usage()


def test_pass_at_k_of_each_group() -> None:
    found = stats_of(
        trial("a__1", {"reward": 1}), trial("a__2", {"reward": 0}), trial("b__1", {"speed": 2}, model="m")
    )
    assert found.evals["solver__ds"].pass_at_k == {2: 1.0}
    assert found.evals["solver__m__ds"].pass_at_k == {}


@pytest.mark.statement("harbor.no-trials")
def test_no_trials_no_groups() -> None:
    assert stats_of(n_total=3) == JobStats(n_pending_trials=3)


rewards = st.none() | st.dictionaries(st.sampled_from("ab"), st.floats(), max_size=2)
exceptions = st.none() | st.sampled_from(["CancelledError", "RuntimeError"])
trials_of_any_kind = st.lists(
    st.builds(
        lambda index, reward, exception, model: trial(f"t__{index}", reward, exception, **model),
        st.integers(0, 10**6),
        rewards,
        exceptions,
        st.sampled_from([{}, {"model": "m"}, {"dataset": "other"}]),
    ),
    unique_by=lambda one: one.name,
)


@given(trials_of_any_kind)
def test_the_parts_add_up(trials: list[Trial]) -> None:
    found = stats_of(*trials)
    groups = found.evals.values()
    assert found.n_completed_trials == len(trials)
    assert found.n_errored_trials == sum(group.n_errors for group in groups)
    assert sum(group.n_trials for group in groups) == sum(one.rewards is not None for one in trials)
    assert found.n_cancelled_trials == sum(one.exception_type == "CancelledError" for one in trials)
    for group in groups:
        assert sum(map(len, group.exception_stats.values())) == group.n_errors
        for by_value in group.reward_stats.values():
            assert sum(map(len, by_value.values())) <= group.n_trials
        assert all(0 <= value <= 1 or math.isnan(value) for value in group.pass_at_k.values())
