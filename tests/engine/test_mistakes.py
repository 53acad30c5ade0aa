"""Mistakes of authors in their own words, with the nearest right name."""

import json
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from assay.dialects.criteria.models import CriteriaFile
from assay.dialects.criteria.playground_file import PlaygroundFile
from assay.engine.mistakes import first, names_at, sentence


@dataclass
class Inner:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012

    min: int = 0
    many: "list[Inner] | None" = None


@dataclass
class Outer:
    text: str = ""
    inner: Inner | None = None
    by_name: dict[str, Inner] | None = None
    some: tuple[Inner, ...] = ()
    one_of: Literal["a", "b"] = "a"
    switch: bool = False
    number: float = 0


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"text": 5}, "it is a text: put it in quotes"),
        ({"number": "5"}, "it is a number"),
        ({"switch": 1}, "it is true or false"),
        ({"some": {}}, "it is a list"),
        ({"inner": 5}, "it is an object of names and values"),
        ({"one_of": "c"}, "it should be 'a' or 'b'"),
        ({"inner": {"mn": 1}}, "there is no field 'mn' here; 'min' may be meant; there are min, many"),
        ({"inner": {"MIN": 1}}, "there is no field 'MIN' here; 'min' may be meant; there are min, many"),
        ({"inner": {"colour": 1}}, "there is no field 'colour' here; there are min, many"),
        ({"by_name": {"x": {"mni": 1}}}, "there is no field 'mni' here; 'min' may be meant; there are min, many"),
        ({"some": [{}, {"mann": 1}]}, "there is no field 'mann' here; 'many' may be meant; there are min, many"),
        ({"inner": {"many": [{"mi": 1}]}}, "there is no field 'mi' here; 'min' may be meant; there are min, many"),
    ],
)
def test_what_is_said(written: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Outer).validate_json(json.dumps(written), strict=True)
    assert sentence(first(caught.value.errors(include_url=False)), Outer) == said


def test_a_name_that_is_not_known_is_told_before_one_that_is_missing() -> None:
    with pytest.raises(ValidationError) as caught:
        CriteriaFile.model_validate_json('{"criteria": [{"lable": "x", "assertion": {}}]}')
    told = first(caught.value.errors(include_url=False))
    assert told["loc"] == ("criteria", 0, "lable")
    assert sentence(told, CriteriaFile).startswith("there is no field 'lable' here; 'label' may be meant; ")


@pytest.mark.parametrize(
    ("root", "place", "names"),
    [
        (PlaygroundFile, ["fhir"], ["url", "folder", "token_env", "google"]),
        (CriteriaFile, [], ["criteria", "data"]),
        (CriteriaFile, ["criteria", 3, "label"], []),
        (CriteriaFile, ["nothing", "here"], []),
    ],
)
def test_names_at_a_place(root: Any, place: list[int | str], names: list[str]) -> None:
    assert names_at(root, place) == names
