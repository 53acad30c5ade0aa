"""Rules about fields of resources, and the rows of evidence that they give."""

from typing import Any

import pytest

from assay.formats.fhirpath.matches import FhirRule, result, result_of_all
from tests.formats.fhirpath.resources import PATIENT


def row(**rule: Any) -> dict[str, object]:
    return result(FhirRule(**rule), PATIENT)


def test_a_dotted_rule() -> None:
    assert row(path="name.0.family", expected="Chalmers") == {
        "path": "name.0.family",
        "expected": "Chalmers",
        "actual": "Chalmers",
        "passed": True,
    }


def test_the_expression_is_shown_as_the_path() -> None:
    assert row(fhirpath="name.given.count()", expected=3) == {
        "path": "name.given.count()",
        "expected": 3,
        "actual": 3,
        "passed": True,
    }


@pytest.mark.parametrize(
    ("rule", "passed"),
    [
        ({"fhirpath": "name.given", "expected": "Jim"}, True),
        ({"fhirpath": "name.given", "expected": "Jim", "match": "all"}, False),
        ({"fhirpath": "name.given", "expected": "Peter", "match": "first"}, True),
        ({"fhirpath": "name.given", "expected": 3, "operator": "count"}, True),
        ({"fhirpath": "name.prefix", "operator": "notExists"}, True),
        ({"path": "birthDate", "expected": "1974-12-26", "operator": "dateWithin", "tolerance": "1 day"}, True),
        ({"path": "active", "expected": True}, True),
        ({"path": "active", "expected": "true"}, False),
        ({"path": "name.0.given", "expected": ["Peter", "James"]}, True),
        ({"path": "name.7.family", "expected": "x", "operator": "notEquals"}, True),
    ],
)
def test_operators_and_matches(rule: dict[str, Any], passed: bool) -> None:
    assert row(**rule)["passed"] is passed


@pytest.mark.parametrize("operator", ["equals", "notEquals", "notContains"])
def test_a_rule_that_can_not_be_evaluated_never_holds(operator: str) -> None:
    answer = row(fhirpath="name.single().family", expected="x", operator=operator)
    assert answer["passed"] is False
    assert "single() was called on 2 values" in str(answer["error"])


def test_a_list_without_an_index_is_pointed_out() -> None:
    answer = row(path="name.family", expected="Chalmers")
    assert (answer["passed"], answer["note"]) == (False, "name is a list: write name.0.family for the first")


def test_a_rule_for_all_shows_the_first_for_which_it_does_not_hold() -> None:
    others = [PATIENT, {**PATIENT, "id": "p2", "active": False}, {**PATIENT, "id": "p3", "active": False}]
    answer = result_of_all(FhirRule(path="active", expected=True), others)
    assert (answer["passed"], answer["resource"]) == (False, "Patient/p2")


@pytest.mark.parametrize("paths", [{}, {"path": "a", "fhirpath": "b"}, {"path": ""}])
def test_a_rule_has_one_path(paths: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="either a path or a fhirpath"):
        FhirRule(**paths)
