"""Which tests reach a mutant: by line, with a real pytest; and everything where lines were too many to note."""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from assay.detectors.effects.choose import in_order, mutants_in
from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import NodeWatch, Reach, Watch, read_lines, read_reach, runs_node
from assay.detectors.effects.sides import Side
from assay.detectors.effects.suite import Suite
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
    look = [str(Path(__file__).parents[3] / "scripts" / "find-python"), version]
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
    side = Side(suite, Watch(".abcdefgh"), AS_LEFT, evidence)
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
    reach = read_reach(json.dumps({"busy": told, "calm": known}).encode())
    assert reach is not None
    assert reach.reaching(mutant, frozenset({"busy", "calm"})) == ["busy"]
    assert reach.reaching(mutant, frozenset(), frozenset({"calm"})) == ["calm"]


@pytest.mark.parametrize("told", ["", "[]", "{", "[" * 100_000, *map(json.dumps, WRONG)])
def test_what_the_agents_process_wrote_may_be_anything(told: str) -> None:
    assert read_reach(told.encode()) is None


# --- node ---

NODE = {
    "slug.js": "exports.slug = (text) => {\n  if (text === '') {\n    return 'never';\n  }\n"
    "  return text.trim();\n};\nexports.unused = () => 3;\n",
    "other.js": "exports.one = () => 1;\n",
    "slug.test.mjs": "import test from 'node:test';\nimport assert from 'node:assert';\n"
    "import { slug } from './slug.js';\ntest('trims', () => assert.equal(slug(' a '), 'a'));\n",
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
@pytest.mark.parametrize(("asserted", "code"), [("'a'", 0), ("'b'", 1)])
def test_node_tells_the_lines_that_any_test_runs(asserted: str, code: int, tmp_path: Path) -> None:
    tests = NODE["slug.test.mjs"].replace("'a')", f"{asserted})")
    evidence = project(tmp_path, {}, {**NODE, "slug.test.mjs": tests})
    watch = NodeWatch(".abcdefgh")
    ran = evidence.run(f"{watch.setting()}node --test", 60, watch.on(AS_LEFT), (watch.answer,))
    assert ran.end.exit_code == code
    lines = read_lines(ran.files[watch.answer])
    assert lines is not None
    assert lines.lines["slug.js"] == {1, 2, 5, 6, 7}
    assert [path for path in ("slug.js", "other.js", "a.ts") if lines.can_reach(path)] == ["slug.js", "a.ts"]
    reached = {one.old: lines.has(one) for one, _ in mutants_in(evidence, ["slug.js", "other.js"])}
    assert reached == {**reached, "never": False, "===": True, "1": False}


@pytest.mark.parametrize(
    ("command", "yes"),
    [
        ("node --test", True),
        ("cd app && node --test-reporter=junit --test a.test.js", True),
        ("node --import tsx --test", False),
        ("node --test-only run.js", False),
        ("./node --test", False),
        ("npx jest", False),
    ],
)
def test_a_command_that_runs_nodes_own_runner(command: str, yes: bool) -> None:
    assert runs_node(command) is yes


@pytest.mark.parametrize("told", [b"", b"[]", b"{}", b'{"a": 1}', b'{"a": ["x"]}', b"\xff"])
def test_what_node_wrote_may_be_anything(told: bytes) -> None:
    assert read_lines(told) is None
