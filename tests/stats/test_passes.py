"""pass@k and pass^k for every k with their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import passes
from assay.stats.interval import CantSay, Interval, rate_interval
from assay.stats.passes import Attempts, PassRate, estimate_pass_at_k, estimate_pass_hat_k, pass_curves

kinds = st.integers(1, 8).flatmap(lambda n: st.integers(0, n).map(lambda c: Attempts(n, c)))


def interval(rate: PassRate) -> Interval:
    assert isinstance(rate.interval, Interval)
    return rate.interval


@given(st.lists(kinds, min_size=1, max_size=20))
def test_values_are_those_of_the_report_to_the_last_bit(tasks: list[Attempts]) -> None:
    named = {str(number): task for number, task in enumerate(tasks)}
    curves = pass_curves(tasks)
    assert len(curves.at) == len(curves.hat) == max(task.n for task in tasks)
    for at, hat in zip(curves.at, curves.hat, strict=True):
        for rate, estimate in ((at, estimate_pass_at_k(named, at.k)), (hat, estimate_pass_hat_k(named, hat.k))):
            assert (rate.value, rate.tasks) == (estimate.value, estimate.tasks)
            assert rate.tasks_with_too_few_attempts == estimate.tasks_with_too_few_attempts


@given(st.lists(kinds, min_size=2, max_size=20))
def test_intervals_hold_their_value_and_have_a_width(tasks: list[Attempts]) -> None:
    curves = pass_curves(tasks)
    for rate in (*curves.at, *curves.hat):
        if rate.tasks > 1:
            found = interval(rate)
            assert 0 <= found.low <= rate.value + 1e-9
            assert rate.value - 1e-9 <= found.high <= 1
            assert found.high - found.low > 0.01


def test_one_attempt_a_task_is_a_plain_rate() -> None:
    [rate] = pass_curves([Attempts(1, 1)] * 3 + [Attempts(1, 0)] * 7).at
    assert rate.interval == rate_interval(0.3, 10)


def test_equal_tasks_are_not_certain() -> None:
    at = pass_curves([Attempts(4, 2)] * 10).at
    assert interval(at[0]).high - interval(at[0]).low > 0.25
    assert interval(at[1]).high - interval(at[1]).low > 0.2
    assert (at[2].value, interval(at[2]).method) == (1, "exact binomial")


def test_a_task_alone_says_nothing_about_others() -> None:
    curves = pass_curves([Attempts(2, 1), Attempts(1, 1)])
    assert isinstance(curves.at[0].interval, Interval)
    assert curves.at[1].interval == CantSay("one task says nothing about others")
    assert curves.at[1].tasks_with_too_few_attempts == 1


def test_no_tasks_have_no_curve() -> None:
    assert pass_curves([]).at == []


def test_very_many_attempts_end_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "LARGEST_K", 100)
    curves = pass_curves([Attempts(200, 3), Attempts(200, 190)])
    assert len(curves.at) == 100
    assert curves.at[-1].value == pytest.approx(1 - 0.125 / 2, abs=0.001)
