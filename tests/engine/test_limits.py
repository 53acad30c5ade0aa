"""A grading says the same alone, beside others and on a busy machine, and of paths only what they mean."""

import hashlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from assay.dialects.criteria.models import Criterion
from assay.evidence.playground import StateRow
from assay.formats.field_rules import values
from tests.checks.criteria.fake_state import AFTER, FakeState, hl7, x12
from tests.completing import complete
from tests.formats.x12.messages import message

# The first goes back for ever in some engines; the others only trying can tell, some of them in too many steps.
PATTERNS = [".*?.*?.*?XQ|END7", r"(\w+) \1\b", "^(?!.*error).*$", r"^(x|xx)+\1y$", r"(?<!\d)12(?!\d)"]
TEXTS = [
    "a" * 360 + "END7",
    "it was was so",
    "x" * 30,
    "an error of 12",
    "x" * 300,
    "12 " * 40,
    "x" * 12 + "y",
    "",
]
GRADINGS = [(PATTERNS[n % len(PATTERNS)], TEXTS[n % len(TEXTS)] + "z" * (n // 40)) for n in range(200)]


def graded(grading: tuple[str, str]) -> tuple[object, ...]:
    pattern, text = grading
    rule = {"path": "a", "operator": "matches", "expected": pattern}
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": [rule]}
    state = FakeState(rows=[StateRow("r", "k", {"a": text}, AFTER)])
    (run,) = complete([Criterion(label="l", assertion=assertion)], {}, state).criterion_runs
    return run.score, run.passed, run.status, run.details, str(run.evidence)


BUSY = "import hashlib\nfor _ in range(10**7): hashlib.sha256(bytes(100_000)).digest()"


def test_what_else_runs_changes_no_grading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_STEPS", 3000)
    alone = [graded(one) for one in GRADINGS]
    assert {(score, status) for score, _, status, *_ in alone} == {
        (1.0, "completed"),
        (0.0, "completed"),
        (0.0, "failed"),
    }
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(graded, GRADINGS)) == alone
    done = threading.Event()

    def hash_on() -> None:
        while not done.is_set():
            hashlib.sha256(bytes(100_000)).digest()

    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    with ThreadPoolExecutor(4) as busy:
        for _ in range(4):
            busy.submit(hash_on)
        try:
            assert [graded(one) for one in GRADINGS] == alone
            assert all(one.poll() is None for one in processes)
        finally:
            done.set()
            for one in processes:
                one.kill()
                one.wait()


OBX = "MSH|^~\\&|A|B\rOBX|1|NM|8480-6^SBP||118||||||P\rOBX|2|NM|8480-6^SBP||120||||||F"
EB = message("271", "HL*1**20*1", "NM1*PR*2*P", "HL*2*1*22*0", "NM1*IL*1*A", "EB*C**30***23*1", "EB*C**30***29*2")


def asked(kind: str, rule: dict[str, Any]) -> Any:
    state = FakeState(hl7=hl7(OBX), x12=x12(EB))
    criterion = Criterion(label="l", assertion={"assert": kind, "fields": [rule]})
    return complete([criterion], {}, state).criterion_runs[0]


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("hl7-structural", "OBX[3.1=8480-6,11=F]-5", "120"),
        ("hl7-structural", 'OBX[3.1="8480-6", 11=P]-5', "118"),
        ("hl7-structural", "OBX[3.1=8480-6,11=X]-5", None),
        ("x12-response", "2110C/EB[01=C,06=29]07", "2"),
        ("x12-response", '2110C/EB[06="23", 01=C]07', "1"),
        ("x12-response", "2110C/EB[01=V,06=29]07", None),
    ],
)
def test_conditions_in_one_bracket_all_have_to_hold(kind: str, path: str, value: str | None) -> None:
    assert asked(kind, {"path": path, "expected": value or "any"}).passed is (value is not None)
    assert asked(kind, {"path": path, "operator": "notExists"}).passed is (value is None)


@pytest.mark.parametrize(
    ("kind", "path"),
    [("hl7-structural", "OBX[3.1=8480-6;11=F]-5"), ("x12-response", "2110C/EB[01=C and 06=29]07")],
)
def test_a_path_that_means_nothing_is_no_rule_that_holds(kind: str, path: str) -> None:
    run = asked(kind, {"path": path, "operator": "notExists"})
    assert (run.score, run.passed, run.status) == (0.0, False, "failed")
    assert "is wrong at character" in run.details
