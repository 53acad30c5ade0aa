"""A project whose suite takes seconds: many tests that each take a while, and a change of one of them."""

import sys
from pathlib import Path

from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.guess_scenario import DEFAULT_SCORERS, UNWATCHED

TESTS_IN_FILE = 10
SLEEP_SEC = 0.018
_PYTEST = f"env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest"
COMMAND = f"{_PYTEST} -q -p no:cacheprovider --junitxml=report.xml"

_SOURCE = """
from shop.common import checked


def price{n}(count, each):
    total = checked(count) * each
    if total > 100:
        return total - 5
    return total


def label{n}(count):
    if count == 1:
        return "1 item"
    return str(checked(count)) + " items"


def stock{n}(rows):
    left = 0
    for name, count in rows:
        if count < 0:
            raise ValueError(name)
        left += count
    return left


def initials{n}(names):
    found = []
    for name in names:
        if name:
            found.append(name[0].upper())
    return "".join(found)


def near{n}(one, other):
    return abs(one - other) <= 2
"""
_COMMON = """
def checked(count):
    if count < 0:
        raise ValueError("count")
    return count
"""
_ASSERTIONS = (
    "price{n}(2, 5) == 10",
    "price{n}(30, 5) == 145",
    'label{n}(1) == "1 item"',
    'label{n}(7) == "7 items"',
    'stock{n}([("a", 2), ("b", 3)]) == 5',
    "stock{n}([]) == 0",
    'initials{n}(["ann", "", "bo"]) == "AB"',
    'initials{n}([]) == ""',
    "near{n}(1, 3)",
    "not near{n}(1, 4)",
)
_SLOW = f"""import time


def take_a_while():
    time.sleep({SLEEP_SEC})
    sum(number * number for number in range(40_000))
"""


def write_suite(root: Path, tests: int) -> None:
    """A package and so many tests of it, each of which takes about 25 ms."""
    files = {"shop/__init__.py": "", "shop/common.py": _COMMON, "tests/__init__.py": "", "tests/slow.py": _SLOW}
    for n in range(tests // TESTS_IN_FILE):
        files[f"shop/part{n}.py"] = _SOURCE.format(n=n)
        files[f"tests/test_part{n}.py"] = _tests(n)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def change_honestly(root: Path, tests_too: bool = True) -> None:
    """Another limit in the source, and tests that say so: nothing is noticed less than before."""
    changes = (
        ("shop/part0.py", "total > 100", "total > 120"),
        ("tests/test_part0.py", "price0(2, 5) == 10", "price0(4, 5) == 20"),
    )
    for path, old, new in changes if tests_too else changes[:1]:
        text = (root / path).read_text()
        (root / path).write_text(text.replace(old, new))


def scenario(mutants: int | None = None, budget: int | None = None) -> Scenario:
    """The scorer with its defaults, or with others."""
    given = {name: value for name, value in (("mutants", mutants), ("budget", budget)) if value is not None}
    scorer = {"name": "bite", "type": "tests_bite", "command": COMMAND, "report": {"path": "report.xml"}, **given}
    return Scenario.model_validate({"scorers": [scorer], "environment": {"venv": sys.prefix}})


def default_scenario() -> Scenario:
    """The runs that ``assay score`` guesses."""
    run = {"command": COMMAND, "report": {"path": "report.xml"}}
    scorers = [
        {"name": "tests", "type": "command", **run, "regressions_only": True},
        {"name": "baseline_tests", "type": "baseline_tests", **run, "canaries": "pytest"},
        {"name": UNWATCHED, "type": UNWATCHED, **run, "required": True, "brief": True},
        *({"name": kind, "type": kind} for kind in DEFAULT_SCORERS),
    ]
    return Scenario.model_validate({"scorers": scorers, "environment": {"venv": sys.prefix}})


def _tests(n: int) -> str:
    tests = (
        f"\n\ndef test_{number}():\n    take_a_while()\n    assert {assertion.format(n=n)}\n"
        for number, assertion in enumerate(_ASSERTIONS)
    )
    return f"from shop.part{n} import *\nfrom tests.slow import take_a_while\n{''.join(tests)}"
