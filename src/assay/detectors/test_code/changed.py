"""The changed test files of a workspace, read before and after."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assay.detectors.test_code.findings import FilePair, Finding
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.paths import is_collected_path, is_test_file, language_of
from assay.detectors.test_code.read import decoded, read_both
from assay.evidence.apart import ReadApart
from assay.evidence.workspace import Change, EntryKind, Workspace
from assay.formats.path_patterns import matching


@dataclass(frozen=True, slots=True)
class Lines:
    """A file that is compared by its lines, since no reader understood it."""

    path: str
    before: str
    after: str


@dataclass(slots=True)
class ChangedTests:
    """What there is to compare. ``unusable`` are files that became links or can't be read any more.

    ``unjudged`` has a sentence for each file that nobody can compare, through no fault of the run: its baseline was
    as unreadable, or it needs a newer Assay.
    """

    pairs: list[FilePair] = field(default_factory=list)
    by_lines: list[Lines] = field(default_factory=list)
    unusable: list[Finding] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    files: int = 0

    @property
    def languages(self) -> list[str]:
        codes = [code for pair in self.pairs for code in (pair.before, pair.after) if code is not None]
        return sorted({code.language for code in codes})


def chooser(test_globset: tuple[str, ...] | None) -> Callable[[str], bool]:
    """Which paths are test files: by the given patterns, else by their names."""
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
    was_file = change.before is not None and change.before.kind is EntryKind.FILE
    is_file = change.after is not None and change.after.kind is EntryKind.FILE
    before = workspace.before(change.old_path) if was_file else None
    after = workspace.after(change.path) if is_file else None
    if change.after is not None and after is None and (was_file or is_file):
        kind = change.after.kind.value
        rule, now = ("file-unreadable", "can't be read") if is_file else ("file-replaced", f"is a {kind}")
        found.unusable.append(Finding(rule, change.path, 0, "", "a file of tests" if was_file else "", now))
        found.files += 1
    elif was_file and before is None:
        found.unjudged.append(f"{change.old_path} of the baseline can't be read")
        found.files += 1
    elif before is not None or after is not None:
        _compare(change, before, after, workspace.read_apart, found)


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
    _note_unreadable(pair, found)
    if (old is None and new is None) or any(code is not None and code.problems for code in (old, new)):
        found.by_lines.append(Lines(change.path, pair.before_text, pair.after_text))
        pair = _understood(pair)
    if old is not None or new is not None:
        found.pairs.append(pair)


def _note_unreadable(pair: FilePair, found: ChangedTests) -> None:
    """A file that can't be read is never a pass: a finding if the run made it so, unjudged if it was so before."""
    was = pair.before.unreadable if pair.before is not None else ""
    now = pair.after.unreadable if pair.after is not None else ""
    if pair.after is not None and now and now != was and not pair.after.newer_than_us:
        text = "can't be read, either" if was else "a file of tests" if pair.before is not None else ""
        found.unusable.append(Finding("file-unreadable", pair.path, 0, "", text, now))
    elif was or now:
        which = f"{pair.old_path} of the baseline" if was else pair.path
        found.unjudged.append(f"{which} can't be read: {was or now}")
    elif _lost_its_tests(pair.before, pair.after):
        problem = pair.after.problems[0] if pair.after is not None else ""
        found.unusable.append(Finding("file-unreadable", pair.path, 0, "", "a file of tests", problem))


def _lost_its_tests(before: TestCode | None, after: TestCode | None) -> bool:
    """Whether a file had tests and is so broken now that none is left to compare them with."""
    return before is not None and after is not None and bool(before.tests and after.problems and not after.tests)


def _only_source(change: Change, pair: FilePair) -> bool:
    """A Rust file outside of a folder of tests is test code only if there are tests in it."""
    if language_of(change.path) != "rust" or any(is_test_file(path[:-2] + "go") for path in change.paths):
        return False
    codes = [code for code in (pair.before, pair.after) if code is not None]
    if any(code.unreadable for code in codes):
        return not any("test" in text for text in (pair.before_text, pair.after_text))
    return not any(code.tests or code.problems for code in codes)


def _understood(pair: FilePair) -> FilePair:
    """Where one side could not be parsed at all, its tests are unknown, and so is what became of those before."""
    sides = (pair.before, pair.after)
    if all(code is None or code.tests or not code.problems for code in sides):
        return pair
    before, after = (replace(code, tests=()) if code is not None else None for code in sides)
    return replace(pair, before=before, after=after)


def _text(data: bytes | None) -> str:
    return decoded(data)[0] if data is not None else ""
