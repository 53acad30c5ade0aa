"""Paths into plain data: dotted and JSONPath, what is null and what is not there, and patterns that take long."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpath_rfc9535 import find as oracle

from assay.formats.field_rules import values
from assay.formats.json_paths import DeepDataError, check_path, find

DATA: dict[str, Any] = {"a": {"b": [1, None, {"c": "x.y"}], "0": "zero"}, "n": None, "e": "", "l": [], "": 5}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("a.b.0", [1]),
        ("a.b.1", [None]),
        ("a.b.3", []),
        (f"a.b.{'9' * 5000}", []),
        ("a.b.2.c", ["x.y"]),
        ("a.0", ["zero"]),
        ("n", [None]),
        ("n.x", []),
        ("e", [""]),
        ("e.0", []),
        ("l", [[]]),
        ("missing", []),
        ("$.n", [None]),
        ("$.missing", []),
        ("$.a.b[*]", [1, None, {"c": "x.y"}]),
        ("$.a.b[-1].c", ["x.y"]),
        ("$..c", ["x.y"]),
        ("$['']", [5]),
        ("$.a.b[?@.c]", [{"c": "x.y"}]),
        ("$.a.b[?@ == null]", [None]),
    ],
)
def test_what_is_found(path: str, values: list[Any]) -> None:
    check_path(path)
    assert find(path, DATA) == values


@pytest.mark.parametrize("path", ["", ".", "a..b", "a.", "$.", "$[", "$.a b", "$[?@.a = 1]", "$[?nope(@)]"])
def test_a_path_that_is_none(path: str) -> None:
    with pytest.raises(ValueError, match=r"has an empty part|is not JSONPath"):
        check_path(path)


@pytest.mark.parametrize(
    "path", ["a[0]", "a[*].b", "a.[0]", "a.*.b", "*", "a.-1", "a. b", "a.b ", " a", "a.b[?@.c]", "a.0]"]
)
def test_a_dotted_path_with_what_only_jsonpath_has(path: str) -> None:
    """It would find nothing, so that ``notExists`` would always hold."""
    with pytest.raises(ValueError, match=r"^a dotted path has names and numbers from 0, .*JSONPath"):
        check_path(path)


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", r"\\bword", "a{2,1}"])
@pytest.mark.parametrize("name", ["match", "search"])
def test_a_pattern_in_a_path_that_is_none(name: str, pattern: str) -> None:
    with pytest.raises(ValueError, match=rf"of {name}\(\) is not one of JSONPath"):
        check_path(f"$[?{name}(@.a, '{pattern}')]")


@pytest.mark.parametrize("path", ["$[?" + "(" * 500 + "@.a" + ")" * 500 + "]", "$[?" + "!" * 5000 + "@.a]"])
def test_a_path_that_is_nested_too_deeply(path: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        check_path(path)


@pytest.mark.parametrize(
    ("text", "pattern", "match", "search"),
    [
        ("abc", "a.c", True, True),
        ("xabcx", "a.c", False, True),
        ("a\nc", "a.c", False, False),
        ("a.c", "a[.]c", True, True),
        ("abc", "a[.]c", False, False),
        ("a.c", "a\\.c", True, True),
        ("abc", "a\\.c", False, False),
        ("a😀c", "a.c", True, True),
        ("É", "\\p{Lu}", True, True),
        ("abc", "(", False, False),
        ("abc", "a(?=b)", False, False),
        (5, "5", False, False),
        ("abc", 5, False, False),
    ],
)
def test_patterns(text: Any, pattern: Any, match: bool, search: bool) -> None:
    data = [{"t": text, "p": pattern}]
    assert [bool(find(f"$[?{name}(@.t, @.p)]", data)) for name in ("match", "search")] == [match, search]


@given(st.text("ab.\n[]()|*+?\\^-{1}", max_size=8), st.text("ab.\n", max_size=6))
def test_patterns_mean_what_the_library_means(pattern: str, text: str) -> None:
    data = [{"t": text, "p": pattern}]
    for name in ("match", "search"):
        path = f"$[?{name}(@.t, @.p)]"
        assert find(path, data) == oracle(path, data).values()


@pytest.mark.parametrize("name", ["match", "search"])
def test_a_pattern_that_explodes_ends(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert find(f"$[?{name}(@, '(a|aa)+c')]", ["a" * 200]) == []
    monkeypatch.setattr(values, "MOST_STEPS", 1)
    with pytest.raises(values.SlowPatternError, match="needs more than 1 steps"):
        find(f"$[?{name}(@, '(a|aa)+c')]", ["a" * 200])


def test_data_that_is_too_deep_is_said_to_be() -> None:
    data: Any = 1
    for _ in range(5000):
        data = [data]
    with pytest.raises(DeepDataError, match="nested too deeply"):
        find("$..x", data)
