"""hl7-structural: what correlates, what is tolerated with a note, and how values are compared."""

from typing import Any

import pytest

from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from tests.checks.criteria.fake_state import FakeState, hl7

HEAD = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04^ADT_A01|7|P|2.5"


def answer(text: str, **assertion: Any) -> Scored:
    found = check_of({"assert": "hl7-structural", **assertion}, {}).run(FakeState(hl7=hl7(text)))
    assert isinstance(found, Scored)
    return found


def row(text: str, **rule: Any) -> dict[str, Any]:
    rows = answer(text, fields=[rule]).evidence["field_results"]
    assert isinstance(rows, list)
    return dict(rows[0])


@pytest.mark.parametrize(
    ("path", "value", "selected"),
    [
        ("PID-3.1", "111", True),
        ("PID-3.1", "222", True),
        ("PID.3.1", "222  ", True),
        ("PID-3", "222^^^B^MR", True),
        ("PID-3[1].1", "222", False),
        ("PID-3[2].1", "222", True),
        ("PID-3[5=MR].1", "222", True),
        ("PID-3[5=MR].1", "111", False),
        ("PID-3.1", "333", False),
        ("PID-5.1", "Smith", True),
    ],
)
def test_a_path_that_correlates_means_any_repetition(path: str, value: str, selected: bool) -> None:
    text = f"{HEAD}\rPID|1||111^^^A^PI~222^^^B^MR||Smith  ^Ann"
    assert answer(text, correlate_by={path: value}, segments={"PID": 1}).passed is selected


def test_a_path_that_compares_means_the_first() -> None:
    text = f"{HEAD}\rPID|1||111~222"
    assert not row(text, path="PID-3", expected="222")["passed"]
    assert row(text, path="PID-3[*]", expected="222")["passed"]


def test_blanks_at_the_end_are_left_out_with_a_note() -> None:
    text = f"{HEAD}\rPID|1||111||Smith  ^ Ann "
    assert row(text, path="PID-5.1", expected="Smith") == {
        "path": "PID-5.1",
        "expected": "Smith",
        "actual": "Smith",
        "passed": True,
        "note": "blanks at the end are left out",
    }
    assert not row(text, path="PID-5.1", operator="notEquals", expected="Smith")["passed"]
    assert row(text, path="PID-5.2", expected=" Ann")["passed"]
    assert "note" not in row(text, path="PID-3", expected="111")


def test_doubled_backslashes_are_read_with_a_note() -> None:
    text = f"{HEAD.replace(chr(92), chr(92) * 2)}\rPID|1||a\\\\T\\\\b&c^d~e"
    found = answer(text, fields=[{"path": "PID-3.1.1", "expected": "a&b"}, {"path": "PID-3[2]", "expected": "e"}])
    assert found.passed
    assert found.evidence["notes"] == [
        "line 1: backslashes are doubled, as in MSH|^~\\\\&|; they are read as single ones"
    ]
    assert "notes" not in answer(f"{HEAD}\rPID|1||a", segments={"PID": 1}).evidence


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ({"path": "OBX-5", "expected": 120, "type": "number"}, True),
        ({"path": "OBX-5", "expected": 120}, False),
        ({"path": "PID-7", "expected": "1980-02-03", "type": "date"}, True),
        ({"path": "PID-5.1", "expected": "SMITH", "ignore_case": True}, True),
        ({"path": "PID-5.1", "expected": "SMITH"}, False),
    ],
)
def test_types_and_case(rule: dict[str, Any], holds: bool) -> None:
    text = f"{HEAD}\rPID|1||111||Smith||19800203\rOBX|1|NM|||120.0"
    assert row(text, **rule)["passed"] is holds
