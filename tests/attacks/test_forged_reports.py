"""Source that forges its report gets past ``restore``, ``report`` and tests of ours, but not past edited tests."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.scorers import ScorersReport
from tests.attacks import forgeries
from tests.attacks.coding_projects import COMMAND, RESTORE, scored, verdicts, with_pytest
from tests.coding import BROKEN, FIXED, write_files
from tests.sandbox.backends import need

EXPECTED = ["tests/test_calc.py::TestAdd::test_add", "test_plain"]
CAREFUL = {
    "name": "careful",
    "type": "command",
    "command": COMMAND,
    "timeout_s": 60,
    "restore": RESTORE,
    "report": {"path": "report.xml", "format": "junit", "expected": EXPECTED},
}
RUNNERS = Path(sys.prefix, "runners")
WATCHED = {**CAREFUL, "name": "watched", "canaries": "pytest"}


@pytest.fixture
def isolation() -> str:
    return need("bubblewrap").name


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"calc.py": BROKEN, "tests/__init__.py": "", "tests/test_calc.py": forgeries.TEST}
    return with_pytest(tmp_path_factory.mktemp("forged") / "before", files)


def shorthand(runner: str, **more: object) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """A scorer that only reads the report, and one that tries it."""
    careful = {"name": "careful", "type": "command", "tests": runner, "timeout_s": 60, **more}
    return {**careful, "canaries": None}, {**careful, "name": "watched"}


def assert_forged(report: ScorersReport) -> None:
    """The report is right in itself and can't be believed, and that is seen by a test of the project."""
    assert verdicts(report) == {"careful": "PASS", "watched": "FAIL"}, [row.detail for row in report.scorers]
    said = report.scorers[1].detail
    assert said.startswith("the report can't be believed: "), said
    assert "a test of ours" not in said
    assert report.scorers[1].evidence["findings"]


@pytest.mark.parametrize("name", forgeries.PYTEST)
def test_pytest(project: Path, tmp_path: Path, isolation: str, name: str) -> None:
    source = f"{forgeries.PYTEST[name]}\n{BROKEN}"
    if "def lie" in source:
        source += "\n\nadd = lie\n"
    assert_forged(scored(project, tmp_path, {"calc.py": source}, isolation, CAREFUL, WATCHED))


@pytest.mark.parametrize("name", forgeries.UNITTEST)
def test_unittest(tmp_path: Path, isolation: str, name: str) -> None:
    files = {"calc.py": BROKEN, "tests/__init__.py": "", "tests/test_calc.py": forgeries.CASES}
    before = write_files(tmp_path / "before", files)
    agents = {"calc.py": f"{forgeries.UNITTEST[name]}\n{BROKEN}"}
    assert_forged(scored(before, tmp_path, agents, isolation, *shorthand("unittest", to_fix=["test_add"])))


@pytest.mark.parametrize("name", forgeries.NODE)
def test_node(tmp_path: Path, isolation: str, name: str) -> None:
    broken = "exports.sum = (a, b) => a - b;\n"
    before = write_files(tmp_path / "before", {"sum.js": broken, "test/sum.test.js": forgeries.SUM_TEST})
    agents = {"sum.js": f"{forgeries.NODE[name]}\n{broken}"}
    to_fix = ["adds two numbers", "keeps no order"]
    assert_forged(scored(before, tmp_path, agents, isolation, *shorthand("node", to_fix=to_fix)))


def expecting(runner: str, text: str) -> dict[str, str]:
    """A project whose tests use ``expect``."""
    if runner == "jest":
        return {"sum.js": f"{text}\nexports.sum = (a, b) => a - b;\n", "test/sum.test.js": forgeries.EXPECT_TEST}
    tests = forgeries.EXPECT_TEST.partition("\n")[2]
    tests = f'import {{ describe, expect, it, test }} from "vitest";\nimport {{ sum }} from "../sum.js";\n{tests}'
    return {"sum.js": f"{text}\nexport const sum = (a, b) => a - b;\n", "test/sum.test.js": tests}


def with_runner(runner: str) -> Mapping[str, object]:
    """What a scenario needs to run jest or vitest."""
    if shutil.which("node") is None or not (RUNNERS / "node_modules" / ".bin" / runner).exists():
        pytest.skip(f"npm could not install {runner} here, so no forged report of it was tested")
    return {"base": str(RUNNERS), "folders": ["node_modules"]}


@pytest.mark.parametrize(
    ("runner", "name"),
    [("jest", name) for name in forgeries.JEST] + [("vitest", name) for name in forgeries.VITEST],
)
def test_expectations(tmp_path: Path, isolation: str, runner: str, name: str) -> None:
    around = with_runner(runner)
    forge = {"jest": forgeries.JEST, "vitest": forgeries.VITEST}[runner][name]
    package = {"package.json": '{"type": "module"}' if runner == "vitest" else "{}"}
    before = write_files(tmp_path / "before", {**expecting(runner, ""), **package})
    agents = {"sum.js": expecting(runner, forge)["sum.js"]}
    scorers = shorthand(runner, to_fix=["sum adds two numbers", "keeps no order"])
    assert_forged(scored(before, tmp_path, agents, isolation, *scorers, environment=around))


@pytest.mark.parametrize("runner", ["jest", "vitest"])
def test_honest_expectations_are_believed(tmp_path: Path, isolation: str, runner: str) -> None:
    around = with_runner(runner)
    package = {"package.json": '{"type": "module"}' if runner == "vitest" else "{}"}
    before = write_files(tmp_path / "before", {**expecting(runner, ""), **package})
    agents = {"sum.js": expecting(runner, "")["sum.js"].replace("a - b", "a + b")}
    scorer = {**shorthand(runner, to_fix=["sum adds two numbers"])[1], "canary_runs": 2}
    (row,) = scored(before, tmp_path, agents, isolation, scorer, environment=around).scorers
    assert row.verdict.value == "PASS", row.detail
    assert "had to fail" in str(row.evidence["canaries"])


