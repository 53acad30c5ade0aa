"""What ``python3 -m unittest -v`` prints, of Python 3.9 and of later ones."""

import pytest

from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.read import read_report

P, S, F = Ended.PASSED, Ended.SKIPPED, Ended.FAILED
END = "\n----------------------------------------------------------------------\nRan 1 test in 0.001s\n\n"
LATER = """\
test_bad (tests.test_a.T.test_bad) ... FAIL
test_doc (tests.test_a.T.test_doc)
Says so ... really ... ok
test_skip (tests.test_a.T.test_skip) ... skipped "it isn't ready"
test_sub (tests.test_a.T.test_sub) ...
  test_sub (tests.test_a.T.test_sub) (i=0) ... FAIL
  test_sub (tests.test_a.T.test_sub) (i=2) ... skipped 'x'
test_noise (tests.test_a.T.test_noise) ... a warning
another (one)
ok
test_xf (tests.test_a.T.test_xf) ... expected failure
test_xp (tests.test_a.T.test_xp) ... unexpected success
test_stops (tests.test_a.T.test_stops) ... test_last (tests.test_a.T.test_last) ... ok
setUpClass (tests.test_a.U) ... ERROR

======================================================================
FAIL: test_bad (tests.test_a.T.test_bad)
----------------------------------------------------------------------
told at length ... ok
"""


def read(text: str) -> dict[str, Ended]:
    return read_report("unittest", text.encode()).tests


def test_every_end() -> None:
    assert read(f"{LATER}{END}FAILED (failures=2)\n") == {
        "tests.test_a.T.test_bad": F,
        "tests.test_a.T.test_doc": P,
        "tests.test_a.T.test_skip": S,
        "tests.test_a.T.test_sub": F,
        "tests.test_a.T.test_noise": P,
        "tests.test_a.T.test_xf": S,
        "tests.test_a.T.test_xp": F,
        "tests.test_a.T.test_stops": F,
        "tests.test_a.T.test_last": P,
        "tests.test_a.U.setUpClass": F,
    }


def test_before_python_3_11_the_place_is_the_class() -> None:
    assert read(f"test_a (tests.test_a.T) ... ok\n{END}OK\n") == {"tests.test_a.T.test_a": P}


def test_a_run_that_failed_without_a_failed_test() -> None:
    assert read(f"test_a (tests.test_a.T) ... ok\n{END}FAILED (errors=1)\n") == {
        "tests.test_a.T.test_a": P,
        "run": F,
    }


@pytest.mark.parametrize("text", ["", "test_a (tests.test_a.T) ... ok\n", "<testsuite/>"])
def test_a_report_without_its_end_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the report must say how many tests ran, as unittest does$"):
        read(text)
