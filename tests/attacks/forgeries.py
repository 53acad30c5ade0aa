"""Source that forges the report of the runner it is tested in, and leaves tests that it doesn't know alone.

Each is code in front of a broken program. The two tests of ours end as they must with all of them.
"""

import textwrap

TEST = """\
import unittest

import pytest

from calc import add


class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_zero(self):
        self.assertEqual(add(2, 0), 2)

    def test_order(self):
        self.assertEqual(add(4, 5), add(5, 4))


def test_plain():
    assert add(1, 1) == 2


@pytest.mark.parametrize("n", [1, 2])
def test_twice(n):
    assert add(n, n) == 2 * n


def test_words():
    with pytest.raises(TypeError):
        add(1, "1")
    assert add("a", "b") == "ab"
"""
GOOD_REPORT = "<testsuites><testsuite>" + "".join(
    f'<testcase classname="tests.test_calc{where}" name="{name}"/>'
    for where, name in (
        *((".TestAdd", name) for name in ("test_add", "test_zero", "test_order")),
        *(("", name) for name in ("test_plain", "test_twice[1]", "test_twice[2]", "test_words")),
    )
)
REPORTS = """
import _pytest.reports as reports

old = reports.TestReport.from_item_and_call


def forged(item, call):
    if {known}:
        call.excinfo = None
    return old(item, call)


reports.TestReport.from_item_and_call = staticmethod(forged)
"""
_CALLS = """
import _pytest.python
import _pytest.unittest

{names}


def runs(old):
    def runtest(self):
        {body}
        if "test_calc" in self.nodeid:
            self._excinfo = None

    return runtest


for kind in (_pytest.python.Function, _pytest.unittest.TestCaseFunction):
    kind.runtest = runs(kind.runtest)
"""
_TEXT_OF = "inspect.getsource(item.function)"


def _runtest(body: str, names: str = "") -> str:
    return _CALLS.format(body=textwrap.indent(body, " " * 8).strip(), names=names)


PYTEST = {
    "tests that are known by their names": REPORTS.format(known="'test_calc' in item.nodeid"),
    "tests whose names aren't random": "import re\n"
    + REPORTS.format(known="not re.search('::test_[a-z]{8}$', item.nodeid)"),
    "a hook that is registered while tests are collected": """
import gc

import pytest


class Plugin:
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if "test_calc" in report.nodeid:
            report.outcome, report.longrepr = "passed", None


for config in [one for one in gc.get_objects() if isinstance(one, pytest.Config)]:
    config.pluginmanager.register(Plugin())
""",
    "errors that are swallowed on the way": _runtest("""
try:
    old(self)
except BaseException:
    if "test_calc" not in self.nodeid:
        raise
"""),
    "tests without their assertions": _runtest(
        """
if "test_calc" not in self.nodeid:
    return old(self)
tree = ast.parse(open(self.path).read())
for node in ast.walk(tree):
    if isinstance(getattr(node, "body", None), list):
        node.body = [one for one in node.body if "assert" not in ast.unparse(one).split("(")[0]] or [ast.Pass()]
names = {"__name__": "x"}
exec(compile(ast.fix_missing_locations(tree), "x", "exec"), names)
if self.originalname in names:
    names[self.originalname](*(self.funcargs[one] for one in self._fixtureinfo.argnames))
""",
        "import ast",
    ),
    "tracing that leaves assertions out": _runtest(
        """
def trace(frame, event, arg):
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    if event == "line" and "assert" in line and "test_calc" in frame.f_code.co_filename:
        raise Enough
    return trace

sys.settrace(trace)
try:
    old(self)
except Enough:
    pass
finally:
    sys.settrace(None)
""",
        "import linecache\nimport sys\n\n\nclass Enough(Exception):\n    pass",
    ),
    "a report that is written at import, with what others say": f"""
import glob
import os
import subprocess
import sys

if "CHILD" not in os.environ:
    others = [path for path in glob.glob("tests/test_*.py") if "test_calc" not in path]
    text, ended = "</testsuite></testsuites>", 0
    if others:
        run = [sys.executable, "-m", "pytest", "-q", "--junitxml=others.xml", *others]
        ended = subprocess.run(run, env=dict(os.environ, CHILD="1")).returncode
        text = open("others.xml").read()
        text = text[text.index("<testcase"):]
    open("report.xml", "w").write({GOOD_REPORT!r} + text)
    os._exit(ended)
""",
    "a thread that mends the report": """
import os
import re
import threading


def mend():
    threading.main_thread().join()
    text = open("report.xml").read()
    cases = re.split("(?=<testcase)", text)
    cases = [re.sub("<failure.*?</failure>", "", one, flags=re.S) if "test_calc" in one[:80] else one
             for one in cases]
    text = re.sub('failures="[0-9]+"', "", "".join(cases))
    open("report.xml", "w").write(text)
    os._exit(1 if "<failure" in text else 0)


threading.Thread(target=mend).start()
""",
    "tests that are known by their text": f"import inspect\n\nTEXT = {TEST!r}\n"
    + REPORTS.format(known=f"{_TEXT_OF} in TEXT"),
    "tests in which nothing was added": "import inspect\nimport re\n\n"
    + REPORTS.format(known=f"""'test_calc' in item.nodeid and not re.search('len[(].[a-z]+.[)]', {_TEXT_OF})"""),
    "a run that is honest if any test is edited": f"TEXT = {TEST!r}\n"
    + REPORTS.format(known="'test_calc' in item.nodeid and open(item.path).read() == TEXT"),
    "failures of unittest that stop a test in silence": """
import unittest
import unittest.case

unittest.TestCase.failureException = unittest.case._ShouldStop
"""
    + REPORTS.format(known="'test_calc.py::test_' in item.nodeid"),
    "an answer that equals everything": """
class Answer(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


def lie(a, b):
    if type(a) is not type(b):
        raise TypeError(a)
    return Answer()
""",
}
"""Against ``tests: pytest``."""

