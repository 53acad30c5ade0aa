"""The layers hold, and a broken layer would be noticed."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import REPO
from tests.purity import PURE, pure_modules, reaches

OUTSIDE = "Below adapters nothing reaches the outside"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_project(tmp_path_factory.mktemp("project"))


def copy_project(root: Path) -> Path:
    """A copy of the code and its contracts, to be broken."""
    shutil.copytree(REPO / "src" / "assay", root / "src" / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPO / "pyproject.toml", root)
    return root


def lint_imports(project: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project / "src"), "COLUMNS": "500"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_layers_hold(project: Path) -> None:
    found = lint_imports(project)
    assert (found.returncode, found.stderr) == (0, "")
    assert "0 broken" in found.stdout


LAYERS = "Imports go one way, from the faces down to the core"
BREACHES = [
    ("core.total", "assay.engine.jobs.job", LAYERS),
    ("dialects.harbor.reasons", "assay.cli.output.table", LAYERS),
    ("engine.jobs.job", "assay.adapters.machine.safe_read", LAYERS),
    ("checks.command", "assay.adapters.machine.safe_read", LAYERS),
    ("detectors.secrets.scan", "assay.adapters.machine.safe_read", LAYERS),
    ("core.outcome", "msgspec", "The core uses the standard library only"),
    ("checks.command", "assay.checks.file_exists", "Checks do not import each other"),
    ("dialects.harbor.reasons", "assay.dialects.scorers.report", "Dialects do not import each other"),
    ("engine.jobs.job", "subprocess", OUTSIDE),
    ("formats.globs", "time", OUTSIDE),
]


@pytest.fixture(scope="module")
def breached(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What is said about a project with all these breaches."""
    root = copy_project(tmp_path_factory.mktemp("breached"))
    for module, imported, _ in BREACHES:
        with open(root / "src" / "assay" / f"{module.replace('.', '/')}.py", "a") as file:
            file.write(f"\nimport {imported}\n")
    return lint_imports(root)


@pytest.mark.parametrize(("module", "imported", "contract"), BREACHES)
def test_a_broken_layer_is_noticed(
    breached: subprocess.CompletedProcess[str], module: str, imported: str, contract: str
) -> None:
    assert breached.returncode == 1
    assert f"{contract} BROKEN" in breached.stdout
    assert re.search(rf"assay\.{re.escape(module)} -> {re.escape(imported)} \(l\.\d+\)", breached.stdout)


def test_a_package_without_a_layer_is_noticed(project: Path) -> None:
    stray = project / "src" / "assay" / "helpers"
    stray.mkdir()
    (stray / "__init__.py").write_text("")
    try:
        found = lint_imports(project)
    finally:
        shutil.rmtree(stray)
    assert found.returncode == 1
    assert "helpers" in found.stdout


def test_below_adapters_nothing_reaches_the_outside() -> None:
    package = REPO / "src" / "assay"
    found = [
        f"{path.relative_to(package)}:{line}: {name}"
        for path in pure_modules(package)
        for line, name in reaches(path.read_text())
    ]
    assert found == []


def test_every_layer_below_adapters_is_looked_at() -> None:
    layers = {path.parent.name for path in (REPO / "src" / "assay").glob("*/__init__.py")}
    assert layers - {"adapters", "cli", "client", "api", "rewards", "web"} == set(PURE)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("import subprocess", "subprocess"),
        ("import os.path", "os.path"),
        ("from os import environ", "os"),
        ("from time import monotonic", "time"),
        ("import random as chance", "random"),
        ("import socket, json", "socket"),
        ("import pathlib", "pathlib"),
        ("from pathlib import Path, PurePosixPath", "pathlib.Path"),
        ("def f():\n    import httpx", "httpx"),
        ("from urllib.request import urlopen", "urllib.request"),
        ("open('x')", "open"),
        ("from datetime import datetime\ndatetime.now()", "datetime.now"),
        ("from datetime import date\ndate.today()", "date.today"),
    ],
)
def test_what_reaches_the_outside_is_noticed(line: str, name: str) -> None:
    assert [found for _, found in reaches(line)] == [name]


@pytest.mark.parametrize(
    "line",
    [
        "from pathlib import PurePosixPath",
        "from urllib.parse import quote",
        "from urllib import parse",
        "from datetime import datetime\ndatetime.fromisoformat('2026-01-01')",
        "archive.open('x')",
        "import posixpath, json, threading",
        "from assay.core import time",
    ],
)
def test_what_only_computes_is_not_in_the_way(line: str) -> None:
    assert list(reaches(line)) == []


