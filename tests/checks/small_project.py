"""A small project with tests of its own, on which checks that run tests are tried for real.

Its runner is a small script that writes a report like any other, because starting a real one takes ten times as
long. It is no file that belongs to tests, so that everything around it can be swapped.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.formats.test_reports.rule import ReportRule
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import Site, write_files

Change = dict[str, str | tuple[str, str]]
RUNNER = """
import importlib, os, pathlib, sys, traceback
sys.path.insert(0, os.getcwd())
sys.dont_write_bytecode = True
setup = pathlib.Path("tests/setup_tests.py")
if setup.exists():
    importlib.import_module("tests.setup_tests")
cases, failed = [], 0
for path in sorted(pathlib.Path("tests").glob("test_*.py")):
    module = importlib.import_module(f"tests.{path.stem}")
    for name in [name for name in vars(module) if name.startswith("test_")]:
        inside = ""
        try:
            getattr(module, name)()
        except Exception:
            failed += 1
            inside = "<failure/>"
        cases.append(f'<testcase classname="tests.{path.stem}" name="{name}">{inside}</testcase>')
pathlib.Path("report.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
sys.exit(1 if failed else 0)
"""
COMMAND = f"{sys.executable} run.py"
REPORT = ReportRule("report.xml")
PROJECT = {
    "run.py": RUNNER,
    "cart.py": """
def total(items, tax):
    sum = 0
    for price, count in items:
        if count < 0:
            raise ValueError("count")
        sum += price * count
    return sum + sum * tax


def label(count):
    if count == 1:
        return "1 item"
    return str(count) + " items"
""",
    "tests/__init__.py": "",
    "tests/helper.py": """
TOLERANCE = 0.001


def same(found, wanted):
    assert found == wanted, (found, wanted)


def near(found, wanted):
    assert abs(found - wanted) <= TOLERANCE


def rows():
    return [(0, "0 items"), (1, "1 item"), (7, "7 items")]
""",
    "tests/test_cart.py": """
import cart
from tests.helper import near, rows, same


def test_total():
    same(cart.total([(2, 3), (1, 1)], 0), 7)


def test_tax():
    near(cart.total([(10, 2)], 0.5), 30)


def test_refused():
    try:
        cart.total([(1, -1)], 0)
    except ValueError as error:
        same(str(error), "count")
    else:
        raise AssertionError("it was not refused")


def test_label():
    for count, wanted in rows():
        same(cart.label(count), wanted)
""",
}


def project(
    folder: Path, change: Mapping[str, str | tuple[str, str]], files: Mapping[str, str] = PROJECT
) -> Captured:
    """The project after a change: for each path a new text, or a part of it and what is there instead."""
    site = Site(folder, files)
    for path, new in change.items():
        if isinstance(new, tuple):
            assert new[0] in files[path], (path, new[0])
            write_files(site.root, {path: files[path].replace(*new)})
        else:
            write_files(site.root, {path: new})
    return capture(Commands(str(site.root), site.baseline, PlainSandbox))
