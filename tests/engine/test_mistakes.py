"""Mistakes of authors in their own words, with the nearest right name."""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pytest
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from pydantic_core._pydantic_core import list_all_errors
from pydantic_core.core_schema import ErrorType

from assay.dialects.criteria.models import CriteriaFile
from assay.dialects.scorers.scenario import EmptySeed, Seed
from assay.engine.schema_errors import about, first, format_value, sentence


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
        ({"text": 5}, "must be text, got 5 (put it in quotes)"),
        ({"text": True}, "must be text, got true (put it in quotes)"),
        ({"text": None}, "must be text, got null"),
        ({"text": []}, "must be text, got an empty list"),
        ({"number": "5"}, "must be a number, got '5'"),
        ({"switch": 1}, "must be true or false, got 1"),
        ({"some": {}}, "must be a list, got an empty object"),
        ({"some": "x" * 99}, f"must be a list, got '{'x' * 60}…'"),
        ({"inner": 5}, "must be an object of names and values, got 5"),
        ({"inner": {"min": 1.5}}, "must be a whole number, got 1.5"),
        ({"inner": {"min": [1, 2]}}, "must be a whole number, got a list of 2 items"),
        ({"inner": {"min": {"a": 1}}}, "must be a whole number, got an object"),
        ({"one_of": "c"}, "must be 'a' or 'b', got 'c'"),
        ({"inner": {"mn": 1}}, "must be one of the fields min, many, got 'mn' (did you mean min?)"),
        ({"inner": {"MIN": 1}}, "must be one of the fields min, many, got 'MIN' (did you mean min?)"),
        ({"inner": {"colour": 1}}, "must be one of the fields min, many, got 'colour'"),
        ({"by_name": {"x": {"mni": 1}}}, "must be one of the fields min, many, got 'mni' (did you mean min?)"),
        ({"some": [{}, {"mann": 1}]}, "must be one of the fields min, many, got 'mann' (did you mean many?)"),
        ({"inner": {"many": [{"mi": 1}]}}, "must be one of the fields min, many, got 'mi' (did you mean min?)"),
    ],
)
def test_what_is_said(written: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Outer).validate_json(json.dumps(written), strict=True)
    assert sentence(first(caught.value.errors(include_url=False)), Outer) == said


TIME = "must be a time with its zone, such as 2026-03-01T12:00:00Z"


class Limited(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    least: int = Field(default=0, ge=0)
    more: int = Field(default=1, gt=0)
    most: int = Field(default=0, le=9)
    less: int = Field(default=0, lt=9)
    even: int = Field(default=0, multiple_of=2)
    name: str = Field(default="x", min_length=1, max_length=3)
    code: str = Field(default="xx", min_length=2, pattern="^x")
    some: list[int] = Field(default=[1], min_length=1, max_length=2)
    share: FiniteFloat = Field(default=0, ge=0, le=1.5)
    at: AwareDatetime | None = None
    seed: Seed = EmptySeed(type="empty")
    nothing: None = None
    needed: int


@pytest.mark.parametrize(
    ("field", "written", "said"),
    [
        ("least", -1, "must be at least 0, got -1"),
        ("more", 0, "must be greater than 0, got 0"),
        ("most", 10, "must be at most 9, got 10"),
        ("less", 9, "must be less than 9, got 9"),
        ("even", 3, "must be a multiple of 2, got 3"),
        ("name", "", "must not be empty, got ''"),
        ("name", "long", "must have at most 3 characters, got 'long'"),
        ("code", "x", "must have at least 2 characters, got 'x'"),
        ("code", "yy", "must match the pattern ^x, got 'yy'"),
        ("some", [], "must not be empty, got an empty list"),
        ("some", [1, 2, 3], "must have at most 2 items, got a list of 3 items"),
        ("share", -1, "must be at least 0, got -1"),
        ("share", 2, "must be at most 1.5, got 2"),
        ("share", float("inf"), "must be a finite number, got inf"),
        ("at", "2026-03-01", f"{TIME}, got '2026-03-01'"),
        ("at", "2026-03-01T12:00", f"{TIME}, got '2026-03-01T12:00'"),
        ("at", "soon", f"{TIME}, got 'soon'"),
        ("seed", {"type": "tar"}, "must have 'type' set to one of 'git', 'archive', 'empty', got 'tar'"),
        ("seed", {}, "must have 'type', got an object without it"),
        ("seed", 5, "must be an object of names and values, got 5"),
        ("nothing", 1, "must be null, got 1"),
        ("needed", None, "must be a whole number, got null"),
        ("neded", 1, "must be one of the fields least, more, most, less, even, name, "),
    ],
)  # fmt: skip
def test_limits(field: str, written: Any, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Limited.model_validate_json(json.dumps({"needed": 1, field: written}))
    assert sentence(first(caught.value.errors(include_url=False)), Limited).startswith(said)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (10**5000, "a very large number"),
        (10**99, f"1{'0' * 59}…"),
        (b"not \xff", "'not \ufffd'"),
        (Inner(), "a value of type Inner"),
    ],
    ids=["larger", "large", "bytes", "object"],
)
def test_a_value_in_a_few_words(value: object, words: str) -> None:
    assert format_value(value) == words


