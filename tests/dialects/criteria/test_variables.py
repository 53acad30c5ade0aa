"""Values of a task's data in assertions: where they may stand, and that none can change what is asked."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.outcome import Scored
from assay.dialects.criteria.variables import fill_variables, texts_in
from assay.engine.criteria.complete_run import check_of
from assay.evidence.playground import Escape
from tests.checks.criteria.fake_state import FakeState, hl7, row, x12


def in_brackets(_: str) -> Escape:
    return lambda text: f"<{text}>"


ODD = [
    "O'Brien",
    'say "hi"',
    "a]b",
    "a|b",
    "a^b",
    "a\\b",
    "a.b",
    "$",
    "'] || @.id != ['",
    "*",
    "{{other}}",
    "zwei Wörter",
    "😀",
    "true",
    "-1",
]
ISA = "ISA\x1f00\x1f          \x1f00\x1f          \x1fZZ\x1fS              \x1fZZ\x1fR              "
ISA += "\x1f260301\x1f1200\x1f\x1d\x1f00501\x1f000000001\x1f0\x1fP\x1f\x1c\x1e"


def passes(assertion: dict[str, Any], state: FakeState, **data: Any) -> bool:
    answer = check_of(assertion, data).run(state)
    assert isinstance(answer, Scored)
    return answer.passed


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{{n}}", 5),
        ("{{ n }}", 5),
        ("n is {{n}}", "n is 5"),
        ("{{t}}{{t}}", "truetrue"),
        ("{{none}}", None),
        ("{{list}}", [1, 2]),
        ("{{list.1}}", 2),
        ("{{a.b-c}}", "x"),
        ("{{1}}", "{{1}}"),
        ("{{ }}", "{{ }}"),
        ("{{other}}", "{{n}}"),
        ({"expected": {"path": "{{quote}}"}}, {"expected": {"path": 'a"b'}}),
        ({"path": "[{{quote}}]"}, {"path": '[<a"b>]'}),
        ({"correlate_by": {"p[{{n}}]": "{{n}}"}}, {"correlate_by": {"p[<5>]": 5}}),
    ],
)
def test_what_a_variable_stands_for(value: Any, expected: Any) -> None:
    data = {"n": 5, "t": True, "none": None, "list": [1, 2], "a": {"b-c": "x"}, "other": "{{n}}", "quote": 'a"b'}
    assert fill_variables(value, data, {"path": in_brackets, "fhirpath": in_brackets}) == expected


@pytest.mark.parametrize(
    "value", ["{{nothing}}", "{{a.c}}", "{{list.2}}", "{{list.-1}}", "{{text.0}}", "x{{list}}"]
)
def test_what_the_data_does_not_have_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"the data has no|must be a single value"):
        fill_variables(value, {"a": {"b": 1}, "list": [1], "text": "abc"})


def test_texts_have_their_places_and_names_are_texts_as_well() -> None:
    assert list(texts_in({"a": ["b", {"c": "d"}], "n": 5})) == [
        (("a",), "a"),
        (("a", 0), "b"),
        (("a", 1, "c"), "c"),
        (("a", 1, "c"), "d"),
        (("n",), "n"),
    ]


@pytest.mark.parametrize("value", ODD)
def test_a_value_in_jsonpath_finds_that_value_and_nothing_else(value: str) -> None:
    rule = {"path": "$.items[?@.id == '{{v}}'].n", "expected": 1, "match": "only"}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": [rule]}
    items = [{"id": "x", "n": 0}, {"id": value, "n": 1}, {"id": value + "x", "n": 2}]
    assert passes(assertion, FakeState(rows=[row("r", "k", {"items": items})]), v=value)


@pytest.mark.parametrize("value", ODD)
def test_a_value_in_a_dotted_path_is_one_step_or_refused(value: str) -> None:
    rule = {"path": "a.{{v}}", "expected": 1}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": [rule]}
    state = FakeState(rows=[row("r", "k", {"a": {value: 1}})])
    if "." in value or value.startswith("$"):
        with pytest.raises(ValueError, match="not a single step of a dotted path; in JSONPath, any"):
            passes(assertion, state, v=value)
    elif "]" in value or value in ("*", "-1"):
        with pytest.raises(ValueError, match="a dotted path has names and numbers from 0"):
            passes(assertion, state, v=value)
    else:
        assert passes(assertion, state, v=value)


def test_a_value_can_not_make_a_dotted_path_a_jsonpath() -> None:
    assertion = {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "r"},
        "assertions": [{"path": "{{v}}"}],
    }
    with pytest.raises(ValueError, match="not a single step"):
        check_of(assertion, {"v": "$..*"})


@pytest.mark.parametrize("value", [one for one in ODD if "|" not in one and "^" not in one and "\\" not in one])
@pytest.mark.parametrize("path", ["PID[3.1={{v}}]-5", "PID-3[1={{v}}].2"])
def test_a_value_in_an_hl7_path(value: str, path: str) -> None:
    sent = f"MSH|^~\\&|A||||||ADT^A04|1|P|2.5\rPID|1||x^y~{value}^found||found\r"
    rule = {"path": path, "expected": "found"}
    assertion = {"assert": "hl7-structural", "fields": [rule], "correlate_by": {"PID-3[1={{v}}].2": "found"}}
    assert passes(assertion, FakeState(hl7=hl7(sent)), v=value)
    assert not passes(assertion, FakeState(hl7=hl7(sent)), v=value + "?")


@pytest.mark.parametrize("value", ODD)
def test_a_value_in_an_x12_path(value: str) -> None:
    parts = ["GS~HB~S~R~20260301~1200~1~X~005010X279A1", "ST~271~0001", f"REF~18~{value}", "SE~3~0001"]
    text = ISA + "\x1e".join([*parts, "GE~1~1", "IEA~1~000000001", ""]).replace("~", "\x1f")
    rule = {"path": "REF[02={{v}}]01", "expected": "18"}
    assertion = {"assert": "x12-response", "fields": [rule], "correlate_by": {"REF[02={{v}}]01": "18"}}
    assert passes(assertion, FakeState(x12=x12(text)), v=value)
    assert not passes(assertion, FakeState(x12=x12(text)), v=value + "?")


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_value_finds_another_in_jsonpath(value: str, other: str) -> None:
    rule = {"path": "$[?@.id == '{{v}}']", "operator": "count", "expected": 1 + (value == other)}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": [rule]}
    rows = [row("r", "k", {"a": {"id": value}, "b": {"id": other}})]
    assert passes(assertion, FakeState(rows=rows), v=value)


@pytest.mark.parametrize("value", [*ODD, "a.b*c", "(", "[a-z]", "^$", "x{2}"])
def test_a_value_in_a_pattern_stands_for_its_characters(value: str) -> None:
    rule = {"path": "a", "operator": "matches", "expected": "^id-{{v}}$"}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": [rule]}
    assert passes(assertion, FakeState(rows=[row("r", "k", {"a": f"id-{value}"})]), v=value)
    assert not passes(assertion, FakeState(rows=[row("r", "k", {"a": "id-aXbc"})]), v=value)


def test_a_variable_alone_is_the_pattern() -> None:
    rule = {"path": "a", "operator": "matches", "expected": "{{pattern}}"}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": [rule]}
    assert passes(assertion, FakeState(rows=[row("r", "k", {"a": "id-77"})]), pattern="^id-[0-9]+$")
