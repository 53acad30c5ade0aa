"""Agreement of raters, against other programs, published examples, and the corners."""

from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.stats.agreement import (
    Agreement,
    Metric,
    Weights,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from assay.stats.interval import CantSay, Interval
from tests.stats.oracles import oracle


def transposed(raters: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*raters, strict=True))


def ends(found: Agreement) -> tuple[float, float]:
    assert isinstance(found.interval, Interval)
    return found.interval.low, found.interval.high


@pytest.mark.parametrize("one", oracle("kappas"))
@pytest.mark.parametrize("weights", get_args(Weights))
def test_cohens_kappa_and_its_error_are_those_of_others(one: Any, weights: Weights) -> None:
    first, second, _ = one["raters"]
    found = cohen_kappa(first, second, weights)
    assert found.value == pytest.approx(one["kappa"][weights], abs=1e-9)
    assert found.standard_error == pytest.approx(one["error"][weights], abs=1e-9)


@pytest.mark.parametrize("one", oracle("kappas"))
def test_fleiss_kappa_is_that_of_statsmodels(one: Any) -> None:
    assert fleiss_kappa(transposed(one["raters"])).value == pytest.approx(one["fleiss"], abs=1e-9)


@pytest.mark.parametrize("one", oracle("alphas"))
@pytest.mark.parametrize("metric", get_args(Metric))
def test_alpha_with_missing_ratings_is_that_of_others(one: Any, metric: Metric) -> None:
    assert krippendorff_alpha(transposed(one["raters"]), metric).value == pytest.approx(
        one["alpha"][metric], abs=1e-9
    )


# The example in Krippendorff's "Computing Krippendorff's Alpha-Reliability": four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_example_of_krippendorff(metric: Metric, alpha: float) -> None:
    found = krippendorff_alpha(transposed(OBSERVERS), metric)
    assert found.value == pytest.approx(alpha, abs=0.0005)
    assert found.items == 11
    low, high = ends(found)
    assert low < alpha < high < 1


def test_cohens_example_of_two_reviewers() -> None:
    """20 both yes, 15 both no, 5 and 10 apart: 0.7 agreement, 0.5 by chance, kappa 0.4."""
    first = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(first, second).value == pytest.approx(0.4)
    assert percent_agreement(first, second).value == 0.7


def test_words_may_be_categories() -> None:
    ratings = ["pass", "fail", "pass", "defer"], ["pass", "fail", "fail", "defer"]
    numbers = [2, 1, 2, 0], [2, 1, 1, 0]
    assert cohen_kappa(*ratings).value == cohen_kappa(*numbers).value
    ordered = cohen_kappa(*ratings, "linear", categories=("fail", "defer", "pass"))
    assert ordered.value == cohen_kappa([2, 0, 2, 1], [2, 0, 0, 1], "linear").value


def test_what_one_rater_left_out_does_not_count() -> None:
    assert percent_agreement([1, None, 0, 1], [1, 1, None, 0]).items == 2
    assert cohen_kappa([1, 0, None], [1, 0, 1]) == cohen_kappa([1, 0], [1, 0])


@pytest.mark.parametrize("weights", get_args(Weights))
def test_perfect_agreement_on_few_items_is_not_certain(weights: Weights) -> None:
    found = cohen_kappa([1, 2, 3, 1], [1, 2, 3, 1], weights)
    low, high = ends(found)
    assert (found.value, high) == (1, 1)
    assert low < 0.3


@pytest.mark.parametrize("metric", get_args(Metric))
def test_perfect_alpha_on_few_items_is_not_certain(metric: Metric) -> None:
    found = krippendorff_alpha([(1, 1), (2, 2), (3, 3), (1, 1)], metric)
    low, high = ends(found)
    assert (found.value, high) == (1, 1)
    assert low < 0.3


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (percent_agreement([], []), "no item has both ratings"),
        (cohen_kappa([None], [1]), "no item has both ratings"),
        (cohen_kappa([1, 1], [1, 1]), "both raters gave every item the same category"),
        (fleiss_kappa([]), "there are no items"),
        (fleiss_kappa([(1, 1), (1, 1)]), "every rating is the same category"),
        (krippendorff_alpha([(1, None)]), "no item has two ratings"),
        (krippendorff_alpha([(2, 2), (2, 2)]), "every rating is the same category"),
    ],
)
def test_no_agreement_without_a_reason(found: Agreement, reason: str) -> None:
    assert found.value is None
    assert isinstance(found.interval, CantSay)
    assert reason in found.interval.reason


def test_a_value_may_stand_without_an_interval() -> None:
    found = krippendorff_alpha([(1, 1)] * 5 + [(1, 2)])
    assert found.value == pytest.approx(0)
    assert isinstance(found.interval, CantSay)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda: percent_agreement([1], [1, 2]),
            "both raters must have a rating or None for each item, got 1 and 2",
        ),
        (lambda: fleiss_kappa([(1, 1), (1, 1, 1)]), "needs the same number of ratings for each item"),
        (lambda: fleiss_kappa([(1,), (0,)]), "at least 2, got 1"),
        (lambda: cohen_kappa([1, "x"], [1, 2], "linear"), "categories can't be sorted"),
        (lambda: cohen_kappa([1], [3], categories=(1, 2)), "ratings must be one of 1, 2, got 3"),
        (lambda: krippendorff_alpha([("a", "b")], "interval"), "interval ratings must be finite numbers, got 'a'"),
        (lambda: krippendorff_alpha([(1.0, float("nan"))], "ordinal"), "finite numbers, got nan"),
    ],
)
def test_ratings_that_cant_be_used(ask: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ask()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_intervals_hold_their_value(items: list[tuple[int, ...]]) -> None:
    one, two, _ = transposed(items)
    measures = [percent_agreement(one, two), fleiss_kappa(items)]
    measures += [cohen_kappa(one, two, weights) for weights in get_args(Weights)]
    measures += [krippendorff_alpha(items, metric) for metric in get_args(Metric)]
    for found in measures:
        if found.value is not None and isinstance(found.interval, Interval):
            assert -1 <= found.interval.low <= max(found.value, -1) + 1e-9
            assert found.value <= found.interval.high + 1e-9 <= 1 + 2e-9
            assert found.interval.low < found.interval.high


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=20), st.randoms())
def test_the_order_of_items_changes_nothing(items: list[tuple[int, int]], shuffler: Any) -> None:
    again = items[:]
    shuffler.shuffle(again)
    assert krippendorff_alpha(items) == krippendorff_alpha(again)
    (one, two), (three, four) = transposed(items), transposed(again)
    assert cohen_kappa(one, two) == cohen_kappa(three, four)
