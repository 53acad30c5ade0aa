"""Schemas: the draft that they name, references that stay inside, and costs that an agent can't drive up."""

import json
import re
import urllib.request
from typing import Any

import pytest

from assay.dialects.evaluation import schema as module
from assay.dialects.evaluation.schema import schema_complaint, violations
from tests.builders import within

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


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
    ],
)
def test_a_mistake_of_the_author_is_found_in_the_schema_itself(schema: dict[str, Any], says: str | None) -> None:
    found = schema_complaint(schema)
    assert found is None if says is None else says in (found or "")


def test_nothing_is_ever_loaded_for_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[object] = []
    monkeypatch.setattr(urllib.request, "urlopen", loaded.append)
    schema = {"$ref": "http://127.0.0.1:9/a.json"}
    assert schema_complaint(schema) is not None
    assert len(violations({}, schema)) == 1
    assert loaded == []


@pytest.mark.parametrize(
    ("value", "fits"),
    [(["a", 1], True), ([1, 1], False), (["a", 1, 2], False)],
)
def test_a_schema_is_read_in_the_draft_that_it_names(value: object, fits: bool) -> None:
    schema = {"$schema": DRAFT_07, "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}
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
    ],
)
def test_what_a_value_violates(schema: dict[str, Any], value: object, errors: list[str]) -> None:
    found = violations(value, schema)
    assert [re.sub(r"\{'b': 2, 'a': (\[.*?\])\}", r"{'a': \1, 'b': 2}", one) for one in found] == errors


# --- Costs ---

# Slow for every engine that goes back, however clever it is about the rest.
SLOW_PATTERN = r"^(?:(?:a|b|ab)+,?)+$"
SLOW_TEXT = "ab" * 2000 + "!"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": SLOW_PATTERN}, SLOW_TEXT),
        ({"patternProperties": {SLOW_PATTERN: {}}}, {SLOW_TEXT: 1}),
        ({"additionalProperties": False, "patternProperties": {SLOW_PATTERN: {}}}, {SLOW_TEXT: 1}),
        ({"propertyNames": {"pattern": SLOW_PATTERN}}, {SLOW_TEXT: 1}),
        ({"$schema": DRAFT_2020, "pattern": SLOW_PATTERN, "allOf": [{"$ref": "#"}]}, SLOW_TEXT),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_a_careless_pattern_and_a_hostile_text_do_not_hold_a_grading_up(
    schema: dict[str, Any], value: object
) -> None:
    with within(20):
        assert len(violations(value, schema)) == 1


def test_many_items_are_told_apart_at_once() -> None:
    with within(60):
        assert violations([{"a": n} for n in range(200_000)], {"uniqueItems": True}) == []


def test_what_takes_too_long_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIMIT_SEC", -1.0)
    said = ["the output can't be held against its schema: that takes longer than -1 s"]
    assert violations(1, {"type": "integer"}) == said
