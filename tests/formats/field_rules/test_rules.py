"""Field rules: operators, match modes, tolerances; null, absent and empty are three things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.field_rules import values
from assay.formats.field_rules.rule import MATCHES, OPERATORS, FieldRule, actual, results
from assay.formats.field_rules.values import Plain, expanded_size, same


def found(*values: Plain) -> list[Plain]:
    return list(values)


@pytest.mark.statement("criteria.operators")
@pytest.mark.parametrize(
    ("operator", "expected", "value", "holds"),
    [
        ("equals", "a", "a", True),
        ("equals", "a", "A", False),
        ("equals", 1, 1.0, True),
        ("equals", 1, True, False),
        ("equals", 1, "1", False),
        ("equals", None, None, True),
        ("equals", None, "", False),
        ("equals", {"a": [1]}, {"a": [1.0]}, True),
        ("notEquals", "a", "b", True),
        ("notEquals", "a", "a", False),
        ("in", ["a", "b"], "b", True),
        ("in", ["a", "b"], "c", False),
        ("notIn", ["a", "b"], "c", True),
        ("contains", "ell", "hello", True),
        ("contains", 2, [1, 2], True),
        ("contains", True, [1], False),
        ("contains", {"a": 1}, {"a": 1, "b": 2}, True),
        ("notContains", "x", "hello", True),
        ("matches", "^h.*o$", "hello", True),
        ("matches", "^x", "hello", False),
        ("greaterThan", 2, "3", True),
        ("greaterThan", 2, 2, False),
        ("greaterOrEqual", 2, 2, True),
        ("lessThan", "2024-01-02", "2024-01-01T23:59:59Z", True),
        ("lessThan", "20240102", "20240101", True),
        ("lessOrEqual", 0.3, 0.1 + 0.2, False),
        ("greaterThan", 2, "many", False),
        ("greaterThan", "20240306", "202403051030", False),
        ("lessThan", "20240306", "202403051030", True),
        ("greaterThan", "20240304", "20240305103000", True),
        ("between", ["20240301", "20240331"], "202403051030", True),
        ("between", ["20240301", "20240331"], "202404051030", False),
        ("greaterThan", "20240306", "20240307", True),
        ("greaterThan", "99999999", "202403051030", True),
        ("greaterThan", 2, None, False),
        ("greaterThan", 0, True, False),
        ("between", [1, 5], 5, True),
        ("between", [1, 5], 5.01, False),
        ("between", ["2024-01-01", "2024-12-31"], "2024-06-01", True),
        ("between", ["2024-01-01", "2024-12-31"], "2024-12-31T23:59:59Z", True),
        ("between", ["20240101", "20241231"], "202412312359", True),
        ("between", ["2024-01-01", "2024-12-31"], "2024", False),
        ("lessOrEqual", "2024-12-31", "2024-12-31T10:00:00Z", True),
        ("lessOrEqual", "2024-12-31", "2024", False),
        ("greaterThan", "2024-12-31", "2024-12-31T10:00:00Z", False),
        ("greaterThan", "2024-12-31", "2025-01-01", True),
        ("lessThan", "2024-12-31", "2024-12-31T10:00:00Z", False),
        ("startsWith", "he", "hello", True),
        ("endsWith", "lo", "hello", True),
        ("approx", 100, 104, False),
        ("empty", None, "", True),
        ("empty", None, None, True),
        ("empty", None, "x", False),
        ("notEmpty", None, [0], True),
        ("exists", None, None, True),
        ("count", 1, "x", True),
        ("count", {"min": 2}, "x", False),
    ],
)
def test_one_value(operator: str, expected: Plain, value: Plain, holds: bool) -> None:
    assert FieldRule("p", expected, operator).holds(found(value)) is holds


@pytest.mark.parametrize(
    ("operator", "expected", "tolerance", "value", "holds"),
    [
        ("approx", 100, 5, 104.9, True),
        ("approx", 100, 5, 105.1, False),
        ("approx", 100, "5%", "95", True),
        ("approx", 0.3, None, 0.1 + 0.2, True),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-03T12:00:00Z", True),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-05", False),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-03", True),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-03T23:59:59Z", True),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-04", False),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-04T00:00:00Z", False),
        ("dateWithin", "2024-01-02", "1 day", "2024-01-01", True),
        ("dateWithin", "2024-01-02", "1 day", "2023-12-31T23:59:59Z", False),
        ("dateWithin", "2025-07-14", "1 day", "2025", False),
        ("dateWithin", "2025-07-14", "60 days", "2025-07", False),
        ("dateWithin", "2025-07", "0 s", "2025-07-31", True),
        ("dateWithin", "2025-07-14T10:00:00Z", "1 day", "2025-07-14", False),
        ("dateWithin", "2025-07-14T10:00:00Z", "5 min", "202507141003", True),
        ("dateWithin", "2025-07-14T10:00:00Z", "5 min", "2025071410", False),
        ("dateWithin", "2025-07-14T10:00:00Z", "0 s", "202507141000", False),
        ("dateWithin", "2024-01-02T10:00:00+02:00", 60, "20240102080030", True),
        ("dateWithin", "2024-01-02", "2 h", "yesterday", False),
    ],
)
def test_tolerances(
    operator: str, expected: Plain, tolerance: float | str | None, value: Plain, holds: bool
) -> None:
    assert FieldRule("p", expected, operator, tolerance=tolerance).holds(found(value)) is holds


@pytest.mark.statement("criteria.operators")
@pytest.mark.parametrize(
    ("match", "values", "holds"),
    [
        (None, ("a", "b"), True),
        ("any", ("b", "a"), True),
        ("all", ("a", "b"), False),
        ("all", ("a", "a"), True),
        ("none", ("b",), True),
        ("none", (), True),
        ("only", ("a",), True),
        ("only", ("a", "a"), False),
        ("first", ("a", "b"), True),
        ("first", ("b", "a"), False),
        ("any", (), False),
        ("all", (), False),
    ],
)
def test_several_values(match: str | None, values: tuple[Plain, ...], holds: bool) -> None:
    assert FieldRule("p", "a", match=match).holds(found(*values)) is holds


def test_what_must_not_be_must_not_be_anywhere() -> None:
    rule = FieldRule("p", "a", "notEquals")
    assert not rule.holds(found("b", "a"))
    assert rule.holds(found("b", "c"))
    assert rule.holds([])


@pytest.mark.parametrize(
    ("match", "holds"),
    [(None, True), ("all", True), ("none", True), ("any", False), ("first", False), ("only", False)],
)
def test_a_value_that_differs_must_be_there_if_one_is_asked_for(match: str | None, holds: bool) -> None:
    assert FieldRule("p", "a", "notEquals", match).holds([]) is holds


def test_null_absent_and_empty_are_three_things() -> None:
    exists, empty, null = FieldRule("p", operator="exists"), FieldRule("p", operator="empty"), FieldRule("p", None)
    assert [exists.holds(one) for one in ([], found(None), found(""))] == [False, True, True]
    assert [empty.holds(one) for one in ([], found(None), found(""))] == [True, True, True]
    assert [null.holds(one) for one in ([], found(None), found(""))] == [False, True, False]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"operator": "equal"}, "operator must be one of .*, got 'equal'"),
        ({"match": "some"}, "match must be one of .*, got 'some'"),
        ({"operator": "in", "expected": "a"}, "in needs a list"),
        ({"operator": "between", "expected": [1]}, "between needs a list of two"),
        ({"operator": "between", "expected": ["a", "b"]}, "between needs two numbers or two dates"),
        ({"operator": "greaterThan", "expected": "tall"}, "greaterThan needs a number or a date"),
        ({"operator": "matches", "expected": "("}, "is not a regular expression"),
        ({"operator": "matches", "expected": 5}, "matches needs a regular expression"),
        (
            {"operator": "matches", "expected": "(((a{1000}){1000}){1000})"},
            "at most 10000 characters, and 100000 parts",
        ),
        ({"operator": "matches", "expected": "a{999999999}"}, "100000 parts"),
        ({"operator": "matches", "expected": "a" * 10_001}, "at most 10000 characters"),
        ({"operator": "matches", "expected": "(" * 3000 + ")" * 3000}, "is not a regular expression"),
        ({"operator": "count", "expected": -1}, "count needs a whole number"),
        ({"operator": "count", "expected": {"least": 1}}, "count needs a whole number"),
        ({"operator": "approx", "expected": "x"}, "approx needs a number"),
        ({"operator": "approx", "expected": 1, "tolerance": -1}, "the tolerance of approx"),
        ({"operator": "dateWithin", "expected": "2024-13-01", "tolerance": "1 d"}, "dateWithin needs a date"),
        ({"operator": "dateWithin", "expected": "2024-01-01"}, "dateWithin needs a tolerance"),
        ({"operator": "dateWithin", "expected": "2024-01-01", "tolerance": -1}, "dateWithin needs a tolerance"),
        (
            {"operator": "dateWithin", "expected": "2024-01-01", "tolerance": "2 moons"},
            "dateWithin needs a tolerance",
        ),
        (
            {"operator": "dateWithin", "expected": "2024-01-01", "tolerance": "9999999999 weeks"},
            "dateWithin needs",
        ),
        ({"operator": "dateWithin", "expected": "2024-01-01", "tolerance": 1e300}, "dateWithin needs a tolerance"),
        ({"operator": "approx", "expected": 1, "tolerance": "a lot"}, "the tolerance of approx"),
        ({"operator": "approx", "expected": "1e999999", "tolerance": "1e999999%"}, "the tolerance of approx"),
        ({"operator": "count", "expected": {"max": True}}, "count needs a whole number"),
        ({"operator": "count", "expected": {"min": 1.5}}, "count needs a whole number"),
        ({"operator": "count", "expected": {"max": 2.5}}, "count needs a whole number"),
        ({"weight": -1}, "weight must be a number from 0"),
        ({"weight": 1e101}, "weight must be a number from 0"),
    ],
)
def test_a_rule_that_can_not_be(rule: dict[str, Plain], says: str) -> None:
    with pytest.raises(ValueError, match=says.replace("(", r"\(")):
        FieldRule("p", **rule)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("", 0),
        ("abc", 3),
        (r"\d{4}-\d{2}", 7),
        ("(ab){3}", 6),
        ("((ab){3}c){10}", 70),
        ("[a-z(){5}]{2}", 2),
        (r"\(a{2}\)", 4),
        ("a{2,5}", 5),
        ("(a+)+", 4),
        ("(a{1,}){2,}", 6),
        ("(" * 20 + "a" + ")+" * 20, 2**20),
        ("a{0}", 1),
        ("a{,3}", 3),
        ("a{x}", 4),
        ("))((", 2),
    ],
)
def test_how_large_a_pattern_becomes(pattern: str, size: int) -> None:
    assert expanded_size(pattern) == size


@pytest.mark.parametrize("pattern", [r"\Kb", "(" * 41 + ")" * 41, "(" * 400 + ")" * 400])
def test_a_pattern_that_can_not_be_searched_for_is_refused_before_any_value(pattern: str) -> None:
    with pytest.raises(
        ValueError, match=r"patterns here can't have|at most 40 groups|is not a regular expression"
    ):
        FieldRule("p", pattern, "matches", ignore_case=True)


def test_a_pattern_may_be_nested() -> None:
    assert FieldRule("p", "(" * 38 + "(A+)+" + ")*" * 38, "matches", ignore_case=True).holds(found("ba"))


GOES_BACK = r"^(x|xx)+\1y$"


def test_a_pattern_that_explodes_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A linear engine knows no such pattern; what only trying can tell has a number of steps."""
    assert not FieldRule("p", "(x+x+)+y", "matches").holds(found("x" * 5000))
    monkeypatch.setattr(values, "MOST_STEPS", 10_000)
    with pytest.raises(values.SlowPatternError, match="needs more than 10000 steps for a value"):
        FieldRule("p", GOES_BACK, "matches").holds(found("x" * 5000))


