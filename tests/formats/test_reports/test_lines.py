"""Reports in lines and in the JSON of rspec: which tests ran, and what counts as a failure beside them."""

import json

import pytest

from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.read import failure_reasons, read_report

P, F, S = Ended.PASSED, Ended.FAILED, Ended.SKIPPED


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        # tape names a group of assertions in a comment.
        (
            "TAP version 13\n# sums\nok 1 one and one\nnot ok 2 two and two\n  ---\n  ...\n\n1..2\n# tests 2\n",
            {"sums > one and one": P, "sums > two and two": F},
        ),
        ("ok 1 - a # SKIP later\nnot ok 2 - b # TODO\nok 3 - c\n1..3\n", {"a": S, "b": S, "c": P}),
        # A subtest of node or ava is indented, and has a plan of its own.
        ("# Subtest: a\n    ok 1 - b\n    1..1\nok 1 - a\n1..1\n", {"Subtest: a > b": P, "Subtest: a > a": P}),
        ("ok 1 - a\n1..2\n", {"a": P, "the plan": F}),
        ("ok 1 - a\n", {"a": P, "the plan": F}),
        ("ok 1 - a\nBail out! no room\n1..1\n", {"a": P, "the plan": F}),
    ],
)
def test_the_test_anything_protocol(text: str, tests: dict[str, Ended]) -> None:
    assert read_report("tap", text.encode()).tests == tests


def test_minitest_lists_every_test() -> None:
    text = (
        "# Running:\n\nTestSum#test_one = 0.00 s = .\nTestSum#test_two = 0.01 s = F\nTestSum#test_3 = 0.00 s = S\n"
    )
    assert read_report("minitest", text.encode()).tests == {
        "TestSum#test_one": P,
        "TestSum#test_two": F,
        "TestSum#test_3": S,
    }


@pytest.mark.parametrize(("outside", "more"), [(0, {}), (1, {"outside of examples": F})])
def test_rspec_counts_what_failed_outside_of_examples(outside: int, more: dict[str, Ended]) -> None:
    examples = [{"full_description": "a b", "status": "passed"}, {"full_description": "c", "status": "pending"}]
    report = {"examples": examples, "summary": {"errors_outside_of_examples_count": outside}}
    assert read_report("rspec", json.dumps(report).encode()).tests == {"a b": P, "c": S} | more


def test_the_report_of_dotnet() -> None:
    rows = "".join(
        f'<UnitTestResult testName="A.{name}" outcome="{name}"/>' for name in ("Passed", "Failed", "NotExecuted")
    )
    text = f'<testsuites><TestRun xmlns="urn:x"><Results>{rows}</Results></TestRun></testsuites>'
    assert read_report("junit", text.encode()).tests == {"A.Passed": P, "A.Failed": F, "A.NotExecuted": S}


def test_what_node_has_still_to_do_fails_nothing() -> None:
    inside = '<skipped type="todo" message="true"/><failure message="1 == 2"/>'
    text = f'<testsuites><testcase name="a" classname="t">{inside}</testcase><testcase name="b" classname="t">'
    text += "<failure/></testcase></testsuites>"
    assert read_report("junit", text.encode()).tests == {"t::a": S, "t::b": F}


def test_why_a_test_failed() -> None:
    junit = '<testsuite><testcase classname="a" name="b"><failure message="NameError: x"/></testcase></testsuite>'
    assert failure_reasons("junit", junit.encode()) == {"a::b": "NameError: x"}
    unittest = (
        f"test_b (a.T.test_b) ... ERROR\n\n{'=' * 70}\nERROR: test_b (a.T.test_b)\n{'-' * 70}\n"
        f'Traceback (most recent call last):\n  File "a.py"\nNameError: x\n\n{"-" * 70}\nRan 1 test in 0.1s\n'
    )
    assert failure_reasons("unittest", unittest.encode()) == {"a.T.test_b": "NameError: x"}
    test = {"fullName": "b", "status": "failed", "failureMessages": ["TypeError: f is not a function\n at x"]}
    jest = {"testResults": [{"assertionResults": [test]}]}
    assert failure_reasons("jest", json.dumps(jest).encode()) == {"b": "TypeError: f is not a function\n at x"}
    assert failure_reasons("junit", b"junk") == {}
