"""Data that tests read: golden files, fixtures, snapshots, tables of cases.

Found by watching which files the tests open, not by name. A file that they open counts as part of the tests,
unless

- it is code (by its ending, or by ``#!``) or compiled: whatever is imported is the program, or a test that others
  look at;
- it is a setting or a manifest that runners and package managers read, a cache, or somebody else's package;
- it is the program's own data, which the program would also read if nobody tested it.

Whose data it is follows from who knows it, in the code that the tests loaded. What is in a folder of tests is
theirs. Elsewhere, a file whose name the program has is the program's, and so is one in a folder that the program
names and tests don't. Of the rest, the tests' are those that they name, themselves or by a folder, and those that
nobody names outside of the folders in which the program has its code.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.detectors.effects.suite import Suite
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.settings.files.shared_settings import holds_settings
from assay.detectors.settings.files.steering import steers_a_runner
from assay.detectors.source_signs.roles import is_vendored
from assay.detectors.test_code.paths import in_test_folder, is_code
from assay.evidence.workspace import Change, ChangeKind, Side, Tree, Workspace
from assay.formats.globs import literal

MOST_FILES = 2_000
MOST_BYTES = 32 * 2**20
_COMPILED = re.compile(r"\.(?:pyc|pyo|pyd|so|dll|dylib|class|jar|war|exe|o|a|obj|node|pyi)$")
_CACHE = re.compile(r"(?:^|/)(?:__pycache__|[^/]*cache|\.hypothesis|\.nyc_output)/")
_SETTINGS = re.compile(
    r"(?:^|/)(?:requirements[^/]*\.(?:txt|in)|constraints[^/]*\.txt|[^/]*\.lock|[^/]*-lock\.(?:json|yaml)|go\.(?:mod|sum)"
    r"|Cargo\.toml|Gemfile|[^/]*\.gemspec|Rakefile|pom\.xml|[^/]*\.gradle|gradle\.properties|[^/]*\.(?:cs|fs|vb)proj"
    r"|[^/]*\.sln|composer\.json|Package\.resolved|[tj]sconfig[^/]*\.json|[^/]*\.config\.json|Makefile|[^/]*\.mk"
    r"|CMakeLists\.txt|Dockerfile|MANIFEST\.in|Pipfile|mix\.exs)$|^\.[^/]+$"
)
_DOCS = re.compile(r"\.(?:md|rst|adoc)$|(?:^|/)(?:README|LICEN[CS]E|COPYING|NOTICE|AUTHORS|CHANGE(?:S|LOG))[^/]*$")
# Whoever opens one of these opens everything: it packs, copies or searches the whole project.
_READ_BY_NO_TEST = re.compile(r"^(?:LICEN[CS]E|COPYING|\.editorconfig|\.gitattributes)[^/]*$")


def may_be_data(path: str) -> bool:
    """Whether a file is neither code, nor a setting, nor somebody else's."""
    if is_code(path) or _COMPILED.search(path) or _SETTINGS.search(path) or _CACHE.search(path):
        return False
    return not (holds_settings(path) or steers_a_runner(path) or is_vendored(path))


def changed_data(evidence: Workspace) -> list[Change]:
    """The changes of what may be data. Who may execute a file is no data."""
    changed = (one for one in evidence.changes if one.kind is not ChangeKind.MODE)
    return [one for one in changed if any(map(may_be_data, one.paths))]


