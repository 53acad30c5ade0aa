"""What FHIRPath finds in resources, as plain values."""

import copy
from contextlib import suppress
from typing import Any

import pytest

from assay.formats.fhirpath.evaluate import compile_expression, evaluate, holds
from assay.formats.fhirpath.infer import lint_fhirpath
from assay.formats.fhirpath.parse import FhirPathError, FhirPathSyntaxError
from assay.formats.field_rules import values
from tests.formats.fhirpath.resources import PATIENT, WEIGHT


def found(expression: str, resource: dict[str, Any]) -> list[Any]:
    return evaluate(expression, resource)


def lab(**quantity: Any) -> dict[str, Any]:
    low = {"value": 2, "unit": "mg"}
    return {"resourceType": "Observation", "valueQuantity": quantity, "referenceRange": [{"low": low}]}


FOUND = [
    ("value > 5 'mg'", lab(value=5.1, code="mg"), [True]),
    ("value > 5 'mg'", lab(value=5.0, code="mg"), [False]),
    ("value >= 5 'mg'", lab(value=5, unit="mg"), [True]),
    ("10 'mg' <= value", lab(value=9, code="mg"), [False]),
    ("value < referenceRange.low", lab(value=1, code="mg"), [True]),
    ("value = 0 'mg'", lab(value=0, code="mg"), [True]),
    ("value != 0 'mg'", lab(value=0, code="mg"), [False]),
    ("value = 5 'mg'", lab(value=5, code="kg"), [False]),
    ("value < 5 'mg'", {"resourceType": "Observation"}, []),
    ("name.given = ('Peter' | 'James' | 'Jim')", PATIENT, [True]),
    ("name.given = ('Peter' | 'James' | 'Jane')", PATIENT, [False]),
    ("name.given != ('Peter' | 'James' | 'Jane')", PATIENT, [True]),
    ("birthDate = @1974-12", PATIENT, []),
    ("'1980-05'.toDate()", PATIENT, ["1980-05"]),
    ("name.given", PATIENT, ["Peter", "James", "Jim"]),
    ("Patient.name.where(use = 'official').given.first()", PATIENT, ["Peter"]),
    ("Observation.name", PATIENT, []),
    ("name[1].given[0]", PATIENT, ["Jim"]),
    ("name.count()", PATIENT, [2]),
    ("active", PATIENT, [True]),
    ("birthDate", PATIENT, ["1974-12-25"]),
    ("birthDate.count()", PATIENT, [1]),
    ("birthDate = @1974-12-25", PATIENT, [True]),
    ("birthDate < @1975-01-01", PATIENT, [True]),
    ("birthDate.extension.value", PATIENT, ["1974-12-25T14:35:45-05:00"]),
    ("deceased", PATIENT, [False]),
    ("value.ofType(Quantity).value", WEIGHT, [83.9]),
    ("value.value > 80", WEIGHT, [True]),
    ("value is Quantity", WEIGHT, [True]),
    ("value.ofType(string)", WEIGHT, []),
    ("code.coding.code", WEIGHT, ["29463-7"]),
    ("code.coding.where(system = 'http://loinc.org').exists()", WEIGHT, [True]),
    ("telecom.rank", PATIENT, [1]),
    ("identifier.first()", PATIENT, [{"system": "urn:mrn", "value": "12345"}]),
    ("name.family.matches('^Chal')", PATIENT, [True]),
    ("name.family.replaceMatches('l.*', '')", PATIENT, ["Cha"]),
    ("name.where(family = 'x').family.matches('x')", PATIENT, []),
    ("name.where(use = 'usual').single().given", PATIENT, ["Jim"]),
    ("birthDate.hasValue()", PATIENT, [True]),
    ("name.hasValue()", PATIENT, [False]),
    ("'it\\'s'", PATIENT, ["it's"]),
    ("'a\\\\nb'", PATIENT, ["a\\nb"]),
    ("'a\\nb'", PATIENT, ["a\nb"]),
    ("'\\u0041\\ud83d\\ude00'", PATIENT, ["A😀"]),
    ("1.50", PATIENT, [1.5]),
    ("%resource.id", PATIENT, ["p1"]),
    ("@2020-01-31 + 1 day", PATIENT, ["2020-02-01"]),
    ("{}", PATIENT, []),
]


@pytest.mark.parametrize(
    ("expression", "quantity", "says"),
    [
        ("value > 5 'mg'", {"value": 5, "code": "kg"}, "'kg' and 'mg' are different units"),
        ("value > 5 'mg'", {"value": 5, "code": "mg", "comparator": "<"}, "only known as <"),
        (
            "value.value.trim() | referenceRange.trim()",
            {"value": 5, "code": "mg"},
            r"Expected string, but got (?!.*0x)",
        ),
    ],
)
def test_what_can_not_be_compared_says_why_and_the_same_each_time(
    expression: str, quantity: dict[str, Any], says: str
) -> None:
    with pytest.raises(FhirPathError, match=says):
        found(expression, lab(**quantity))


@pytest.mark.parametrize(("expression", "resource", "expected"), FOUND)
def test_what_is_found(expression: str, resource: dict[str, Any], expected: list[Any]) -> None:
    assert found(expression, resource) == expected


