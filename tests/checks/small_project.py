"""A small project with tests of its own, on which checks that run tests are tried for real.

Its runner is a small script that writes a report like any other, because starting a real one takes ten times as
long. It is no file that belongs to tests, so that everything around it can be swapped.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.formats.test_reports.rule import ReportRule
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import Site, write_files


@dataclass(frozen=True)
class Link:
    target: str


New = str | bytes | tuple[str, str] | Link | None
Change = dict[str, New]
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
    folder: Path,
    change: Mapping[str, New],
    files: Mapping[str, str | bytes] = PROJECT,
    links: Mapping[str, str] | None = None,
) -> Captured:
    """The project after a change: for each path a new content, or a part of it and what is there instead.

    None deletes a file.
    """
    site = Site(folder, files)
    for path, target in (links or {}).items():
        (site.root / path).symlink_to(target)
    site.freeze()
    for path, new in change.items():
        _apply(site.root, path, new, files)
    return capture(Commands(str(site.root), site.baseline, PlainSandbox))


def _apply(root: Path, path: str, new: New, files: Mapping[str, str | bytes]) -> None:
    if isinstance(new, tuple):
        old = files[path]
        assert isinstance(old, str)
        assert new[0] in old, (path, new[0])
        write_files(root, {path: old.replace(*new)})
    elif new is None or isinstance(new, Link):
        (root / path).unlink(missing_ok=True)
        if new is not None:
            (root / path).symlink_to(new.target)
    else:
        write_files(root, {path: new})