@pytest.mark.parametrize(("pattern", "text"), [("x", "x" * 400), (GOES_BACK, "xxx")])
def test_a_pattern_has_one_limit_for_all_values(monkeypatch: pytest.MonkeyPatch, pattern: str, text: str) -> None:
    """Many values that each stay below the limit would hold a grading up as well."""
    compiled = values.compile_pattern(pattern)
    _, left = compiled.occurs(text, 1000)
    monkeypatch.setattr(values, "MOST_STEPS_OF_ALL", 3 * (1000 - left))
    assert len(values.search_each(compiled, [text] * 3)) == 3
    with pytest.raises(values.SlowPatternError, match=r"or \d+ for all"):
        values.search_each(compiled, [text] * 4)


@pytest.mark.parametrize("value", ["1e999999999", "-1e999999999", "1e-999999999", "9" * 100_000, "nan", "inf"])
@pytest.mark.parametrize(("operator", "expected"), [("approx", 5), ("greaterThan", 5), ("between", [1, 2])])
def test_numbers_of_any_size_are_only_values(value: str, operator: str, expected: Plain) -> None:
    above = value.startswith(("1e9", "99"))
    assert FieldRule("p", expected, operator).holds([value]) is (above and operator == "greaterThan")


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("5", True),
        (" +5.0 ", True),
        (".5", True),
        ("5.", True),
        ("-5e-3", True),
        ("005", True),
        ("1_000", False),
        ("1,000", False),
        ("\u0663", False),
        ("0x10", False),
        ("nan", False),
        ("1e99999999999999999999", False),
        ("5 mg", False),
        ("", False),
    ],
)
def test_a_text_that_is_nothing_but_a_number_is_one(text: str, is_number: bool) -> None:
    assert FieldRule("p", -1000, "greaterThan").holds([text]) is is_number


