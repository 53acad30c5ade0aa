"""Schemas: the draft that they name, references that stay inside, and costs that an agent can't drive up."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.core.errors import MeasurementError
from assay.dialects.evaluation import schema as module
from assay.dialects.evaluation.schema import SCHEMA_LEVELS, schema_complaint
from assay.formats.field_rules import values
from tests.builders import within

DRAFT_03 = "http://json-schema.org/draft-03/schema#"
DRAFT_04 = "http://json-schema.org/draft-04/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def violations(value: object, schema: dict[str, Any]) -> list[str]:
    return module.violations(value, schema)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({}, None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, None),
        ({"properties": {"a": {"$ref": "#"}}}, None),
        ({"$id": "https://example.invalid/a", "items": {"$ref": "a"}}, None),
        ({"$ref": DRAFT_2020}, None),
        ({"properties": {"$ref": {"type": "string"}}}, None),
        ({"const": {"$ref": "no reference but a value"}}, None),
        ({"$schema": DRAFT_07, "items": [{"type": "string"}], "definitions": {}}, None),
        ({"items": [{"type": "string"}]}, "$.items"),
        ({"$ref": "#/$defs/missing"}, "$ref #/$defs/missing leads nowhere"),
        ({"anyOf": [{"items": {"$ref": "#/$defs/missing"}}]}, "leads nowhere"),
        ({"$ref": "http://127.0.0.1:9/a.json"}, "$ref http://127.0.0.1:9/a.json leads nowhere"),
        ({"$ref": "file:///etc/hostname"}, "leads nowhere"),
        ({"$ref": "other.json"}, "leads nowhere"),
        ({"type": "text"}, "$.type"),
        ({"pattern": "("}, "$.pattern"),
        ({"patternProperties": {"(": {}}}, "$.patternProperties"),
        # Patterns are searched by an engine that knows more than Python's own.
        ({"pattern": r"^\p{L}[\w-.]*$"}, None),
        ({"pattern": "a{100000}" * 2}, "$.pattern"),
        ({"$schema": 12}, "$.$schema must be a text, got 12"),
        ({"$schema": {}}, "$.$schema must be a text, got {}"),
        ({"$schema": DRAFT_03, "extends": {"properties": {"a": {"type": "any"}}}}, None),
        # What is referred to may refer to something, too, wherever it stands.
        (
            {"$ref": "#/components/a", "components": {"a": {"$ref": "#/components/b"}}},
            "#/components/b leads nowhere",
        ),
        ({"$ref": "#/components/a", "components": {"a": {"properties": {"b": {"$ref": "#"}}}}}, None),
        ({"$dynamicRef": "#missing"}, "#missing leads nowhere"),
        # Against these no value can be held at all.
        ({"$ref": "#"}, "goes too deep"),
        ({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}}, "goes too deep"),
        ({"unevaluatedProperties": False, "$ref": "#"}, "goes too deep"),
        ({"if": {"type": "string"}, "then": {"$ref": "#"}}, "goes too deep"),
        # The library itself fails on these.
        ({"multipleOf": float("inf")}, "no value can be checked against it: ValueError("),
        ({"$ref": "http://[an address"}, "leads nowhere"),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_a_mistake_of_the_author_is_found_in_the_schema_itself(schema: dict[str, Any], says: str | None) -> None:
    found = schema_complaint(schema)
    assert found is None if says is None else says in (found or "")


def test_what_only_a_schema_needs_is_not_imported_without_one() -> None:
    """It takes a tenth of a second, and most tasks have none."""
    look = "import sys, assay.evaluation; print({'regex', 'jsonschema', 'yaml'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert said == "set()\n"


def deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(levels // 2):
        found = {"properties": {"a": found}}
    return found


@pytest.mark.parametrize(
    ("levels", "says"),
    [(SCHEMA_LEVELS // 2, None), (SCHEMA_LEVELS + 2, f"it must not be nested deeper than {SCHEMA_LEVELS} levels")],
)
def test_a_schema_is_only_so_deep(levels: int, says: str | None) -> None:
    assert schema_complaint(deep(levels)) == says


def test_nothing_is_ever_loaded_for_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[object] = []
    monkeypatch.setattr(urllib.request, "urlopen", loaded.append)
    schema = {"$ref": "http://127.0.0.1:9/a.json"}
    assert schema_complaint(schema) is not None
    with pytest.raises(MeasurementError, match="Unresolvable"):
        violations({}, schema)
    assert loaded == []


@pytest.mark.parametrize(
    ("value", "fits"),
    [(["a", 1], True), ([1, 1], False), (["a", 1, 2], False)],
)
def test_a_schema_is_read_in_the_draft_that_it_names(value: object, fits: bool) -> None:
    schema = {"$schema": DRAFT_07, "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}
    assert (violations(value, schema) == []) is fits


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"$schema": DRAFT_04, "minimum": 1, "exclusiveMinimum": True}, 1, False),
        ({"exclusiveMinimum": 1}, 1, False),
        ({"$schema": DRAFT_04, "type": "integer"}, 1.0, False),
        ({"type": "integer"}, 1.0, True),
        ({"$schema": DRAFT_07, "$ref": "#/definitions/a", "type": "null", "definitions": {"a": {}}}, 1, True),
        ({"$ref": "#/$defs/a", "type": "null", "$defs": {"a": {}}}, 1, False),
        ({"$schema": DRAFT_07, "unevaluatedProperties": False}, {"a": 1}, True),
        ({"unevaluatedProperties": False}, {"a": 1}, False),
        ({"$schema": DRAFT_07, "dependencies": {"a": ["b"]}}, {"a": 1}, False),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, False),
        ({"$schema": DRAFT_03, "properties": {"a": {"required": True}}}, {}, False),
        ({"$schema": "https://example.invalid/of-its-own", "exclusiveMinimum": 1}, 1, False),
        # What is called a format says what is meant; it is not held against the value.
        ({"format": "date"}, "2026-13-45", True),
        ({"$schema": DRAFT_07, "format": "email"}, "nobody", True),
    ],
    ids=lambda value: json.dumps(value)[:50],
)
def test_a_keyword_means_what_it_means_in_its_draft(schema: dict[str, Any], value: object, fits: bool) -> None:
    assert (violations(value, schema) == []) is fits


# --- The keywords that are made anew say what the library says ---


@pytest.mark.parametrize(
    ("schema", "value", "errors"),
    [
        ({"pattern": "^a"}, "ab", []),
        ({"pattern": "^a"}, "b", ["$: 'b' does not match '^a'"]),
        ({"pattern": "^a"}, 1, []),
        ({"patternProperties": {"^n_": {"type": "integer"}}}, {"n_a": 1, "x": "y"}, []),
        (
            {"patternProperties": {"^n_": {"type": "integer"}}},
            {"n_a": "1"},
            ["$.n_a: '1' is not of type 'integer'"],
        ),
        (
            {"properties": {"a": {}}, "patternProperties": {"^n_": {}}, "additionalProperties": False},
            {"n_": 1},
            [],
        ),
        (
            {"patternProperties": {"^n_": {}}, "additionalProperties": False},
            {"b": 1, "a": 1},
            ["$: Additional properties are not allowed ('a', 'b' were unexpected)"],
        ),
        (
            {"properties": {"a": {}}, "additionalProperties": {"type": "null"}},
            {"a": 1, "b": 2},
            ["$.b: 2 is not of type 'null'"],
        ),
        ({"additionalProperties": False}, [], []),
        ({"uniqueItems": True}, [1, True, "1", [1], [True], {"a": 1}, {"a": True}, None, 0, False], []),
        ({"uniqueItems": True}, [1, 1.0], ["$: [1, 1.0] has non-unique elements"]),
        (
            {"uniqueItems": True},
            [{"a": [1], "b": 2}, {"b": 2, "a": [1.0]}],
            ["$: [{'a': [1], 'b': 2}, {'a': [1.0], 'b': 2}] has non-unique elements"],
        ),
        ({"uniqueItems": False}, [1, 1], []),
        # As the numbers are written, not as their binary neighbours are.
        ({"multipleOf": 0.01}, 19.99, []),
        ({"multipleOf": 0.1}, 0.3, []),
        ({"multipleOf": 0.01}, 19.999, ["$: 19.999 is not a multiple of 0.01"]),
        ({"multipleOf": 1e-8}, 1e308, []),
        ({"multipleOf": 2}, 10**400, []),
        ({"multipleOf": 2}, 3, ["$: 3 is not a multiple of 2"]),
        ({"multipleOf": 2}, float("inf"), ["$: inf is not a multiple of 2"]),
        ({"multipleOf": 2}, "3", []),
        ({"multipleOf": 2}, True, []),
    ],
)
def test_what_a_value_violates(schema: dict[str, Any], value: object, errors: list[str]) -> None:
    found = violations(value, schema)
    assert [re.sub(r"\{'b': 2, 'a': (\[.*?\])\}", r"{'a': \1, 'b': 2}", one) for one in found] == errors


NAME = {"properties": {"name": {"type": "string"}}}
ROW = {"prefixItems": [{"type": "integer"}]}


@pytest.mark.parametrize(
    ("schema", "value", "errors"),
    [
        (NAME, {"name": "a"}, []),
        (NAME, {"x": 1}, ["$: Unevaluated properties are not allowed ('x' was unexpected)"]),
        (NAME, {"x": 1, "y": 1}, ["$: Unevaluated properties are not allowed ('x', 'y' were unexpected)"]),
        ({"patternProperties": {"^n": {}}}, {"n1": 1, "n2": 1}, []),
        ({"additionalProperties": {"type": "integer"}}, {"x": 1}, []),
        ({"allOf": [NAME, {"patternProperties": {"^x": {}}}]}, {"name": "a", "x": 1}, []),
        ({"anyOf": [NAME, {"required": ["y"]}]}, {"name": "a"}, []),
        # What a branch that does not fit has looked at does not count.
        (
            {"anyOf": [NAME, {}]},
            {"name": 1},
            ["$: Unevaluated properties are not allowed ('name' was unexpected)"],
        ),
        ({"oneOf": [NAME, {"required": ["y"]}]}, {"name": "a"}, []),
        ({"if": NAME, "then": {"properties": {"x": {}}}}, {"name": "a", "x": 1}, []),
        ({"if": {"required": ["y"]}, "else": NAME}, {"name": "a"}, []),
        ({"dependentSchemas": {"x": {"properties": {"x": {}}}}}, {"x": 1}, []),
        ({"$ref": "#/$defs/a", "$defs": {"a": NAME}}, {"name": "a"}, []),
        ({"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a", **NAME}}}, {"name": "a"}, []),
        ({"allOf": [{"unevaluatedProperties": {"type": "integer"}}]}, {"x": 1}, []),
        (ROW, [1], []),
        (ROW, [1, "x"], ["$: Unevaluated items are not allowed ('x' was unexpected)"]),
        ({"allOf": [{"items": {"type": "integer"}}]}, [1, 2], []),
        ({"contains": {"type": "string"}}, ["a", 1], ["$: Unevaluated items are not allowed (1 was unexpected)"]),
        ({"$schema": DRAFT_2019, "items": [{}], "additionalItems": {"type": "integer"}}, ["a", 1], []),
        (
            {"$schema": DRAFT_2019, "items": [{}]},
            [1, 2],
            ["$: Unevaluated items are not allowed (2 was unexpected)"],
        ),
        ({"$schema": DRAFT_2019, "$recursiveAnchor": True, **NAME}, {"name": "a"}, []),
    ],
    ids=lambda value: json.dumps(value)[:50],
)
def test_what_no_other_part_has_looked_at(schema: dict[str, Any], value: object, errors: list[str]) -> None:
    closed = {"unevaluatedProperties": False, "unevaluatedItems": False}
    assert violations(value, closed | schema) == errors


def test_what_is_left_over_may_have_a_schema_of_its_own() -> None:
    schema = {**NAME, "unevaluatedProperties": {"type": "integer"}, "unevaluatedItems": {"type": "integer"}}
    assert violations({"name": "a", "x": 1}, schema) == []
    assert violations({"name": "a", "x": "y"}, schema) == ["$.x: 'y' is not of type 'integer'"]
    assert violations([1, "y"], schema) == ["$[1]: 'y' is not of type 'integer'"]


# --- Costs ---

# Slow for every engine, because what the group has found makes each way another one.
SLOW_PATTERN = r"^(?:(a|b|ab)+,?)+\1!!$"
SLOW_TEXT = "ab" * 2000 + "!"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": SLOW_PATTERN}, SLOW_TEXT),
        ({"patternProperties": {SLOW_PATTERN: {}}}, {SLOW_TEXT: 1}),
        ({"additionalProperties": False, "patternProperties": {SLOW_PATTERN: {}}}, {SLOW_TEXT: 1}),
        ({"propertyNames": {"pattern": SLOW_PATTERN}}, {SLOW_TEXT: 1}),
        ({"$schema": DRAFT_2020, "pattern": SLOW_PATTERN, "allOf": [{"$ref": "#"}]}, SLOW_TEXT),
        ({"unevaluatedProperties": False, "patternProperties": {SLOW_PATTERN: {}}}, {SLOW_TEXT: 1}),
        (
            {"$schema": DRAFT_2019, "unevaluatedProperties": False, "patternProperties": {SLOW_PATTERN: {}}},
            {SLOW_TEXT: 1},
        ),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_a_careless_pattern_and_a_hostile_text_do_not_hold_a_grading_up(
    schema: dict[str, Any], value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pattern's own limit ended it: the alarm here is an exception like any other to who catches them all."""
    monkeypatch.setattr(values, "MOST_STEPS", 10_000)
    with within(60):
        (found,) = violations(value, schema)
    assert "needs more than 10000 steps" in found


