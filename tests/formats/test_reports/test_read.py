"""Reports that are one JSON document, and what holds for every format."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.test_reports import read
from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.read import FORMATS, read_report

P, S, F = Ended.PASSED, Ended.SKIPPED, Ended.FAILED

PYTEST = {
    "created": 1767261600.0,
    "exitcode": 1,
    "summary": {"passed": 2, "failed": 1, "total": 7, "collected": 7},
    "tests": [
        {"nodeid": f"tests/test_cart.py::test_{outcome}", "lineno": 3, "outcome": outcome, "keywords": []}
        for outcome in ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "rerun")
    ],
}

JEST = {
    "numFailedTests": 1,
    "numPassedTests": 1,
    "success": False,
    "testResults": [
        {
            "name": "/workspace/cart.test.js",
            "status": "failed",
            "message": "",
            "assertionResults": [
                {"ancestorTitles": ["cart"], "fullName": "cart adds", "title": "adds", "status": "passed"},
                {"ancestorTitles": ["cart"], "fullName": "cart sums", "title": "sums", "status": "failed"},
                {"ancestorTitles": ["cart"], "fullName": "cart waits", "title": "waits", "status": "pending"},
                {"ancestorTitles": ["cart"], "fullName": "cart plans", "title": "plans", "status": "todo"},
                {"ancestorTitles": ["cart"], "fullName": "cart rests", "title": "rests", "status": "disabled"},
            ],
        },
        {
            "name": "/workspace/broken.test.js",
            "status": "failed",
            "message": "SyntaxError: unexpected token",
            "assertionResults": [],
        },
    ],
}


def test_a_report_of_pytest_json_report() -> None:
    assert read_report("pytest", json.dumps(PYTEST).encode()).tests == {
        "tests/test_cart.py::test_passed": P,
        "tests/test_cart.py::test_failed": F,
        "tests/test_cart.py::test_error": F,
        "tests/test_cart.py::test_skipped": S,
        "tests/test_cart.py::test_xfailed": S,
        "tests/test_cart.py::test_xpassed": P,
        "tests/test_cart.py::test_rerun": F,
    }


def test_a_report_of_jest() -> None:
    """A file that could not be loaded has no tests, and has failed."""
    assert read_report("jest", json.dumps(JEST).encode()).tests == {
        "cart adds": P,
        "cart sums": F,
        "cart waits": S,
        "cart plans": S,
        "cart rests": S,
        "/workspace/broken.test.js": F,
    }


@pytest.mark.parametrize(
    ("kind", "report", "failed"),
    [
        ("pytest", {"exitcode": 2, "tests": [{"nodeid": "a", "outcome": "passed"}]}, ["exit code 2"]),
        ("pytest", {"exitcode": 0, "tests": [{"nodeid": "a", "outcome": "passed"}]}, []),
        ("pytest", {"tests": [], "collectors": [{"nodeid": "b.py", "outcome": "failed"}]}, ["b.py"]),
        ("pytest", {"tests": [], "collectors": [{"nodeid": "b.py", "outcome": "passed"}]}, []),
        (
            "jest",
            {
                "testResults": [
                    {
                        "name": "a.test.js",
                        "status": "failed",
                        "assertionResults": [{"fullName": "a", "status": "passed"}],
                    }
                ]
            },
            ["a.test.js"],
        ),
    ],
)
def test_what_failed_beside_the_tests_is_a_failure(kind: str, report: object, failed: list[str]) -> None:
    found = read_report(kind, json.dumps(report).encode())
    assert [name for name, ended in found.tests.items() if ended is F] == failed


def test_a_name_of_jest_is_expected_as_it_is_written() -> None:
    assert read_report("jest", json.dumps(JEST).encode()).matching("cart adds") == {"cart adds": P}


@pytest.mark.parametrize("kind", ["pytest", "jest"])
@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"null", b"1", b"{}", b"{", b"\xff", b"[" * 100_000, b'{"tests": 1, "testResults": 1}',
        b'{"tests": [1], "testResults": [1]}', b'{"tests": [{}], "testResults": [{}]}',
        b'{"tests": null, "testResults": null}', b'{"testResults": [{"assertionResults": [{}]}]}',
        b'{"tests": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_what_is_no_report(kind: str, data: bytes) -> None:
    with pytest.raises(ValueError, match="the report must be"):
        read_report(kind, data)


NAMES = (
    *("tests", "nodeid", "outcome", "testResults", "assertionResults", "fullName", "status", "name"),
    *("Test", "Action", "Package", "type", "event"),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted(FORMATS)), st.binary(max_size=100) | values.map(lambda one: json.dumps(one).encode())
)
def test_no_bytes_raise_anything_but_value_error(kind: str, data: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert set(read_report(kind, data).tests.values()) <= set(Ended)


@pytest.mark.parametrize("part", ["[]", "{}", '"a", "b", "c", "d", "e", "f"'])
def test_more_parts_than_a_report_has_are_refused(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """In memory, such a text is twenty times as large."""
    monkeypatch.setattr(read, "MAX_PARTS", 8)
    with pytest.raises(ValueError, match=r"must have at most \d+ objects and lists"):
        read_report("jest", ('{"testResults": [' + ", ".join([part] * 8) + "]}").encode())
