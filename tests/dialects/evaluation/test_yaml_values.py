"""YAML as plain values: what common readers accept, and what would cost more than it says."""

from typing import Any

import pytest

from assay.dialects.evaluation.output import EXPANDED, load_yaml
from tests.builders import within


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("a: 1", {"a": 1}),
        ("a: 1\n---\n", {"a": 1}),
        ("---\na: 1\n...\n", {"a": 1}),
        ("a: 1\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("---\n---\nb: 2\n", [None, {"b": 2}]),
        ("a: &x [1, 2]\nb: *x\n", {"a": [1, 2], "b": [1, 2]}),
        ("base: &b {c: 1, d: 2}\ne:\n  <<: *b\n  d: 3\n", {"base": {"c": 1, "d": 2}, "e": {"c": 1, "d": 3}}),
        ("a: &x 1\n---\na: &x 2\nb: *x\n", [{"a": 1}, {"a": 2, "b": 2}]),
        ("day: 2026-01-01\nat: 2026-01-01T10:00:00Z", {"day": "2026-01-01", "at": "2026-01-01T10:00:00Z"}),
        ("op: =", {"op": "="}),
        ("a: !Ref b\nc: !Join [d, !Ref e]\nf: !Map {g: 1}", {"a": "b", "c": ["d", "e"], "f": {"g": 1}}),
    ],
)
def test_what_a_text_says(text: str, value: Any) -> None:
    assert load_yaml(text) == value


def doubled(levels: int) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, levels)]
    return "\n".join(lines)


def merged(levels: int) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: 1}}" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (doubled(60), f"more than {EXPANDED} values"),
        (merged(60), f"more than {EXPANDED} values"),
        (f"a: &a [{', '.join(['1'] * 1000)}]\nb: [{', '.join(['*a'] * 200)}]", f"more than {EXPANDED} values"),
        ("&x [*x]", "the alias x is used inside the value that it names"),
        ("a: &x {b: *x}", "the alias x is used inside the value that it names"),
        ("a: 1\n---\na: &x 1\n---\nb: &x [*x]", "the alias x is used inside the value that it names"),
        ("a: *nobody", "undefined alias"),
        ("!!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("!<tag:yaml.org,2002:python/name:os.getcwd> x", "could not determine a constructor"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_refused(text: str, says: str) -> None:
    with within(60), pytest.raises(ValueError, match=says):
        load_yaml(text)


def test_what_aliases_may_stand_for() -> None:
    assert len(load_yaml(doubled(12))) == 12