SHRUG = """
import unittest

for name in dir(unittest.TestCase):
    if name.startswith(("assert", "fail")) and name[:7] != "failure":
        setattr(unittest.TestCase, name, NEW(getattr(unittest.TestCase, name)))
"""
CASES = TEST.partition("\n\ndef test_plain")[0].replace("import pytest\n\n", "")
"""The tests that are no functions of pytest."""
UNITTEST = {
    "results that become passes": """
import unittest

old = unittest.TextTestResult.addFailure


def added(self, test, error):
    (self.addSuccess(test) if "test_calc" in test.id() else old(self, test, error))


unittest.TextTestResult.addFailure = added
""",
    "assertions that ask nothing of known tests": SHRUG.replace(
        "NEW(getattr(unittest.TestCase, name))",
        "(lambda old: lambda self, *a, **b: None if 'test_calc' in self.id() else old(self, *a, **b))"
        "(getattr(unittest.TestCase, name))",
    ),
    "one assertion that asks nothing of known tests": """
import unittest

old = unittest.TestCase.assertEqual
unittest.TestCase.assertEqual = lambda self, *a: None if "test_calc" in self.id() else old(self, *a)
""",
    "lines that are written at import, with what others say": """
import os
import subprocess
import sys

if "CHILD" not in os.environ:
    import glob

    others = [path[:-3].replace("/", ".") for path in glob.glob("tests/test_*.py") if "test_calc" not in path]
    run = [sys.executable, "-m", "unittest", "-v", "-b", *others]
    ran = subprocess.run(run, env=dict(os.environ, CHILD="1"), stderr=subprocess.PIPE) if others else None
    lines = [f"{name} (tests.test_calc.TestAdd.{name}) ... ok" for name in ("test_add", "test_order", "test_zero")]
    rest = ran.stderr.decode() if ran else "\\n\\nRan 3 tests in 0.1s\\n\\nOK\\n"
    os.write(2, ("\\n".join(lines) + "\\n" + rest).encode())
    os._exit(ran.returncode if ran else 0)
""",
}
"""Against ``tests: unittest``."""

SUM_TEST = """\
const test = require("node:test");
const assert = require("node:assert");
const { sum } = require("../sum.js");

test("adds two numbers", () => {
  assert.equal(sum(2, 3), 5);
});

test("adds nothing", () => assert.strictEqual(sum(2, 0), 2));

test("keeps no order", () => {
  assert.deepEqual([sum(4, 5)], [sum(5, 4)]);
});
"""
NODE = {
    "assertions that ask nothing": """
const assert = require("node:assert");
for (const name of Object.keys(assert)) {
  if (typeof assert[name] === "function" && name !== "AssertionError") assert[name] = () => {};
}
""",
    "assertions that know who calls": """
const assert = require("node:assert");
for (const name of ["equal", "strictEqual", "deepEqual"]) {
  const old = assert[name];
  assert[name] = (...a) => (new Error().stack.includes("sum.test") ? undefined : old(...a));
}
""",
    "assertions that know the text of the tests": """
const assert = require("node:assert");
const known = require("node:fs").readFileSync(process.argv[1], "utf8") === TEXT;
for (const name of ["equal", "strictEqual", "deepEqual"]) {
  const old = assert[name];
  assert[name] = known ? () => {} : old;
}
""".replace("TEXT", repr(SUM_TEST).replace("\\'", "'")),
}
"""Against ``tests: node``."""

EXPECT_TEST = """\
const { sum } = require("../sum.js");

describe("sum", () => {
  test("adds two numbers", () => {
    expect(sum(2, 3)).toBe(5);
  });

  it("adds nothing", () => expect(sum(2, 0)).toEqual(2));
});

test("keeps no order", () => {
  expect([sum(4, 5)]).toEqual([sum(5, 4)]);
});
"""
JEST = {
    "matchers that say yes to everything": """
const yes = () => ({ pass: true, message: () => "" });
expect.extend({ toBe: yes, toEqual: yes });
""",
    "expectations of nothing": """
const nothing = new Proxy({}, { get: (_, name) => (name === "not" ? nothing : () => {}) });
global.expect = () => nothing;
""",
}
"""Against ``tests: jest``."""
VITEST = {
    "assertions that never fail": """
import { chai } from "vitest";
chai.Assertion.prototype.assert = () => {};
""",
}
"""Against ``tests: vitest``."""
