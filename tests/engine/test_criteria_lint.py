"""What an author learns about criteria before any run. Each case is one assertion and what is found in it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.criteria.lint import RULES, CriteriaFinding
from assay.engine.criteria.lint import lint as lint_all
from assay.engine.schema_errors import Place
from assay.formats.field_rules.rule import OPERATORS
from tests.builders import within


def lint(value: Any, lines: dict[Place, int], data: dict[str, Any]) -> list[CriteriaFinding]:
    """Without the finding that every assertion without since has."""
    return [one for one in lint_all(value, lines, data) if one.rule != "since"]


def found(*assertions: dict[str, Any], data: dict[str, Any] | None = None, **more: Any) -> list[CriteriaFinding]:
    entries = [{"label": f"c{number}", "assertion": one, **more} for number, one in enumerate(assertions)]
    return lint({"criteria": entries}, {}, data or {})


def short(*assertions: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    """The rule and the place within the assertion, without what is about the file."""
    prefix = "criteria[0].assertion"
    return [
        (one.rule, one.place.removeprefix(prefix).removeprefix("."))
        for one in found(*assertions, **more)
        if one.rule != "phrases-alone"
    ]


def portal(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"assert": "portal-state-match", "correlate_by": {"resource": "visit"}}
    return base | ({"assertions": list(rules)} if rules else {}) | more


def hl7(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"assert": "hl7-structural", "fields": list(rules), **more}


def x12(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"assert": "x12-response", "fields": list(rules), **more}


def voice(**more: Any) -> dict[str, Any]:
    return {"assert": "voice-transcript", **more}


def rule(operator: str = "equals", expected: Any = "x", path: str = "a", **more: Any) -> dict[str, Any]:
    return {"path": path, "operator": operator, "expected": expected, **more}


A = "assertions[0]"


@pytest.mark.parametrize(
    "assertion",
    [
        portal(rule()),
        portal(rule("between", [9, 17])),
        portal(rule("between", ["2026-03-01", "2026-03-01"])),
        portal(rule("count", {"min": 1, "max": 1}, path="$.a[*]")),
        portal({"path": "a", "operator": "exists"}, {"path": "a", "expected": "x"}),
        portal(rule("contains", "x"), rule("notContains", "y")),
        portal(rule("equals", "x"), rule("notEquals", "y")),
        portal(rule("equals", "x", "$.a"), rule("equals", "y", "$.a")),
        portal(rule("equals", "x", match="any"), rule("notEquals", "x", match="any")),
        portal(rule("approx", 5, tolerance=1), rule("equals", None, "b")),
        portal(cardinality={"min": 1}),
        hl7(rule(path="PID.5.1"), rule("equals", None, "PID.6"), segments={"OBX": {"min": 1}}),
        hl7(rule("greaterThan", 5, "OBX.5")),
        x12(rule(path="2110C/EB[01=B]07"), transaction_set="271"),
        x12(rule(path="2110C/EB[01=B,12=Y]07"), transaction_set="271"),
        hl7(rule(path="OBX[3.1=8480-6,11=F]-5")),
        x12(rule(path="ZZZ01")),
        voice(contains=["is booked"], not_contains=["is cancelled"]),
        voice(contains=[["is booked", "is confirmed"]], not_contains=["is booked"]),
        voice(contains=["is not booked"], not_contains=["is booked"]),
    ],
)
def test_nothing_is_said_about_what_is_right(assertion: dict[str, Any]) -> None:
    assert short(assertion) == []


@pytest.mark.parametrize(
    ("assertion", "findings"),
    [
        ({}, [("unsupported", "")]),
        ({"assert": "portal-state-mach"}, [("unsupported", "assert")]),
        (portal(rule(), colour="red"), [("unsupported", "colour")]),
        (portal(rule("like")), [("unsupported", f"{A}.operator")]),
        (
            portal(rule("like"), rule(), rule(match="most")),
            [("unsupported", f"{A}.operator"), ("unsupported", "assertions[2].match")],
        ),
        (portal(rule(path="a..b")), [("unsupported", f"{A}.path")]),
        (
            portal(rule(), rule(path="$.a["), rule(path="")),
            [("unsupported", "assertions[1].path"), ("unsupported", "assertions[2]")],
        ),
        (portal(rule("in", "x")), [("unsupported", f"{A}.expected")]),
        (portal(rule("matches", "(")), [("unsupported", f"{A}.expected")]),
        (portal(), [("unsupported", "")]),
        (hl7(rule(path="PID.x")), [("unsupported", "fields[0].path")]),
        (x12(rule(path="EB[01=B")), [("unsupported", "fields[0].path")]),
        (x12(rule(path="EB[01=B;12=Y]07")), [("unsupported", "fields[0].path")]),
        (hl7(rule(path="OBX[3.1=a,F]-5")), [("unsupported", "fields[0].path")]),
        (portal(rule(path="lines[0].id")), [("unsupported", f"{A}.path")]),
        (portal(rule("matches", "(?R)")), [("unsupported", f"{A}.expected")]),
        (voice(contains=["!"]), [("unsupported", "contains[0]")]),
        (voice(contains=["a"], fuzzy=2), [("unsupported", "")]),
        (portal(rule("exists", True)), [("no-effect", f"{A}.expected")]),
        (portal(rule("notEmpty", "x")), [("no-effect", f"{A}.expected")]),
        (portal(rule(tolerance=1)), [("no-effect", f"{A}.tolerance")]),
        (portal(rule("count", 1, match="all")), [("no-effect", f"{A}.match")]),
        (portal(rule(oprator="exists")), [("unsupported", f"{A}.oprator")]),
        (portal(rule("notIn", [])), [("no-effect", f"{A}.expected")]),
        (portal({"path": "a"}), [("no-expected", A)]),
        (portal(rule("between", [17, 9])), [("impossible", f"{A}.expected")]),
        (portal(rule("between", ["2026-03-02", "2026-03-01"])), [("impossible", f"{A}.expected")]),
        (portal(rule("count", {"min": 2, "max": 1})), [("impossible", f"{A}.expected")]),
        (portal(rule("in", [])), [("impossible", f"{A}.expected")]),
        (portal(rule("contains"), rule("notContains")), [("impossible", "assertions[1]")]),
        (portal(rule("equals"), rule("notEquals")), [("impossible", "assertions[1]")]),
        (portal(rule("equals", "x"), rule("equals", "y")), [("impossible", "assertions[1]")]),
        (
            portal({"path": "a", "operator": "exists"}, {"path": "a", "operator": "notExists"}),
            [("impossible", "assertions[1]")],
        ),
        (portal(rule(), cardinality={"min": 3, "max": 2}), [("unsupported", "cardinality")]),
        (portal(rule(), cardinality={"min": 0, "max": 0}), [("impossible", "cardinality")]),
        (hl7(segments={"OBX": 1}, cardinality={"min": 0, "max": 0}), [("impossible", "cardinality")]),
        (hl7(rule("equals", 12345, "PID.3.1")), [("impossible", "fields[0].expected")]),
        (hl7(rule("in", ["1", 2], "PID.3.1")), [("impossible", "fields[0].expected")]),
        (x12(rule("equals", None, "EB01")), [("impossible", "fields[0].expected")]),
        (hl7(rule(path="PID.5"), segments={"OBX": {"min": 2, "max": 1}}), [("impossible", "segments.OBX")]),
        (x12(rule(path="2110C/ZZZ01"), transaction_set="271"), [("impossible", "fields[0].path")]),
        (voice(contains=["your visit is booked"], not_contains=["is booked"]), [("impossible", "contains[0]")]),
        (voice(contains=[["a", "b"]], not_contains=[["a", "b"]]), [("impossible", "contains[0]")]),
        (portal(rule(weight=0)), [("weight", "assertions")]),
        (portal(rule("equals", "{{nothing}}")), [("variable", f"{A}.expected")]),
        (portal(rule("equals", "a {{no name}}")), [("variable", f"{A}.expected")]),
        (
            hl7(rule(path="PID.5"), correlate_by={"PID[3={{nothing}}]-1": "1"}),
            [("variable", "correlate_by.PID[3={{nothing}}]-1")],
        ),
        (portal(rule(), cardinality={"mn": 1}), [("unsupported", "cardinality.mn")]),
        (hl7(rule(path="PID.5"), segments={"OBX": []}), [("unsupported", "segments.OBX")]),
        (portal(rule(), cardinality=5), [("unsupported", "cardinality")]),
        (hl7(segments={"pid": 1}), [("unsupported", "segments.pid")]),
        (hl7(segments={"PID-3": 1}), [("unsupported", "segments.PID-3")]),
        (hl7(segments={"PID": "1"}), [("unsupported", "segments.PID")]),
        (hl7(rule(path="PID.5"), message_type="ADT_A04"), [("unsupported", "message_type")]),
        (hl7(rule(path="PID.5"), correlate_by={"PID-3": 12345}), [("unsupported", "correlate_by.PID-3")]),
        (x12(rule(path="EB01"), transaction_set=271), [("unsupported", "transaction_set")]),
    ],
)
def test_what_is_found(assertion: dict[str, Any], findings: list[tuple[str, str]]) -> None:
    assert short(assertion) == findings


@pytest.mark.parametrize(
    ("assertion", "says"),
    [
        ({"assert": "x"}, "assert must be one of"),
        (portal(rule("like")), "must be one of equals,"),
        (portal(rule("dateWithin", "2026-03-01")), "needs a tolerance such as '2 days'"),
        (portal(rule("equals", "{{nothing}}")), "the data has no 'nothing'"),
        (hl7(rule("equals", 5, "PID.3")), "put it in quotes"),
        (hl7(rule("equals", '""', "PID.3")), "a message writes an explicit null as two quotes"),
        (x12(rule(path="2110C/ZZZ01"), transaction_set="271"), "271 has no segment ZZZ"),
    ],
)
def test_a_finding_says_what_would_be_right(assertion: dict[str, Any], says: str) -> None:
    (finding,) = found(assertion)
    assert says in finding.why


FHIR = {"assert": "fhir-resource-state", "resource_type": "Patient"}


@pytest.mark.parametrize(
    ("assertion", "passes"),
    [
        ({**FHIR, "search": {"name": "x"}, "exists": False}, True),
        ({**FHIR, "search": {"name": "x"}, "exists": False, "wait_s": 600}, True),
        ({**FHIR, "search": {"name": "x"}, "exists": True, "wait_s": 600}, False),
        ({**FHIR, "id": "p", "fields": [{"path": "birthDate", "operator": "notExists"}]}, False),
        (portal({"path": "a", "operator": "notExists"}), False),
        (voice(not_contains=["cancelled"]), False),
    ],
)
def test_what_an_idle_agent_would_get(assertion: dict[str, Any], passes: bool) -> None:
    with within(60):
        assert short(assertion) == ([("empty-sandbox", "")] if passes else [])


def test_an_element_that_fhir_does_not_have() -> None:
    fields = [{"path": "birthDate", "operator": "exists"}, {"path": "birthdate", "expected": "2000-01-01"}]
    assert short({**FHIR, "id": "p", "fields": fields}) == [("unsupported", "fields[1].path")]


def test_labels_and_weights_of_the_whole_file() -> None:
    entries = [{"label": "same", "assertion": portal(rule()), "weight": 0} for _ in range(2)]
    assert [(one.rule, one.place) for one in lint({"criteria": entries}, {}, {})] == [
        ("weight", "criteria"),
        ("duplicate-label", "criteria[1].label"),
    ]
    assert [one.rule for one in lint({"criteria": []}, {}, {})] == ["weight"]


def test_one_bad_entry_is_named_and_the_others_are_still_looked_at() -> None:
    entries = [{"label": "", "assertion": {}, "weight": "2"}, {"label": "b", "assertion": portal(rule("like"))}]
    assert [(one.rule, one.place) for one in lint({"criteria": entries}, {}, {})] == [
        ("invalid", "criteria[0].label"),
        ("invalid", "criteria[0].weight"),
        ("unsupported", "criteria[1].assertion.assertions[0].operator"),
    ]


@pytest.mark.parametrize(
    "value", [None, 5, "x", {}, {"criteria": {}}, {"criteria": [5]}, {"criteria": [], "x": 1}]
)
def test_what_is_no_file_of_criteria(value: Any) -> None:
    assert "invalid" in [one.rule for one in lint(value, {}, {})]


def test_data_comes_from_the_file_and_from_beside_it() -> None:
    entry = {"label": "a", "assertion": portal(rule("equals", "{{a.b}} {{c}}"))}
    whole = {"criteria": [entry], "data": {"a": {"b": 1}}}
    assert [one.why for one in lint(whole, {}, {})] == ["the data has no 'c'"]
    assert lint(whole, {}, {"c": 2}) == []


def test_findings_come_by_line() -> None:
    lines: dict[Place, int] = {("criteria", 0, "assertion"): 9, ("criteria", 1, "assertion"): 3}
    entries = [{"label": name, "assertion": {}} for name in "ab"]
    assert [one.line for one in lint({"criteria": entries}, lines, {})] == [3, 9]


def test_every_rule_is_described() -> None:
    assert all(RULES.values())
    assert {one.rule for one in found({}, {"assert": "x"})} <= RULES.keys()


WORDS = """
    assert fields assertions path expected operator match weight search segments since contains not_contains
    cardinality min max transaction_set resource_type correlate_by resource PID.3 EB01 271 a run_start {{a}}
    portal-state-match hl7-structural x12-response voice-transcript between count exists in
