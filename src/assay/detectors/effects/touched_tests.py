"""The baseline's tests that aren't as they were, or that use something that isn't: where, and their words.

Told by reading, and only to choose what is run: nothing follows from it by itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Final

from assay.detectors.effects.suite import TESTS_OF_BASELINE
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.settings.files.steering import steers_a_runner
from assay.detectors.source_signs.roles import is_vendored
from assay.detectors.test_code.changed import changed_tests
from assay.detectors.test_code.findings import FilePair, source_of
from assay.detectors.test_code.model import Test
from assay.detectors.test_code.paths import is_collected_path
from assay.detectors.test_code.removed_names import renamings, with_names
from assay.evidence.workspace import Change, ChangeKind, Side, Tree, Workspace, changed_paths
from assay.formats.globs import literal

# An update of everything that others wrote has nothing to do with tests.
_MOST_VENDORED: Final = 50
WORD: Final = re.compile(r"[^\W\d]\w*")
_DEFINES: Final = re.compile(r"\s*(?:\w+ )*?(?:def|function|func|fn|fun|const|let|var)\s+(\w+)")
_IMPORT: Final = re.compile(r"\s*(?:import\b|from\b|use\b|using\b|require\b|(?:const|let|var)\b.*\brequire\()")


@dataclass(frozen=True, slots=True)
class TouchedTests:
    """The files of such tests, none for all files; the words of these tests, and those of their files."""

    files: tuple[str, ...]
    words: frozenset[str]
    words_of_files: frozenset[str]


@dataclass(frozen=True, slots=True)
class BaselinesTests:
    """The baseline's tests on the agent's source, with its new ``names`` for the same."""

    names: Mapping[str, str]
    tree: Tree

    @property
    def agents_on_baseline(self) -> Tree:
        """The other way round: the agent's tests on the baseline's source."""
        return Tree(Side.BASELINE, swapped=self.tree.swapped)

    def with_files(self, more: Mapping[str, bytes]) -> Tree:
        """The same with more files of tests on top."""
        renamed = {path: with_names(data, self.names) for path, data in more.items()}
        return replace(self.tree, files={**self.tree.files, **renamed})


def baselines_tests(evidence: Workspace) -> BaselinesTests:
    """Found once for a workspace: all of its changes are compared."""
    names = renamings(evidence)
    paths = [one.old_path for one in evidence.changes if names and belongs_to_tests(one.old_path)]
    files = {path: data for path in paths if (data := evidence.before(path))}
    bare = BaselinesTests(names, Tree(swapped=(*TESTS_OF_BASELINE, *_vendored_for_tests(evidence))))
    return replace(bare, tree=bare.with_files(files))


def _vendored_for_tests(evidence: Workspace) -> Iterator[str]:
    """Changed code of others in the project that the baseline's tests name and its source doesn't."""
    vendored = [
        path for path in changed_paths(evidence) if is_vendored(path) and evidence.before(path) is not None
    ]
    if not 0 < len(vendored) <= _MOST_VENDORED:
        return
    names = {path: _without_suffix(path) for path in vendored}
    readers: dict[str, list[bool]] = {path: [] for path in vendored}
    for one in evidence.baseline_paths():
        data = evidence.before(one) or b""
        for path, name in names.items():
            if name in data:
                readers[path].append(belongs_to_tests(one))
    yield from (literal(path) for path, found in readers.items() if found and all(found))


def _without_suffix(path: str) -> bytes:
    """How code names a file: by the last folder and its own name."""
    return "/".join(PurePosixPath(path).with_suffix("").parts[-2:]).encode(errors="surrogateescape")


def touched_tests(evidence: Workspace) -> TouchedTests | None:
    """The tests to ask; None if those of the baseline are as they were."""
    pairs = {pair.old_path: pair for pair in changed_tests(evidence, None).pairs}
    files: dict[str, list[str]] = {}
    everywhere = False
    for change in evidence.changes:
        path, is_new = change.old_path, change.kind is ChangeKind.ADDED
        if steers_a_runner(path) or (belongs_to_tests(path) and not is_collected_path(path) and not is_new):
            using = dict(_using(evidence, change))
            everywhere |= not using
            files |= using
        elif path in pairs and not is_new and (texts := [*_changed_texts(pairs[path])]):
            files |= dict.fromkeys(change.paths, texts)
    if not files and not everywhere:
        return None
    words = frozenset(WORD.findall("\n".join(chain(*files.values()))))
    whole = b"\n".join(evidence.before(path) or b"" for path in files).decode(errors="replace")
    return TouchedTests(() if everywhere else tuple(sorted(files)), words, frozenset(WORD.findall(whole)))


def _changed_texts(pair: FilePair) -> Iterator[str]:
    """The tests of a file that aren't as they were; the whole file if it is something around them."""
    old, new = (
        {test.identity: test for test in (code.tests if code else ())} for code in (pair.before, pair.after)
    )
    texts = {name: source_of(pair.before_text, test) for name, test in old.items()}
    yield from (
        text for name, text in texts.items() if name not in new or text != source_of(pair.after_text, new[name])
    )
    if [*_lines_outside(pair.before_text, old.values())] != [*_lines_outside(pair.after_text, new.values())]:
        yield pair.before_text


def _lines_outside(text: str, tests: Iterable[Test]) -> Iterator[str]:
    """The lines of a file outside of its tests, without imports."""
    inside = {number for test in tests for number in range(test.line, test.end_line + 1)}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and number not in inside and not _IMPORT.match(line):
            yield line.strip()


def _using(evidence: Workspace, change: Change) -> Iterator[tuple[str, list[str]]]:
    """Files of tests that name a file that serves them, with the parts that name what was changed in it."""
    data = evidence.before(change.old_path), evidence.after(change.path)
    before, after = ((one or b"").decode(errors="replace").splitlines() for one in data)
    changed = set(_changed_names(before, after))
    name = change.path.rpartition("/")[2].split(".")[0]
    for path in evidence.baseline_paths():
        text = (evidence.before(path) or b"").decode(errors="replace") if is_collected_path(path) else ""
        if path != change.path and name in text:
            yield path, [part for part in text.split("\n\n") if changed & {*WORD.findall(part)}]


def _changed_names(before: list[str], after: list[str]) -> Iterator[str]:
    """The names that are defined on a changed line, or last before one."""
    for kind, start, end, *_ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        lines = (
            ()
            if kind == "equal"
            else (*before[start:end], *islice(filter(_DEFINES.match, before[:start][::-1]), 1))
        )
        yield from (found[1] for line in lines if (found := _DEFINES.match(line)))