def test_what_is_shown() -> None:
    assert (actual([]), actual(found(1)), actual(found(1, None))) == (None, 1, [1, None])


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(plain, plain)
def test_equality_goes_both_ways(left: Plain, right: Plain) -> None:
    assert same(left, left)
    assert same(left, right) == same(right, left)


@given(st.sampled_from(OPERATORS), st.sampled_from(MATCHES), plain, st.lists(plain, max_size=3))
def test_a_rule_that_was_accepted_answers_for_everything(
    operator: str, match: str, expected: Plain, values: list[Plain]
) -> None:
    try:
        rule = FieldRule("p", expected, operator, match, tolerance="1 day" if operator == "dateWithin" else None)
    except ValueError:
        return
    assert rule.holds(found(*values)) in (True, False)


@pytest.mark.parametrize(
    ("kind", "operator", "expected", "value", "holds"),
    [
        ("number", "equals", 120, "120.0", True),
        ("number", "equals", "1e2", "100", True),
        ("number", "equals", 120, "120 mmHg", False),
        ("number", "in", [1, 2], "2.00", True),
        ("number", "notEquals", 5, "5.0", False),
        ("number", "equals", "1e999999", "1e999999", True),
        ("date", "equals", "2025-07-14", "20250714", True),
        ("date", "equals", "2025-07-14", "202507141000", False),
        ("date", "equals", "2025-07-14T10:00:00Z", "20250714120000+0200", True),
        ("date", "equals", "2025071410", "2025071410", True),
        ("date", "equals", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00", True),
        ("date", "dateWithin", "2025-07-14", "20250714", True),
        ("date", "in", ["2025-07-14"], "20250714", True),
        ("text", "equals", "5", 5, True),
        ("text", "equals", "true", True, True),
    ],
)
def test_values_of_a_type(kind: str, operator: str, expected: Plain, value: Plain, holds: bool) -> None:
    tolerance = "1 day" if operator == "dateWithin" else None
    assert FieldRule("p", expected, operator, type=kind, tolerance=tolerance).holds([value]) is holds


@pytest.mark.parametrize(
    ("operator", "expected", "value"),
    [
        ("equals", "smith", "SMITH"),
        ("in", ["a", "Smith"], "sMITH"),
        ("contains", "MIT", "Smith"),
        ("startsWith", "sm", "SMITH"),
        ("endsWith", "TH", "smith"),
        ("matches", r"^S\S+h$", "sMITH"),
        ("equals", {"a": ["B"]}, {"a": ["b"]}),
        ("equals", "STRASSE", "stra\u00dfe"),
    ],
)
def test_without_regard_to_case(operator: str, expected: Plain, value: Plain) -> None:
    assert FieldRule("p", expected, operator, ignore_case=True).holds([value])
    assert not FieldRule("p", expected, operator).holds([value])


def test_rows_say_how_values_were_read() -> None:
    [row] = results((FieldRule("p", 5, type="number", ignore_case=True),), lambda _: ["5.0"])
    how = {"type": "number", "ignore_case": True}
    assert row == {"path": "p", "expected": 5, "actual": "5.0", "passed": True, **how}


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="type must be one of text, number, date, got 'money'"):
        FieldRule("p", 5, type="money")