@dataclass(frozen=True)
class DataOfTests:
    """Tells which of the files that a run of tests opened are the tests' own data.

    ``read`` gives the content of a file on the side that was run, and ``paths`` are all of that side.
    """

    opened: frozenset[str]
    read: Callable[[str], bytes | None]
    paths: tuple[str, ...]

    def has(self, path: str) -> bool:
        """Whether tests read a file, or something by way of a link to a folder, that is their own data."""
        if path in self.opened:
            return self._is_of_tests(path)
        below = f"{path}/"
        return path in self._folders and any(
            self._is_of_tests(one) for one in self.opened if one.startswith(below)
        )

    def count(self) -> int:
        """How many data files were opened, whoever they belong to."""
        return sum(map(may_be_data, self.opened))

    def _is_of_tests(self, path: str) -> bool:
        if not may_be_data(path) or (self.read(path) or b"").startswith(b"#!"):
            return False
        if belongs_to_tests(path) or in_test_folder(path):
            return True
        if self._program.names(path.rsplit("/", 1)[-1]):
            return False
        return self._put_there_by_tests(path)

    def _put_there_by_tests(self, path: str) -> bool:
        """Whether tests know a file better than the program does, whose code doesn't have its name."""
        *folders, name = path.split("/")
        at_home = bool(folders) and folders[0] in self._homes
        below = folders[1:] if at_home else folders
        tests_know_folder = any(self._tests.quotes(one) for one in below)
        if any(self._program.quotes(one) for one in below) and (at_home or not tests_know_folder):
            return False
        stem = name.split(".")[0]
        if self._tests.names(name) or self._tests.quotes(stem):
            return True
        if self._opens_everything or _DOCS.search(path):
            return False
        return tests_know_folder or not (at_home or self._program.quotes(stem))

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(path[:at] for path in self.opened for at, letter in enumerate(path) if letter == "/")

    @cached_property
    def _opens_everything(self) -> bool:
        return any(map(_READ_BY_NO_TEST.search, self.opened))

    @cached_property
    def _code(self) -> tuple[list[str], list[str]]:
        """The code of the program and that of the tests. Where a run opens none, all of it: it was compiled."""
        loaded = sorted(filter(_is_readable, self.opened))
        code = (
            loaded
            if any(not belongs_to_tests(path) for path in loaded)
            else list(filter(_is_readable, self.paths))
        )
        return [path for path in code if not belongs_to_tests(path)], [
            path for path in code if belongs_to_tests(path)
        ]

    @cached_property
    def _program(self) -> "_Code":
        return self._text(self._code[0])

    @cached_property
    def _tests(self) -> "_Code":
        return self._text(self._code[1])

    @cached_property
    def _homes(self) -> frozenset[str]:
        """The top folders that the program's code is in."""
        return frozenset(path.split("/")[0] for path in self._code[0] if "/" in path)

    def _text(self, paths: Iterable[str]) -> "_Code":
        texts: list[str] = []
        room = MOST_BYTES
        for path in list(paths)[:MOST_FILES]:
            data = self.read(path) or b""
            room -= len(data)
            if room < 0:
                break
            texts.append(data.decode(errors="replace"))
        return _Code("\n".join(texts))


def unnamed_data(evidence: Workspace) -> list[Change]:
    """The changes of what may be data of tests, though no name says so. Documents rarely are."""
    return [
        one
        for one in changed_data(evidence)
        if not all(map(belongs_to_tests, one.paths)) and not _DOCS.search(one.path)
    ]


def data_read_by_baseline(evidence: Workspace, suite: Suite) -> tuple[tuple[str, ...], str | None]:
    """Patterns of changed data that the baseline's tests read and that no name shows to be theirs.

    Runs the tests only if there is something that may be such data. If they can't be run, the second says why.
    """
    suspects = [one for one in unnamed_data(evidence) if one.kind is not ChangeKind.ADDED]
    if not suspects:
        return (), None
    ran = suite.run(evidence, Tree(Side.BASELINE), watch=True)
    return _patterns(suspects, data_of_baseline(evidence, ran.opened.paths)), ran.why_not_started


def data_on_both_sides(
    suspects: Sequence[Change], evidence: Workspace, before: frozenset[str], own: frozenset[str]
) -> tuple[str, ...]:
    """Patterns of changed data that the baseline's tests opened, and of added data that the agent's did."""
    old = (one for one in suspects if one.kind is not ChangeKind.ADDED)
    new = (one for one in suspects if one.kind is ChangeKind.ADDED)
    return (*_patterns(old, data_of_baseline(evidence, before)), *_patterns(new, data_as_left(evidence, own)))


def data_of_baseline(evidence: Workspace, opened: frozenset[str]) -> DataOfTests:
    return DataOfTests(opened, evidence.before, tuple(evidence.baseline_paths()))


def data_as_left(evidence: Workspace, opened: frozenset[str]) -> DataOfTests:
    changed = {one.old_path for one in evidence.changes}
    kept = (path for path in evidence.baseline_paths() if path not in changed)
    return DataOfTests(
        opened, evidence.after, (*kept, *(one.path for one in evidence.changes if one.after is not None))
    )


def _patterns(changes: Iterable[Change], data: DataOfTests) -> tuple[str, ...]:
    """Patterns of the paths of changes that are data of tests under any of their names."""
    found = (one for one in changes if any(map(data.has, one.paths)))
    return tuple(literal(path) for one in found for path in one.paths)


def _is_readable(path: str) -> bool:
    return is_code(path) and not is_vendored(path)


class _Code:
    """The text of many files, which is asked for the same words again and again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._quoted: dict[str, bool] = {}

    def names(self, name: str) -> bool:
        """True if it has the name of a file. Without an ending, only in a literal: it may be any word."""
        if "." not in name.strip("."):
            return self.quotes(name)
        # Most names aren't there at all, and to look for one is much faster than to look for a pattern.
        return name in self.text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", self.text) is not None

    def quotes(self, word: str) -> bool:
        """Whether a word is in a literal, alone or as a part of a path."""
        if word not in self._quoted:
            found = word in self.text and re.search(rf"[\"'`/]{re.escape(word)}[\"'`/.]", self.text) is not None
            self._quoted[word] = found
        return self._quoted[word]