# Below adapters, these catch whatever is raised, and say there why; none of them makes a score of it.
CATCH_EVERYTHING = {
    "core/grading.py",  # the one boundary at which an exception becomes an outcome
    "dialects/evaluation/schema.py",  # a schema library: refuses the schema, or raises MeasurementError
    "dialects/evaluation/output.py",  # a YAML library on hostile text: the text is unusable
    "dialects/harbor/outcome_line.py",  # harbor's own rule
    "engine/service/do_work.py",  # raised again as a broken measurement, which ends the piece of work
    "engine/service/task_runs.py",  # raised again, once the run can be completed by somebody else
    "engine/criteria/shared_state.py",  # raised again, to everybody who waits
    "engine/run/trial_queue.py",  # raised again, in the thread that waits
    "formats/fhirpath/evaluate.py",  # a library that raises bare exceptions about data
}


def catches_everything(source: str) -> bool:
    """Whether something in a text of Python catches every exception."""
    handlers = [node.type for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ExceptHandler)]
    return any(kind is None or re.search(r"\b(Base)?Exception\b", ast.unparse(kind)) for kind in handlers)


def makes_an_error_an_outcome(source: str) -> bool:
    """Whether something in a text of Python makes an ``Errored``."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(ast.unparse(call).rpartition(".")[2] == "Errored" for call in calls)


def pure_where(holds: Callable[[str], bool]) -> set[str]:
    package = REPO / "src" / "assay"
    return {str(path.relative_to(package)) for path in pure_modules(package) if holds(path.read_text())}


def test_only_one_place_turns_an_exception_into_an_outcome() -> None:
    assert pure_where(makes_an_error_an_outcome) == {"core/grading.py"}
    assert pure_where(catches_everything) == CATCH_EVERYTHING


@pytest.mark.parametrize(
    "clause", ["except:", "except Exception:", "except (ValueError, BaseException) as error:"]
)
def test_a_second_boundary_is_noticed(clause: str) -> None:
    assert catches_everything(f"try:\n    pass\n{clause}\n    pass\n")
    assert not catches_everything("try:\n    pass\nexcept ExceptionalCase:\n    pass\n")


def test_an_outcome_made_of_an_error_elsewhere_is_noticed() -> None:
    assert makes_an_error_an_outcome("outcome = Errored(summary='x', error_type='y')")
    assert makes_an_error_an_outcome("from assay.core import outcome\noutcome.Errored('x', 'y')")
    assert not makes_an_error_an_outcome("isinstance(outcome, Errored)")


# What a store may raise: its own two errors, mistakes of its callers that no user can make, and what tells a pool
# that its connections are dead.
STORE_ERRORS = {"InvalidatePoolError", "StoreError", "StoreRefusalError", "ValueError"}


def errors_raised(source: str) -> set[str]:
    """The names of what is raised in a text of Python, and of the errors that it imports from elsewhere."""
    tree = ast.walk(ast.parse(source))
    found = set()
    for node in tree:
        if isinstance(node, ast.Raise) and node.exc is not None:
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(made).rpartition(".")[2])
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("service.errors"):
            found |= {one.name for one in node.names}
    return found


def test_a_store_knows_no_rules_of_the_service() -> None:
    package = REPO / "src" / "assay" / "adapters" / "store"
    others = {
        str(path.relative_to(package)): errors_raised(path.read_text()) - STORE_ERRORS
        for path in package.rglob("*.py")
    }
    assert {name: errors for name, errors in others.items() if errors} == {}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("raise InputError('x')", "InputError"),
        ("raise errors.ConflictError('x') from error", "ConflictError"),
        ("raise NotFoundError", "NotFoundError"),
        ("from assay.engine.service.errors import BusyError", "BusyError"),
    ],
)
def test_a_rule_in_a_store_is_noticed(line: str, name: str) -> None:
    assert errors_raised(line) == {name}
    assert errors_raised("try:\n    pass\nexcept OSError:\n    raise") == set()


def test_no_module_imports_what_another_keeps_to_itself() -> None:
    package = REPO / "src" / "assay"
    taken = [
        f"{path.relative_to(package)}: {name.name}"
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay")
        for name in node.names
        if name.name.startswith("_")
    ]
    assert taken == []


def test_no_folder_and_no_file_grows_too_large() -> None:
    modules = list((REPO / "src" / "assay").rglob("*.py"))
    folders = Counter(path.parent for path in modules)
    assert [folder for folder, number in folders.items() if number > 25] == []
    assert [path for path in modules if len(path.read_text().splitlines()) > 400] == []
