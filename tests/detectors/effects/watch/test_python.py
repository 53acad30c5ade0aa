"""Which tests reach a mutant: by line, with real runners; and everything where lines were too many to note."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from assay.detectors.effects.choose import in_order, mutants_in
from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import Reach
from assay.detectors.effects.sides import THOSE_THAT_REACH_IT, EffectSide, Noticed
from assay.detectors.effects.suite import Suite
from assay.detectors.effects.watch.find import watch_for
from assay.detectors.effects.watch.python import read_calls
from assay.evidence.workspace import AS_LEFT
from assay.formats.test_reports.rule import ReportRule
from tests.checks.small_project import project

SHOP = """
LIMIT = 3


def label(count):
    if count == 1:
        return "one"
    return ", ".join(
        str(number + 7)
        for number in range(count)
    )


def busy(times):
    done = 0
    for _ in range(times):
        done += 2
    if done > 5_000_000:
        return "never"
    return done


def nobody():
    return 11


def small(number):
    return number


def late():
    return 12
"""
TESTS = """
import shop


def test_one():
    assert shop.label(1) == "one"


def test_more():
    assert shop.label(2) == "7, 8"


def test_busy():
    assert shop.busy(5000) == 10000


def test_long():
    assert sum(shop.small(1) for _ in range(9000)) == 9000
    assert shop.late() == 12
"""
WRONG: tuple[object, ...] = (
    {"a": 1},
    {"a": {}},
    {"a": {"calls": [], "lines": {}}},
    {"a": {"calls": [["p"]], "lines": {}}},
    {"a": {"calls": [["p", 1, True]]}},
)
TESTED = "-m pytest -q -p no:cacheprovider --junitxml=report.xml"


def command(version: str) -> str:
    """How tests are run by this Python, or by a newer one with the pytest of this one."""
    if version == "this":
        return f"{sys.executable} {TESTED}"
    look = [str(Path(__file__).parents[4] / "scripts" / "find-python"), version]
    found = subprocess.run(look, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if not found:
        pytest.skip(f"Python {version} isn't installed")
    alone = f'PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH="$PYTHONPATH:{sysconfig.get_path("purelib")}"'
    return f"{alone} {found} {TESTED}"


@pytest.fixture(scope="module", params=["this", "3.12", "3.13"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Reach, list[Mutant]]:
    files = {"shop.py": SHOP, "tests/__init__.py": "", "tests/test_shop.py": TESTS}
    evidence = project(tmp_path_factory.mktemp("shop"), {}, files)
    suite = Suite(command(request.param), 60, ReportRule("report.xml"))
    side = EffectSide(suite, watch_for(suite, evidence, "abcdefgh"), AS_LEFT, evidence)
    assert side.reach is not None
    assert side.selects
    return side.reach, [mutant for mutant, _ in mutants_in(evidence, ["shop.py"])]


@pytest.mark.parametrize(
    ("old", "line", "tests"),
    [
        ("==", 6, ["one", "more"]),
        ("one", 7, ["one"]),
        (", ", 8, ["more"]),
        ("7", 9, ["more"]),
        ("0", 15, ["busy"]),
        ("11", 24, []),
        ("12", 32, ["long"]),
    ],
)
def test_the_tests_that_run_a_line(
    old: str, line: int, tests: list[str], found: tuple[Reach, list[Mutant]]
) -> None:
    reach, mutants = found
    mutant, *_ = [one for one in mutants if (one.old, one.line) == (old, line)]
    passed = frozenset(f"tests.test_shop.test_{name}" for name in ("one", "more", "busy", "long"))
    wanted = sorted(f"tests/test_shop.py::test_{name}" for name in tests)
    assert reach.reaching(mutant, passed) == wanted
    assert reach.has(mutant) == bool(wanted)


def test_what_nobody_runs_is_not_mutated_and_what_all_run_comes_late(found: tuple[Reach, list[Mutant]]) -> None:
    reach, mutants = found
    ordered = [one.line for one, _ in in_order([(one, SHOP) for one in mutants], set(), reach)]
    assert 24 not in ordered
    assert ordered.index(2) >= 2


def test_a_function_whose_lines_are_unknown_counts_as_run_from_end_to_end() -> None:
    mutant = Mutant("a.py", 9, 0, 1, "x", "y", "constant", 5, 9, 9)
    told = {"calls": [["a.py", 5, True]], "lines": {"a.py": [6]}}
    known = {**told, "calls": [["a.py", 5, False]]}
    reach = read_calls(json.dumps({"busy": told, "calm": known}).encode())
    assert reach is not None
    assert reach.reaching(mutant, frozenset({"busy", "calm"})) == ["busy"]
    assert reach.reaching(mutant, frozenset(), frozenset({"calm"})) == ["calm"]


@pytest.mark.parametrize("told", ["", "[]", "{", "[" * 100_000, *map(json.dumps, WRONG)])
def test_what_the_agents_process_wrote_may_be_anything(told: str) -> None:
    assert read_calls(told.encode()) is None


# --- unittest ---

CASES = """
import unittest

import shop

class TestShop(unittest.TestCase):
    def test_one(self):
        self.assertEqual(shop.label(1), "one")

    def test_more(self):
        self.assertEqual(shop.label(2), "7, 8")

    @unittest.skip("not yet")
    def test_never(self):
        self.fail()


class TestLate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open("classes.txt", "a") as file:
            file.write(cls.__name__)

    def test_late(self):
        for number in range(2):
            with self.subTest(number=number):
                self.assertEqual(shop.late(), 12)
"""
UNITTEST = f"{sys.executable} -m unittest discover -v -s tests -t . 2> report.txt"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> EffectSide:
    files = {"shop.py": SHOP, "tests/__init__.py": "", "tests/test_shop.py": CASES}
    evidence = project(tmp_path_factory.mktemp("cases"), {}, files)
    suite = Suite(UNITTEST, 60, ReportRule("report.txt", "unittest"))
    return EffectSide(suite, watch_for(suite, evidence, "abcdefgh"), AS_LEFT, evidence)


@pytest.mark.parametrize(
    ("old", "tests"),
    [
        ("==", ["TestShop.test_more", "TestShop.test_one"]),
        ("one", ["TestShop.test_one"]),
        ("12", ["TestLate.test_late"]),
    ],
)
def test_unittest_runs_the_tests_that_run_a_line(old: str, tests: list[str], cases: EffectSide) -> None:
    assert cases.selects
    assert cases.reach is not None
    mutant, *_ = [one for one, _ in mutants_in(cases.evidence, ["shop.py"]) if one.old == old]
    names = frozenset(f"tests.test_shop.{name}" for name in tests)
    assert cases.reach.reaching(mutant, cases.base.passed) == sorted(names)
    found = cases.noticed(mutant, SHOP, 60, THOSE_THAT_REACH_IT)
    assert isinstance(found, Noticed)
    assert found.tests == names


def test_unittest_runs_no_test_that_was_not_chosen(cases: EffectSide) -> None:
    assert cases.watch is not None
    assert cases.reach is not None
    way = cases.watch.choosing(AS_LEFT, ["tests.test_shop.TestShop.test_one"], cases.reach)
    ran = cases.suite.run(cases.evidence, way.tree, way.setting, ("classes.txt",))
    assert ran.passed | ran.others == {"tests.test_shop.TestShop.test_one"}
    assert ran.files["classes.txt"] is None
