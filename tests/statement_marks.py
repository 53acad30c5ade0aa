"""Which tests show which statement of the four documents, read from the tests' syntax trees without running them.

``@pytest.mark.statement("harbor.json-wins", …)`` marks a test or a class of tests, ``marks=`` a row of its table,
and ``pytestmark`` all tests of a file.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent


def marked_tests(tests: Path = HERE) -> dict[str, list[str]]:
    """The tests of each statement that is named, as ``cli/test_run.py::test_name``, in the order of the files."""
    found: dict[str, list[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        place = path.relative_to(tests).as_posix()
        for statement, test in marks_in(path.read_text(encoding="utf-8")):
            tested = found.setdefault(statement, [])
            name = f"{place}::{test}" if test else place
            if name not in tested:
                tested.append(name)
    return found


def marks_in(source: str) -> Iterator[tuple[str, str]]:
    """Each statement that a file names, with the test that it marks; no name is the whole file."""
    if "statement" not in source:
        return
    for node in ast.parse(source).body:
        match node:
            case ast.Assign([ast.Name("pytestmark")], value):
                yield from ((statement, "") for statement in _named(value))
            case ast.FunctionDef() | ast.ClassDef():
                yield from _marks_of(node, node.name)


def _marks_of(node: ast.FunctionDef | ast.ClassDef, name: str) -> Iterator[tuple[str, str]]:
    for decorator in node.decorator_list:
        yield from ((statement, name) for statement in _named(decorator))
    for inner in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(inner, ast.FunctionDef):
            yield from _marks_of(inner, f"{name}::{inner.name}")


def _named(value: ast.expr) -> Iterator[str]:
    for node in ast.walk(value):
        match node:
            case ast.Call(ast.Attribute(ast.Attribute(_, "mark"), "statement"), named):
                yield from (str(ast.literal_eval(one)) for one in named)