def test_many_items_are_told_apart_at_once() -> None:
    with within(60):
        assert violations([{"a": n} for n in range(200_000)], {"uniqueItems": True}) == []


class Compared(str):
    """A key that counts how often it is compared."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("part", [{"patternProperties": {"^n": {}}}, {"additionalProperties": {}}])
def test_keys_that_something_has_looked_at_are_not_compared_with_each_other(part: dict[str, Any]) -> None:
    """The cost would grow with the square of their number, and that is the agent's."""
    value = {Compared(f"n{n}"): n for n in range(1000)}
    Compared.times = 0
    assert violations(value, {"allOf": [part], "unevaluatedProperties": False}) == []
    assert Compared.times < 10 * len(value)


TREES: list[dict[str, Any]] = [
    {"additionalProperties": {"$ref": "#"}, "items": {"$ref": "#"}, "not": {"const": "never"}},
    {"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"items": {"$ref": "#"}}]},
    {"properties": {"a": {"$dynamicRef": "#x"}}, "items": {"$dynamicRef": "#x"}, "$dynamicAnchor": "x"},
]
TOO_DEEP = ["the output can't be checked against its schema: the output is nested deeper than 20 levels"]


@pytest.mark.parametrize("schema", TREES, ids=lambda value: json.dumps(value)[:50])
@pytest.mark.parametrize("levels", [*range(20, 200, 7), 300, 600, 900])
def test_a_value_of_any_depth_is_held_against_a_schema_or_said_to_be_too_deep(
    schema: dict[str, Any], levels: int
) -> None:
    """The agent chooses the depth. At the end of Python's stack, a library of the validator ends the program."""
    for opening, closing in (('{"a":', "}"), ("[", "]")):
        found = violations(json.loads(opening * levels + "1" + closing * levels), schema)
        assert found == ([] if levels < 40 else TOO_DEEP if levels > 170 else found and TOO_DEEP)


def test_what_takes_too_long_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 2)
    said = ["the output can't be checked against its schema: that takes more than 2 steps"]
    assert violations([1], {"items": {"type": "integer"}}) == []
    assert violations([1, 2], {"items": {"type": "integer"}}) == said