"""
words = st.sampled_from(["", "is booked", *WORDS.split()])
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)
rules = st.lists(
    st.fixed_dictionaries(
        {"path": st.sampled_from(["a", "PID.3", "EB01", "2110C/EB01"])},
        optional={
            "expected": plain,
            "operator": words | st.sampled_from(OPERATORS),
            "match": words,
            "weight": plain,
        },
    ),
    max_size=3,
)
assertions = st.fixed_dictionaries(
    {"assert": st.sampled_from(["portal-state-match", "hl7-structural", "x12-response", "voice-transcript"])},
    optional={
        **dict.fromkeys(("fields", "assertions"), rules),
        "correlate_by": st.just({"resource": "r"}) | plain,
        **dict.fromkeys(("segments", "cardinality"), st.dictionaries(words, plain, max_size=2)),
        **dict.fromkeys(("contains", "not_contains"), st.lists(words | st.lists(words, max_size=2), max_size=2)),
        "transaction_set": words,
    },
)


@given(plain | assertions)
def test_nothing_that_anybody_writes_breaks_it(assertion: Any) -> None:
    assert all(one.rule in RULES for one in lint({"criteria": [{"label": "a", "assertion": assertion}]}, {}, {}))
    assert all(one.rule in RULES for one in lint(assertion, {}, {}))


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        (hl7(rule(path="PID-3"), message_type="A08"), [("impossible", "message_type")]),
        (hl7(rule(path="PID-3"), message_type="ADT^A08"), []),
        (hl7(rule(path=" PID-3")), [("blank", "fields[0].path")]),
        (portal(rule(path="status ")), [("blank", "assertions[0].path"), ("unsupported", "assertions[0].path")]),
        (hl7(rule(path="PID-3"), correlate_by={" PID-3": "1"}), [("blank", "correlate_by. PID-3")]),
        ({"assert": "sftp-file-present", "pattern": " *.csv"}, [("blank", "pattern")]),
        (portal(rule("matches", "^{{v}}$")), [("pattern", "assertions[0].expected")]),
        (portal(rule("matches", "^{{v}}")), [("pattern", "assertions[0].expected")]),
        (portal(rule("matches", "{{v}}")), []),
        (portal(rule("matches", "^id-{{v}}$")), []),
    ],
)
def test_what_may_not_mean_what_its_author_thinks(
    assertion: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert short(assertion, data={"v": "x"}) == expected


@pytest.mark.parametrize(
    ("assertion", "said"),
    [
        (portal(rule()), True),
        (portal(rule(), since="run_start"), False),
        (voice(contains=["a"]), True),
        (portal(cardinality={"max": 0}), False),
        ({"assert": "x"}, False),
        ({"assert": "fhir-resource-state", "resource_type": "Flag", "search": {}, "exists": False}, False),
    ],
)
def test_what_was_there_before_the_run(assertion: dict[str, Any], said: bool) -> None:
    findings = lint_all({"criteria": [{"label": "a", "assertion": assertion}]}, {}, {})
    assert [one.place for one in findings if one.rule == "since"] == ["criteria[0].assertion"] * said


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ([{"path": "PID.x", "expected": "a"}], 5),
        ([{"path": "PID-3", "expected": "tall", "operator": "greaterThan"}], 6),
        ([{"path": "PID-3", "expected": "a"}, {"path": "PID.x", "expected": "b"}], 8),
    ],
)
def test_a_finding_has_the_line_of_its_field(fields: list[dict[str, Any]], line: int) -> None:
    """Also where there is only one field, and where the field has several lines."""
    at = ("criteria", 0, "assertion")
    lines: dict[Place, int] = {at: 2}
    for number in range(len(fields)):
        first = 5 + 3 * number
        lines |= {(*at, "fields", number): first, (*at, "fields", number, "path"): first}
        lines |= {(*at, "fields", number, "expected"): first + 1, (*at, "fields", number, "operator"): first + 2}
    [finding] = lint({"criteria": [{"label": "a", "assertion": hl7(*fields)}]}, lines, {})
    assert finding.line == line


def test_a_call_that_phrases_alone_judge() -> None:
    said = {"assert": "voice-transcript", "since": "run_start", "contains": ["is booked"]}
    judged = {**said, "contains": ["goodbye", {"phrase": "is booked", "judge": True}]}
    forbidding = {"assert": "voice-transcript", "since": "run_start", "not_contains": ["is cancelled"]}
    state = portal({"path": "status", "expected": "booked"}, since="run_start")
    alone = ("phrases-alone", "criteria[0].assertion")
    assert [(one.rule, one.place) for one in found(said)] == [alone]
    assert alone in [(one.rule, one.place) for one in found(said, forbidding)]
    assert found(said, state) == []
    assert found(judged) == []