def test_nothing_is_changed_in_a_resource() -> None:
    before = copy.deepcopy(PATIENT)
    found("name.where(use = 'official').given | birthDate.extension.value", PATIENT)
    assert before == PATIENT


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("name.single()", "single() was called on 2 values"),
        ("name.given.matches('x')", "a pattern can be matched only with one text"),
        ("name.family.matches('(')", "is not a regular expression"),
        ("name.given & 'x'", "can't be evaluated"),
        ("name.nothing()", "can't be evaluated: Not implemented: nothing"),
    ],
)
def test_what_can_not_be_evaluated(expression: str, said: str) -> None:
    with pytest.raises(FhirPathError, match=said.replace("(", r"\(").replace(")", r"\)")):
        evaluate(expression, PATIENT)


def test_what_is_no_fhirpath() -> None:
    with pytest.raises(FhirPathSyntaxError, match="is not FHIRPath"):
        evaluate("name given", PATIENT)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("active", True),
        ("deceased", False),
        ("name.where(family = 'x').active", False),
        ("name.family = 'Chalmers'", True),
        ("birthDate > @2000-01-01", False),
    ],
)
def test_whether_a_condition_holds(condition: str, expected: bool) -> None:
    assert holds(condition, PATIENT) is expected


@pytest.mark.parametrize("condition", ["name", "birthDate", "name.count()", "(active | deceased)"])
def test_what_is_no_condition(condition: str) -> None:
    with pytest.raises(FhirPathError, match="is not a condition"):
        holds(condition, PATIENT)


def test_an_expression_is_compiled_once() -> None:
    assert compile_expression("name.given") is compile_expression("name.given")


@pytest.mark.parametrize("called", [r"matches('^(a|aa)+\\1b$')", r"replaceMatches('^(a|aa)+\\1b$', '')"])
def test_a_pattern_that_takes_too_many_steps_ends(monkeypatch: pytest.MonkeyPatch, called: str) -> None:
    monkeypatch.setattr(values, "MOST_STEPS", 1000)
    slow = {"resourceType": "Patient", "name": [{"family": "a" * 5000 + "!"}]}
    with pytest.raises(values.SlowPatternError):
        evaluate(f"name.family.{called}", slow)


def test_a_pattern_that_is_only_careless_is_no_matter() -> None:
    slow = {"resourceType": "Patient", "name": [{"family": "a" * 5000 + "!"}]}
    assert evaluate("name.family.matches('^(a|a)+$')", slow) == [False]


def test_nothing_is_printed_about_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert found("name.family.trace('secret')", PATIENT) == ["Chalmers"]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "hostile",
    [
        {"resourceType": "Patient", "name": "no list"},
        {"resourceType": "Patient", "name": [None, 3, ["x"], {"given": {"a": 1}}]},
        {"resourceType": ["Patient"]},
        {"resourceType": "Patient", "name": [{"family": {"$status": "error"}}]},
        {},
    ],
)
def test_resources_that_are_none_give_values_or_an_error_of_ours(hostile: dict[str, Any]) -> None:
    for expression in ("name.given", "name.where(family = 'x').given", "name.family.matches('x')", "Patient.id"):
        with suppress(FhirPathError):
            assert isinstance(evaluate(expression, hostile), list)


REMARKED = {
    "resourceType": "Patient",
    "id": "p1",
    "gender": "male",
    "_gender": {"id": "g1"},
    "birthDate": "1974-12-25",
    "_birthDate": {"id": "b1"},
    "name": [{"family": "Chalmers", "given": ["Peter", "James"], "_given": [None, {"id": "j"}]}],
    "text": {"status": "generated", "div": "<div>one\ntwo</div>"},
}


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("birthDate.id", ["b1"]),
        ("gender.id", ["g1"]),
        ("id", ["p1"]),
        ("Patient.where(gender = 'male').id", ["p1"]),
        ("Patient.where(birthDate.id = 'b1' and gender = 'male').id", ["p1"]),
        ("text.`div`.matches('one.two')", [True]),
        ("name.family.replaceMatches('(Ch)(al)', '$2$1')", ["alChmers"]),
        ("name.family.replaceMatches('(?<a>Ch)', '${a}-$1')", ["Ch-Chalmers"]),
        ("name.family.replaceMatches('C', '\\\\$1')", ["$1halmers"]),
        ("name.family.replaceMatches('s', '\\\\\\\\')", ["Chalmer\\"]),
        ("name.trace('names', given).family", ["Chalmers"]),
    ],
)
def test_what_the_library_alone_gets_right(expression: str, found: list[object]) -> None:
    """These were worse here than in the library: remarks, line breaks in patterns, groups, and a trace of two."""
    assert evaluate(expression, REMARKED) == found
    assert lint_fhirpath(expression, "Patient") is None


def test_descendants_have_remarks() -> None:
    assert evaluate("descendants().where($this = 'b1').exists()", REMARKED) == [True]


def test_a_group_that_the_pattern_does_not_have() -> None:
    with pytest.raises(FhirPathError, match="names the group 7"):
        evaluate("name.family.replaceMatches('C', '$7')", REMARKED)
