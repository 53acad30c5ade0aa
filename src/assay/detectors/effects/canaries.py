"""Two tests of ours in the tests' own folder and language: one must pass, one must fail.

Their names are random. A report in which either is missing or wrong was forged, or its runner isn't running: code
that writes a report when it is imported doesn't know of them, and whoever turns failures into passes turns ours.
Whoever turns only the tests that it knows is found by ``assay.detectors.effects.poison``.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from assay.detectors.test_code.paths import is_collected_path, is_test_file, language_of
from assay.formats.test_reports.model import Ended, Report

Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Canaries:
    """A file with both tests, and their names."""

    path: str
    content: bytes
    passing: str
    failing: str

    def complaint(self, report: Report) -> str | None:
        """The complaint about a report; None if both ended as they must."""
        for name, must in ((self.passing, Ended.PASSED), (self.failing, Ended.FAILED)):
            found = set(report.matching(name).values())
            if found != {must}:
                others = [end for end in Ended if end in found - {must}]
                said = f"is reported as {others[0].value}" if others else "isn't in the report"
                return f"a test of ours that must have {must.value} {said}"
        return None


@dataclass(frozen=True, slots=True)
class _Way:
    """How a runner's tests are written: the languages, the name of a file, and its text."""

    languages: tuple[str, ...]
    file: str
    text: str
    name: str = "{}"


_WAYS: Final = {
    "pytest": _Way(
        ("python",),
        "test_{}.py",
        'import unittest\n\n\ndef {passing}():\n    assert sorted("ba") == ["a", "b"]\n\n\n'
        'def {failing}():\n    assert sorted("ba") == ["b", "a"]\n\n\nclass TestThem(unittest.TestCase):\n'
        '    def {failing}(self):\n        self.assertEqual(sorted("ba"), ["b", "a"])\n',
        "test_{}",
    ),
    "unittest": _Way(
        ("python",),
        "test_{}.py",
        "import unittest\n\n\nclass Canaries(unittest.TestCase):\n    def {passing}(self):\n"
        '        self.assertEqual(sorted("ba"), ["a", "b"])\n\n    def {failing}(self):\n'
        '        self.assertEqual(sorted("ba"), ["b", "a"])\n',
        "test_{}",
    ),
    "node": _Way(
        ("javascript", "typescript"),
        "{}.test.mjs",
        'import assert from "node:assert";\nimport test from "node:test";\n\n'
        'test("{passing}", () => assert.deepEqual(["b", "a"].sort(), ["a", "b"]));\n'
        'test("{failing}", () => assert.deepEqual(["b", "a"].sort(), ["b", "a"]));\n',
    ),
    "jest": _Way(
        ("javascript", "typescript"),
        "{}.test.js",
        'test("{passing}", () => expect(["b", "a"].sort()).toEqual(["a", "b"]));\n'
        'test("{failing}", () => expect(["b", "a"].sort()).toEqual(["b", "a"]));\n',
    ),
    "vitest": _Way(
        ("javascript", "typescript"),
        "{}.test.js",
        'import {{ expect, test }} from "vitest";\n\n'
        'test("{passing}", () => expect(["b", "a"].sort()).toEqual(["a", "b"]));\n'
        'test("{failing}", () => expect(["b", "a"].sort()).toEqual(["b", "a"]));\n',
    ),
    "go": _Way(
        ("go",),
        "{}_test.go",
        'package {package}\n\nimport "testing"\n\nfunc {passing}(t *testing.T) {{\n\tif len("ab") != 2 {{\n'
        '\t\tt.Fatal("2")\n\t}}\n}}\n\nfunc {failing}(t *testing.T) {{\n\tif len("ab") != 3 {{\n'
        '\t\tt.Fatal("3")\n\t}}\n}}\n',
        "TestX{}",
    ),
}
RUNNERS: Final = tuple(_WAYS)
_PACKAGE: Final = re.compile(r"^package\s+(\w+)", re.MULTILINE)


def made(runner: str, secret: str, paths: Iterable[str], read: Read) -> Canaries | None:
    """Canaries beside the first test of the baseline; None if it has none that this runner would run."""
    way = _WAYS[runner]
    beside = next((path for path in paths if is_test_of(runner, path)), None)
    if beside is None:
        return None
    half = len(secret) // 2
    passing, failing = (way.name.format(part) for part in (secret[:half], secret[half:]))
    package = _PACKAGE.search((read(beside) or b"").decode(errors="replace"))
    text = way.text.format(passing=passing, failing=failing, package=package[1] if package else "main")
    path = "/".join((*beside.split("/")[:-1], way.file.format(secret)))
    return Canaries(path, text.encode(), passing, failing)


def is_test_of(runner: str, path: str) -> bool:
    """Whether a runner would look for tests in a file."""
    name = path.rsplit("/", 1)[-1]
    ours = language_of(path) in _WAYS[runner].languages and name not in ("conftest.py", "__init__.py")
    return ours and is_test_file(path) and is_collected_path(path)
