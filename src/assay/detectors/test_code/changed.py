"""The changed test files of a workspace, read before and after."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assay.detectors.test_code.findings import FilePair, Finding
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.paths import is_collected_path, is_test_file, language_of, may_hold_source
from assay.detectors.test_code.read import decoded, read_both
from assay.evidence.workspace import Change, Entry, EntryKind, ReadApart, Workspace
from assay.formats.path_patterns import matching


@dataclass(frozen=True, slots=True)
class ComparedLines:
    """A file that is compared by its lines, since no reader understood it."""

    path: str
    before: str
    after: str


@dataclass(slots=True)
class ChangedTests:
    """The tests to compare. ``unusable`` are files that became links or can't be read any more.

    ``unjudged`` has a sentence for each file that can't be compared, through no fault of the run: its baseline is
    as unreadable, or its syntax is too new for the Python that runs Assay.
    """

    pairs: list[FilePair] = field(default_factory=list)
    by_lines: list[ComparedLines] = field(default_factory=list)
    unusable: list[Finding] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    files: int = 0

    @property
    def languages(self) -> list[str]:
        codes = [code for pair in self.pairs for code in (pair.before, pair.after) if code is not None]
        return sorted({code.language for code in codes})


def chooser(test_globset: tuple[str, ...] | None) -> Callable[[str], bool]:
    """Chooses test files: by the given patterns, else by their names."""
    if test_globset is None:
        return is_test_file
    return lambda path: matching(path, test_globset) is not None


def changed_tests(workspace: Workspace, test_globset: tuple[str, ...] | None) -> ChangedTests:
    """Read every changed test file of a workspace. A rename counts under both of its paths."""
    chosen = chooser(test_globset)
    found = ChangedTests()
    for change in workspace.changes:
        if any(chosen(path) for path in change.paths):
            _read(change, workspace, found)
    return found


def _read(change: Change, workspace: Workspace, found: ChangedTests) -> None:
    was_file, is_file = (_is_file(entry) for entry in (change.before, change.after))
    before = workspace.before(change.old_path) if was_file else None
    after = workspace.after(change.path) if is_file else None
    if change.after is not None and after is None and (was_file or is_file):
        kind = change.after.kind.value
        rule, now = (UNREADABLE, "can't be read") if is_file else ("file-replaced", f"is a {kind}")
        found.unusable.append(Finding(rule, change.path, 0, "", TEST_FILE if was_file else "", now))
    elif was_file and before is None:
        found.unjudged.append(f"{change.old_path} of the baseline can't be read")
    else:
        if before is not None or after is not None:
            _compare(change, before, after, workspace.read_apart, found)
        return
    found.files += 1


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.kind is EntryKind.FILE


def _compare(
    change: Change, before: bytes | None, after: bytes | None, apart: ReadApart, found: ChangedTests
) -> None:
    same_place = is_collected_path(change.path) == is_collected_path(change.old_path)
    if before == after and same_place and language_of(change.path) == language_of(change.old_path):
        found.files += 1
        return
    old, new = read_both(change.old_path, before, change.path, after, apart)
    pair = FilePair(change.path, change.old_path, old, new, _text(before), _text(after))
    if _only_source(change, pair):
        return
    found.files += 1
    known = [code for code in (old, new) if code is not None]
    finding, unjudged = made_unreadable(pair), unjudged_file(pair)
    found.unusable += [finding] if finding is not None else []
    found.unjudged += [unjudged] if unjudged is not None and finding is None else []
    if not known or any(code.problems for code in known):
        found.by_lines.append(ComparedLines(change.path, pair.before_text, pair.after_text))
        pair = _understood(pair)
    if known:
        found.pairs.append(pair)


def _only_source(change: Change, pair: FilePair) -> bool:
    """A Rust file outside of a folder of tests is test code only if there are tests in it."""
    if not all(may_hold_source(path) for path in change.paths):
        return False
    if reason_of(pair.before) or reason_of(pair.after):
        return "test" not in pair.before_text + pair.after_text
    return not any(code is not None and (code.tests or code.problems) for code in (pair.before, pair.after))


def _understood(pair: FilePair) -> FilePair:
    """Where one side could not be parsed at all, its tests are unknown, and so is what became of those before."""
    sides = (pair.before, pair.after)
    if all(code is None or code.tests or not code.problems for code in sides):
        return pair
    before, after = (replace(code, tests=()) if code is not None else None for code in sides)
    return replace(pair, before=before, after=after)


def _text(data: bytes | None) -> str:
    return decoded(data)[0] if data is not None else ""


UNREADABLE = "file-unreadable"
TEST_FILE = "a file of tests"


def reason_of(code: TestCode | None) -> str:
    """Why a version of a file can't be read; empty if it can, or isn't there."""
    return code.unreadable if code is not None else ""


def made_unreadable(pair: FilePair) -> Finding | None:
    """A finding if the run left a file that can't be read, or so broken that none of its tests is left."""
    after = pair.after
    if after is None or after.newer_than_us:
        return None
    if after.unreadable and after.unreadable != reason_of(pair.before):
        return Finding(
            UNREADABLE, pair.path, 0, "", TEST_FILE if pair.before is not None else "", after.unreadable
        )
    had_tests = pair.before is not None and bool(pair.before.tests)
    if had_tests and after.problems and not after.tests:
        return Finding(UNREADABLE, pair.path, 0, "", TEST_FILE, after.problems[0])
    return None


def unjudged_file(pair: FilePair) -> str | None:
    """A sentence if a file can't be compared because one of its versions can't be read."""
    if reason_of(pair.before):
        return f"{pair.old_path} of the baseline can't be read: {reason_of(pair.before)}"
    return f"{pair.path} can't be read: {reason_of(pair.after)}" if reason_of(pair.after) else None
