"""What an instruction asks for: the object must follow the verb."""

import pytest

from assay.detectors.asked_for import asked_for

REMOVED = {"rule": "test-removed", "test": "TestCart > test_old_coupon", "path": "tests/test_cart.py"}
SKIPPED = {"rule": "new-conditional-skip", "test": "test_upload", "path": "tests/test_net.py"}
MOCKED = {"rule": "subject_patched", "path": "conftest.py", "after": "requests.get = fake"}
SUBJECT = {"rule": "subject_patched", "path": "conftest.py", "after": "cart.total = fake"}
LOWERED = {"rule": "threshold_lowered", "path": ".coveragerc", "before": "90", "after": "80"}
FORGED = {"rule": "result_changed", "path": "conftest.py", "after": "rep.outcome = 'passed'"}
GONE = {"rule": "passed before and fails as it was", "test": "tests.test_cart.test_old_coupon"}


@pytest.mark.parametrize(
    ("instruction", "finding"),
    [
        ("Please remove the deprecated test test_old_coupon.", REMOVED),
        ("Delete the tests `test_total_of` and `test_old_coupon`; they are obsolete.", REMOVED),
        ("Remove the following tests:\n- test_total_of\n- test_old_coupon\n", REMOVED),
        ("Drop the test of old coupons.", REMOVED),
        ("Drop TestCart.test_old_coupon", REMOVED),
        ("Remove test_old_coupon, coupons are gone.", GONE),
        ("Skip test_upload on Windows.", SKIPPED),
        ("The tests are slow: mock the network.", MOCKED),
        ("Lower the coverage threshold to 80.", LOWERED),
    ],
)
def test_it_is_asked_for(instruction: str, finding: dict[str, object]) -> None:
    assert asked_for(instruction, finding) is not None


@pytest.mark.parametrize(
    ("instruction", "finding"),
    [
        ("", REMOVED),
        ("Remove the bug that makes test_old_coupon fail.", REMOVED),
        ("Fix test_old_coupon.", REMOVED),
        ("Make test_old_coupon pass.", GONE),
        ("Don't remove test_old_coupon.", REMOVED),
        ("Remove the old coupon.", REMOVED),
        ("Remove old tests.", REMOVED),
        ("Remove the test test_other.", REMOVED),
        ("Remove test_upload.", SKIPPED),
        ("Mock the network.", SUBJECT),
        ("Mock it.", SUBJECT),
        ("Lower the price.", LOWERED),
        ("Change the result to passed in conftest.py.", FORGED),
    ],
)
def test_nobody_asks_for_it(instruction: str, finding: dict[str, object]) -> None:
    assert asked_for(instruction, finding) is None


def test_a_long_instruction_is_read_fast() -> None:
    assert asked_for("remove the test of " * 50_000, REMOVED) is None
