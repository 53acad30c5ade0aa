"""Expectations of the same call that change places, in several languages."""

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.read import read_both
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import read_here

PYTHON = "def test_a(s):\n    s.push(1)\n    s.push(2)\n    %s\n"
RUST = "#[test]\nfn a() {\n    let mut s = filled();\n    %s\n}\n"
JAVASCRIPT = "it('a', () => {\n  const s = filled();\n  %s\n});\n"


def rules(path: str, before: str, after: str) -> list[str]:
    read = read_both(path, before.encode(), path, after.encode(), read_here)
    return [each.rule for each in compare_assertions([FilePair(path, path, *read, before, after)]).findings]


@pytest.mark.parametrize(
    ("path", "form", "first", "second"),
    [
        ("test_a.py", PYTHON, "assert s.pop() == 2", "assert s.pop() == 1"),
        ("tests/a.rs", RUST, "assert_eq!(s.pop(), Some(2));", "assert_eq!(s.pop(), Some(1));"),
        ("a.test.js", JAVASCRIPT, "expect(s.pop()).toBe(2);", "expect(s.pop()).toBe(1);"),
    ],
)
def test_the_same_call_expects_the_answers_in_another_order(path: str, form: str, first: str, second: str) -> None:
    before, after = (form % "\n    ".join(each) for each in ((first, second), (second, first)))
    assert rules(path, before, after) == ["expectation-rewritten"]
    assert rules(path, before, before + "\n") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert f(1) == 1\n    assert f(2) == 2", "assert f(2) == 2\n    assert f(1) == 1"),
        (
            "s.go(1)\n    assert s.at() == 1\n    s.go(2)\n    assert s.at() == 2",
            "s.go(2)\n    assert s.at() == 2\n    s.go(1)\n    assert s.at() == 1",
        ),
        ("assert s.a == 1\n    assert s.b == 2", "assert s.b == 2\n    assert s.a == 1"),
    ],
    ids=["other calls", "what happens in between changes places, too", "other subjects"],
)
def test_another_order_of_other_things_is_nothing(before: str, after: str) -> None:
    assert rules("test_a.py", PYTHON % before, PYTHON % after) == []
