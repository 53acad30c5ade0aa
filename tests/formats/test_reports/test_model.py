"""What a report says: how tests are counted, and which ones a name stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.test_reports.model import Ended, report_of, uniform

P, S, F = Ended.PASSED, Ended.SKIPPED, Ended.FAILED


@pytest.mark.parametrize(
    ("ends", "counts"),
    [([P], P), ([P, F], F), ([F, P], F), ([P, S], S), ([S, P], S), ([S, F], F), ([P, S, F, P], F)],
)
def test_a_test_that_is_reported_twice_ended_as_it_did_worst(ends: list[Ended], counts: Ended) -> None:
    assert report_of([("test_x", ended) for ended in ends]).tests == {"test_x": counts}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(Ended))))
def test_the_order_does_not_matter(results: list[tuple[str, Ended]]) -> None:
    assert report_of(results) == report_of(results[::-1])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(Ended))))
def test_every_test_is_counted_once(results: list[tuple[str, Ended]]) -> None:
    report = report_of(results)
    assert sum(report.count(ended) for ended in Ended) == len({name for name, _ in results})


@pytest.mark.parametrize(
    "name",
    [
        "tests/test_cart.py::TestCart::test_add",
        "tests.test_cart.TestCart::test_add",
        "tests.test_cart::TestCart::test_add",
        "tests.test_cart.TestCart.test_add",
    ],
)
def test_one_spelling_for_names(name: str) -> None:
    assert uniform(name) == "tests.test_cart.TestCart.test_add"


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("tests/test_cart.py::test_add", ["tests.test_cart::test_add"]),
        ("test_add", ["tests.test_cart::test_add"]),
        ("test_cart.py::test_add", ["tests.test_cart::test_add"]),
        ("test_many", ["tests.test_cart::test_many[1-a]", "tests.test_cart::test_many[2-b]"]),
        ("test_many[1-a]", ["tests.test_cart::test_many[1-a]"]),
        ("*test_add", ["tests.test_cart::test_add"]),
        (
            "tests.test_cart.*",
            ["tests.test_cart::test_add", "tests.test_cart::test_many[1-a]", "tests.test_cart::test_many[2-b]"],
        ),
        ("add", []),
        ("test_ad", []),
        ("TEST_ADD", []),
        ("other/test_cart.py::test_add", []),
    ],
)
def test_which_tests_a_name_stands_for(expected: str, found: list[str]) -> None:
    names = ["tests.test_cart::test_add", "tests.test_cart::test_many[1-a]", "tests.test_cart::test_many[2-b]"]
    assert sorted(report_of([(name, P) for name in names]).matching(expected)) == found