@pytest.mark.parametrize("name", ["token", "api_token", "PASSWORD", "credentials"])
def test_a_secret_is_not_shown(name: str) -> None:
    told = ErrorDetails(type="string_type", loc=(name, "x"), msg="Input should be a valid string", input=12345)
    assert sentence(told, Limited) == "must be text, got a value that isn't shown here"


def test_what_is_missing() -> None:
    with pytest.raises(ValidationError) as caught:
        Limited.model_validate_json("{}")
    assert sentence(first(caught.value.errors(include_url=False)), Limited) == "must be given, got nothing"


@pytest.mark.parametrize("text", ["not json", "[1,", ""])
def test_text_that_is_no_json(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Limited.model_validate_json(text)
    said = sentence(first(caught.value.errors(include_url=False)), Limited)
    assert said == f"must be valid JSON, got {text!r}"


@pytest.mark.parametrize("kind", get_args(ErrorType))
def test_every_error_of_the_library_becomes_such_a_sentence(kind: ErrorType) -> None:
    """Also those that no model of ours can give yet."""
    ours = {
        "value_error": "Value error, must be odd, got 2",
        "assertion_error": "Assertion failed, must be odd, got 2",
    }
    known = {one["type"]: one for one in list_all_errors()}[kind]
    context = {key: value if value is not None else 2 for key, value in (known["example_context"] or {}).items()}
    message = ours.get(kind, known["example_message_python"])
    told = ErrorDetails(type=kind, loc=("a",), msg=message, input=2, ctx=context)
    said = sentence(told, Limited)
    assert re.fullmatch(r"must (be|have|not|match) .*, got .+", said)
    assert about("a.b", said) == f"a.b {said}"


@pytest.mark.parametrize(
    ("place", "said", "whole"),
    [
        ("a.yaml: b[0]", "must be odd, got 2", "a.yaml: b[0] must be odd, got 2"),
        ("a.yaml", "the names must differ, got 'x' twice", "a.yaml: the names must differ, got 'x' twice"),
        ("", "must be odd, got 2", "must be odd, got 2"),
    ],
)
def test_what_is_said_about_a_place(place: str, said: str, whole: str) -> None:
    assert about(place, said) == whole


def test_a_name_that_is_not_known_is_told_before_one_that_is_missing() -> None:
    with pytest.raises(ValidationError) as caught:
        CriteriaFile.model_validate_json('{"criteria": [{"lable": "x", "assertion": {}}]}')
    told = first(caught.value.errors(include_url=False))
    assert told["loc"] == ("criteria", 0, "lable")
    assert sentence(told, CriteriaFile).startswith("must be one of the fields id, ")
    assert sentence(told, CriteriaFile).endswith(", got 'lable' (did you mean label?)")