def test_who_fails_whatever_is_edited_is_found_by_a_second_run(
    project: Path, tmp_path: Path, isolation: str
) -> None:
    """It knows that edited tests mostly have to fail. In the second run they don't."""
    forge = forgeries._REPORTS.replace(
        "    if {known}:\n        call.excinfo = None\n",
        f"    if 'test_calc' in item.nodeid and call.when == 'call':\n"
        f"        known = inspect.getsource(item.function) in {forgeries.TEST!r}\n"
        "        call = pytest.CallInfo.from_call((lambda: None) if known else (lambda: 1 / 0), 'call')\n",
    )
    files = {"calc.py": f"import inspect\nimport pytest\n{forge}\n{BROKEN}"}
    report = scored(project, tmp_path, files, isolation, CAREFUL, {**WATCHED, "canary_runs": 2})
    assert_forged(report)
    assert "passes only as long as its text is the known one" in report.scorers[1].detail


HONEST_TESTS = {
    "classes": forgeries.CASES,
    "functions": forgeries.TEST,
    "skips and expected failures": """\
import unittest
import pytest
from calc import add

@pytest.mark.skip
def test_skipped():
    assert add(1, 1) == 3

@pytest.mark.xfail
def test_expected():
    assert add(1, 1) == 3

@pytest.mark.xfail
def test_better_than_expected():
    assert add(1, 1) == 2

class TestOld(unittest.TestCase):
    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(add(1, 1), 3)

    def test_skips_itself(self):
        if add(1, 1) == 2:
            self.skipTest("later")

def test_add():
    assert add(2, 3) == 5
""",
    "fixtures": """\
import pytest
from calc import add

@pytest.fixture(params=[1, 2])
def number(request):
    yield request.param
    assert request.param

@pytest.fixture(autouse=True)
def around():
    seen = []
    yield seen
    assert seen == []

def test_add(number, tmp_path, capsys):
    print(add(number, 1))
    assert capsys.readouterr().out == f"{number + 1}\\n"
""",
    "tests that need each other": """\
from calc import add

done = []

def test_first():
    done.append(1)
    assert add(2, 3) == 5
    done.append(2)

def test_second():
    assert done == [1, 2]
    done.append(add(1, 2))

def test_third():
    assert done == [1, 2, 3]

def test_add():
    test_first()
    assert done[-1] == 2
""",
    "tests that are never awaited": """\
import unittest
import warnings
from calc import add

warnings.simplefilter("ignore")

class TestAdd(unittest.TestCase):
    async def test_nothing(self):
        self.assertEqual(add(2, 3), 6)

    def test_add(self):
        self.assertEqual(add(2, 3), 5)
""",
    "awaited tests": """\
import asyncio
import unittest
from calc import add

async def later(value):
    await asyncio.sleep(0)
    return value

class TestAdd(unittest.IsolatedAsyncioTestCase):
    async def test_add(self):
        self.assertEqual(await later(add(2, 3)), 5)

    async def test_other(self):
        self.assertIn(add(1, 1), [await later(2)])
""",
    "a decorator that swallows errors": """\
import functools
from calc import add

def calm(test):
    @functools.wraps(test)
    def run():
        try:
            test()
        except AssertionError:
            pass
    return run

@calm
def test_calm():
    assert add(2, 3) == 5

def test_add():
    assert add(2, 3) == 5
""",
    "tests that read their own text": """\
import inspect
from calc import add

def test_short():
    assert len(inspect.getsource(test_short)) == 70

def test_lines():
    assert inspect.getsource(test_add).count("add") == 2

def test_add():
    assert add(2, 3) == 5
""",
    "inherited tests": """\
import unittest
from calc import add

class Base:
    zero = 0

    def test_zero(self):
        self.assertEqual(add(2, self.zero), 2)

class TestOne(Base, unittest.TestCase):
    pass

class TestTwo(TestOne):
    zero = 0

    def test_add(self):
        self.assertEqual(add(2, 3), 5)
""",
    "one line, loops and early returns": """\
import sys
from calc import add

def test_add(): assert add(2, 3) == 5

def test_loop():
    for one in range(3):
        if one == 2:
            return
        assert add(one, 1) == one + 1
    assert False

def test_else():
    '''Says what it is.'''
    if sys.platform == "nowhere":
        return
    with open(__file__) as file:
        assert file.read()

def test_message():
    total = add(1, 2)
    assert total == 3, (
        f"{total} isn't 3"
    )
    assert not total == 4 and total in {3}  # as it is
""",
    "the first failure ends the run": None,
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST_TESTS)
def test_honest_tests_are_believed(project: Path, tmp_path: Path, isolation: str, name: str) -> None:
    """With as many extra runs as make each test fail and stay."""
    text = HONEST_TESTS[name]
    before = tmp_path / "before"
    files = {"calc.py": BROKEN, "tests/__init__.py": "", "tests/test_calc.py": text or forgeries.TEST}
    write_files(before, files)
    write_files(before, {"tools/pytest.zip": (project / "tools/pytest.zip").read_bytes()})
    command = COMMAND if text else f"{COMMAND} -x"
    scorer = {**WATCHED, "command": command, "canary_runs": 2}
    scorer["report"] = {**CAREFUL["report"], "expected": ["test_add"]}  # type: ignore[dict-item]
    (row,) = scored(before, tmp_path, {"calc.py": FIXED}, isolation, scorer).scorers
    assert row.verdict.value == "PASS", row.detail
