"""Tests that need the fix: what the agent added must fail on the source as it was before."""

# ruff: noqa: E501 - a cheat a line reads as a table.

from pathlib import Path

import pytest

from assay.checks import tests_need_the_fix
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.checks.fake_workspace import edited
from tests.checks.small_project import COMMAND, REPORT, Change, project

TESTS = "tests/test_cart.py"
FIX: Change = {"cart.py": ("return sum + sum * tax", "return round(sum + sum * tax, 2)")}
AT_LABEL = "def test_label"


def judged(folder: Path, change: Change) -> Outcome:
    return tests_need_the_fix.TestsNeedTheFix(COMMAND, 60, REPORT).run(project(folder, change))


def added(body: str, name: str = "test_new") -> Change:
    return {TESTS: (AT_LABEL, f"def {name}():\n    {body}\n\n\n{AT_LABEL}")}


PROOF = "assert cart.total([(0.1, 3)], 0) == 0.3"
IDLE = "assert cart.total([], 0) == 0"


def test_a_test_that_fails_without_the_fix_is_proof(tmp_path: Path) -> None:
    found = judged(tmp_path, FIX | added(PROOF))
    assert isinstance(found, Scored)
    assert (found.passed, found.score) == (True, 1.0)
    assert found.summary == "1 of 1 added test fail without the agent's change"
    assert found.evidence["runs"] == [
        {"tests": "agent", "source": "agent", "exit_code": 0, "passed": 5, "others": 0},
        {"tests": "agent", "source": "baseline", "exit_code": 1, "passed": 4, "others": 1},
        {"tests": "baseline", "source": "agent", "exit_code": 0, "passed": 4, "others": 0},
        {"tests": "baseline", "source": "baseline", "exit_code": 0, "passed": 4, "others": 0},
    ]


CHEATS: dict[str, Change] = {
    "a test that always passes": added("assert cart"),
    "a test of something else": added(IDLE),
    "a test that asks for what is there already": added("assert cart.total([(2, 2)], 0) == 4"),
    "a test that catches everything": added("try:\n        assert cart.total([(0.1, 3)], 0) == 0.3\n    except BaseException:\n        pass"),
    "a test that returns before": added(f"if cart:\n        return\n    {PROOF}"),
    "a test that rounds by itself": added("assert round(cart.total([(0.1, 3)], 0), 2) == 0.3"),
    "a test that compares with itself": added("assert cart.total([(0.1, 3)], 0) == cart.total([(0.1, 3)], 0)"),
    "a test of a copy": {**added("assert fixed([(0.1, 3)], 0) == 0.3\n\n\ndef fixed(items, tax):\n    return round(sum(a * b for a, b in items), 2)")},
    "a test that patches its subject": added("cart_total = lambda items, tax: 0.3\n    assert cart_total([(0.1, 3)], 0) == 0.3"),
    "a test whose loop is empty": added("for items in []:\n        assert cart.total(items, 0) == 0.3"),
    "a changed test that still asks the same": {TESTS: ("near(cart.total([(10, 2)], 0.5), 30)", "near(cart.total([(10, 2)], 0.5), 30.0)")},
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
def test_tests_that_prove_nothing(name: str, tmp_path: Path) -> None:
    found = judged(tmp_path, FIX | CHEATS[name])
    assert isinstance(found, Scored)
    assert (found.passed, found.score) == (False, 0.0), found.summary


def test_the_score_is_the_share_that_needs_the_fix(tmp_path: Path) -> None:
    body = f"{PROOF}\n\n\ndef test_idle():\n    {IDLE}"
    found = judged(tmp_path, FIX | added(body))
    assert isinstance(found, Scored)
    assert (found.passed, found.score) == (True, 0.5)
    assert found.evidence["findings"] == [
        {"rule": "passes without the change", "test": "tests.test_cart.test_idle"}
    ]


def test_a_changed_test_may_be_the_proof(tmp_path: Path) -> None:
    found = judged(tmp_path, FIX | {TESTS: ("near(cart.total([(10, 2)], 0.5), 30)", PROOF)})
    assert isinstance(found, Scored)
    assert (found.passed, found.summary) == (True, "1 changed test fail without the agent's change")


def test_without_a_report_the_exit_code_decides(tmp_path: Path) -> None:
    check = tests_need_the_fix.TestsNeedTheFix(COMMAND, 60)
    found = check.run(project(tmp_path, FIX | added(IDLE)))
    assert isinstance(found, Scored)
    assert (found.passed, found.summary) == (False, "the agent's tests pass without its change")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (FIX, "no test was added or changed"),
        (added(IDLE), "nothing but tests was changed"),
        (
            {"cart.py": "x", **added(IDLE)},
            "the agent's tests don't pass on its own source: no test passed",
        ),
    ],
)
def test_where_it_does_not_apply(change: Change, why: str, tmp_path: Path) -> None:
    assert judged(tmp_path, change) == NotApplicable(why)


def test_deleted_tests_are_no_tests_to_prove_anything() -> None:
    found = tests_need_the_fix.TestsNeedTheFix("true").run(edited("a.py", "x = 1\n", "x = 2\n"))
    assert found == NotApplicable("no test was added or changed")