def test_a_schema_that_takes_too_long_for_plain_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part of it doubles the work of the one before."""
    monkeypatch.setattr(module, "MOST_STEPS_OF_PLAIN", 10_000)
    parts: dict[str, Any] = {str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(14)}
    said = schema_complaint({"$ref": "#/$defs/0", "$defs": parts | {"14": {"type": "null"}}})
    assert said == "it takes more than 10000 steps to check a plain value"


# --- Whose fault it is ---


def raising(error: BaseException) -> Callable[..., Any]:
    def keyword(*_args: object) -> Any:
        raise error

    return keyword


@pytest.mark.parametrize(
    "error",
    [TypeError("a mistake"), RecursionError("too deep"), re.error("no pattern"), KeyError("a"), MemoryError()],
    ids=repr,
)
def test_a_library_that_fails_breaks_the_measurement(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Nobody knows whether the output has the right shape, so nothing is held against the agent."""
    monkeypatch.setitem(Draft202012Validator.VALIDATORS, "type", raising(error))
    with pytest.raises(MeasurementError, match="the schema can't be applied to the output: ") as raised:
        violations({"a": 1}, {"type": "object"})
    assert repr(error) in str(raised.value)
    assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#"}, {}),
        ({"properties": {"a": {"$ref": "#/$defs/missing"}}}, {"a": 1}),
        ({"pattern": "("}, "a"),
        ({"multipleOf": float("nan")}, 1),
        ({"multipleOf": 0}, 1),
        ({"minimum": 16**5000}, 1),
        ({"properties": {"a": {"$ref": "http://[an address"}}}, {"a": 1}),
        # Only a text is caught in it, and only below "a": that is not seen when the schema is loaded.
        ({"properties": {"a": {"if": {"type": "string"}, "then": {"$ref": "#/properties/a"}}}}, {"a": ""}),
    ],
)
def test_a_schema_that_can_not_be_used_breaks_the_measurement(schema: dict[str, Any], value: object) -> None:
    with pytest.raises(MeasurementError, match="the schema can't be applied to the output: "):
        violations(value, schema)


