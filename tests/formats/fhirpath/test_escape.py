"""No value changes what the text means that it is put into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.fhirpath.evaluate import evaluate
from assay.formats.fhirpath.infer import lint_fhirpath
from assay.formats.fhirpath.parse import FhirPathSyntaxError, in_dotted, in_fhirpath, in_search, readable
from tests.formats.fhirpath.resources import PATIENT

VALUES = ["O'Brien", "a\\nb", "\\", "'", "x' or true or 'y", "é😀", "a b", "", "`", "%resource", "{{x}}", "\x00\n"]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_in_quotes_is_that_value(value: str) -> None:
    assert evaluate(f"'{in_fhirpath(value)}'", PATIENT) == [value]


@given(st.text())
def test_any_value_in_quotes_is_that_value(value: str) -> None:
    assert evaluate(f"'{in_fhirpath(value)}'", PATIENT) == [value]


@pytest.mark.parametrize(
    "value", ["7.5", "-3", "12345", "2024-01-05", "2024-01-05T10:00:00Z", "2024-01-05T10:00:00.5+01:00"]
)
def test_numbers_and_dates_stay_as_they_are(value: str) -> None:
    assert in_fhirpath(value) == value


@pytest.mark.parametrize("value", ["0] | name[1", "1 or true", "x.y", "name | telecom", "a()", "0//"])
def test_a_value_outside_of_quotes_is_refused_if_it_is_more_than_one(value: str) -> None:
    assert "is not FHIRPath" in str(lint_fhirpath(f"name[{in_fhirpath(value)}]", "Patient"))
    with pytest.raises(FhirPathSyntaxError):
        evaluate(f"name[{in_fhirpath(value)}]", PATIENT)


def test_what_is_shown_is_readable() -> None:
    assert readable(f"name.family = '{in_fhirpath('van der Berg')}'") == "name.family = 'van der Berg'"
    assert readable(in_fhirpath("O'Brien")) == "O\\u0027Brien"


@pytest.mark.parametrize("value", ["0", "12", "name", "given_name"])
def test_one_step_of_a_dotted_path(value: str) -> None:
    assert in_dotted(value) == value


@pytest.mark.parametrize("value", ["a.b", "", "a b", "name[0]", "é"])
def test_what_is_no_step_of_a_dotted_path(value: str) -> None:
    with pytest.raises(ValueError, match="not a single step"):
        in_dotted(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [("a,b", "a\\,b"), ("sys|1", "sys\\|1"), ("$x", "\\$x"), ("a\\b", "a\\\\b"), ("plain & = ?", "plain & = ?")],
)
def test_a_value_in_a_search(value: str, written: str) -> None:
    assert in_search(value) == written