def nested(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


NOT_CHECKED = "the output can't be checked against its schema: the output "


@pytest.mark.parametrize(
    ("schema", "value", "why"),
    [
        ({"uniqueItems": True}, nested(3000), "is nested deeper than 20 levels"),
        ({"const": [json.loads("[" * 90 + "]" * 90)]}, [json.loads("[" * 900 + "]" * 900)], None),
        pytest.param({"maximum": 1}, 16**5000, "has a number of more than 4300 digits", id="digits"),
        ({"patternProperties": {"a": {}}}, {1: "a"}, "has a key that isn't a text"),
        ({"additionalProperties": {"type": "null"}}, {1.5: "a"}, "has a key that isn't a text"),
        ({"uniqueItems": True}, [{1, 2}], "has a value that JSON doesn't know"),
    ],
)
def test_a_value_that_can_not_be_checked_is_the_agents(
    schema: dict[str, Any], value: object, why: str | None
) -> None:
    """Whoever could void a grading with such a value would."""
    (found,) = violations(value, schema)
    assert why is None or found == NOT_CHECKED + why


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), 10**400, pytest.param(16**5000, id="digits")]
)
def test_numbers_that_no_json_has_are_checked_as_far_as_they_can_be(value: float) -> None:
    assert violations(value, {"type": "number"}) == []
    assert len(violations(value, {"multipleOf": 0.3})) == 1


HUGE = st.just(5000).map(lambda digits: 16**digits)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | HUGE,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers() | st.none() | st.floats(), inner),
    max_leaves=20,
)
SCHEMAS: list[dict[str, Any]] = [
    *TREES,
    {"uniqueItems": True, "multipleOf": 0.01, "pattern": "^a", "minimum": 3, "enum": [1, "a", [], {}]},
    {"patternProperties": {"a": {"type": "string"}}, "additionalProperties": {"uniqueItems": True}},
    {"unevaluatedProperties": False, "unevaluatedItems": False, "anyOf": [ROW, NAME]},
    {"propertyNames": {"maxLength": 2}, "items": {"required": ["a"]}, "contains": {"const": None}},
    {"$schema": DRAFT_03, "extends": {"properties": {"a": {"type": "any", "divisibleBy": 2}}}},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda value: json.dumps(value)[:50])
@given(value=VALUES)
def test_no_value_breaks_the_measurement(schema: dict[str, Any], value: object) -> None:
    """The values are those that JSON, YAML and TOML can write."""
    violations(value, schema)
