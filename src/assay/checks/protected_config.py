"""Protected configuration: settings of runners, builds, checkers and CI still run the same tests and mean the
same by a pass.

Compares settings, not lines: a new dependency, a version, a reformatted file or an option for the output is
nothing. Knows pytest (whichever of its files counts), coverage, tox, nox, ``collect_ignore``; package.json's
scripts and the configuration of jest, vitest, mocha, karma, playwright and cypress; composer.json's scripts and
phpunit.xml; Makefiles and scripts that run tests; workflows of GitHub, GitLab and others, Jenkinsfile, justfile,
Taskfile; Cargo, go.mod, go.work, Maven, Gradle, .rspec, Rakefile, solutions and project files of .NET and
.runsettings. A module, project or crate that a build no longer lists counts while it is still there.

Linters and type checkers count too. A finding is a comment or an attribute that silences one for a whole file, in
source or in tests (``checker_silenced``: ``# ruff: noqa``, ``// @ts-nocheck``, ``/* eslint-disable */`` without an
end, ``#![allow(warnings)]``); a setting of tsconfig.json, mypy, pyright, ruff, flake8, pylint, ESLint, biome,
golangci-lint, clippy, PHPStan, Psalm, RuboCop, SwiftLint, detekt, .NET or Maven that was strict and isn't
(``checker_weakened``); a script that ran one and doesn't (``checker_not_run``); a failure of one that no longer
counts (``failure_ignored``). A silence that names a code, is for one line, or stands in generated code is honest.

Any other finding has one of these rules: ``failure_ignored`` (``|| true``, ``continue-on-error``), ``not_run``
(``-DskipTests``), ``narrowed`` (``-k``, ``--deselect``), ``tests_excluded``, ``tests_not_collected``,
``empty_run_passes``, ``test_command_emptied``, ``strictness_removed``, ``threshold_lowered``, ``retried``,
``expectations_rewritten``, ``plugin_loaded``, ``framework_replaced``, ``module_replaced`` (a stand-in for a module
that is tested), ``command_replaced`` (a shell function named like a tool), ``assertions_off`` (``python -O``),
``protected_path``.

``patterns`` (optional) has globs of further paths of which every change counts. It is advisory unless a
scenario says otherwise. Not seen: settings that a program computes, files that settings include from elsewhere,
and other tools.

Example: ``addopts = "-q -k 'not slow'"`` in ``pyproject.toml`` gives ``{"rule": "narrowed", "path":
"pyproject.toml", "line": 12, "before": "-q", "after": "-k not slow"}`` and the score 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import ClassVar

from assay.core.outcome import NotApplicable, Outcome, report_findings
from assay.detectors.settings import javascript, members, pytest_settings, python_tools, workflow
from assay.detectors.settings.checkers import hidden_checkers
from assay.detectors.settings.compare import settings_of, tools_of, weaker_settings
from assay.detectors.settings.read import is_code_config, is_workflow, readers
from assay.detectors.settings.silenced import has_silence, is_code, newly_silenced
from assay.detectors.settings.weakening import Weakening, line_of
from assay.detectors.source_signs.roles import is_vendored
from assay.detectors.test_code.paths import is_collected_path, is_test_file, language_of
from assay.evidence.workspace import Change, EntryKind, UnreadableError, Workspace
from assay.formats.path_patterns import check_patterns, matching_in_disguise
from assay.formats.source_text import source_text

_COVERAGE = (".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml")
_Found = tuple[str, Weakening]


@dataclass(frozen=True, slots=True)
class ProtectedConfig:
    """``patterns`` has globs of further protected paths; None for none."""

    kind: ClassVar[str] = "protected_config"
    advisory: ClassVar[bool] = True

    patterns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.patterns is not None and not self.patterns:
            raise ValueError("patterns needs at least one glob where it is given")
        check_patterns(self.patterns or ())

    def run(self, evidence: Workspace) -> Outcome:
        looked_at = [change for change in evidence.changes if _is_config(change) or self._is_named(change)]
        silenced = list(_silenced_code(evidence))
        if not looked_at and not silenced:
            return NotApplicable("no configuration of runners, builds, checkers or CI changed")
        files = _Files(evidence)
        found = list(dict.fromkeys([*files.compared(), *silenced, *self._named_changes(looked_at)]))
        return report_findings(
            [weakening.row(path) for path, weakening in found],
            f"{len(found)} settings are weaker",
            f"{len(looked_at)} changed files of configuration are as strict as before",
            [*evidence.cut, *files.unread],
        )

    def _is_named(self, change: Change) -> bool:
        return any(matching_in_disguise(path, self.patterns or ()) is not None for path in change.paths)

    def _named_changes(self, changes: list[Change]) -> Iterator[_Found]:
        for change in changes:
            if self._is_named(change):
                yield change.path, Weakening("protected_path", 1, None, change.kind.value)


def _silenced_code(evidence: Workspace) -> Iterator[_Found]:
    """Code of any kind, tests too, in which a linter or a type checker is switched off."""
    for change in evidence.changes:
        if change.after is None or change.after.kind is not EntryKind.FILE or is_vendored(change.path):
            continue
        data = evidence.after(change.path) if is_code(change.path) else None
        after = source_text(data) if data is not None and has_silence(change.path, data) else None
        if after is not None:
            before = source_text(evidence.before(change.old_path)) if change.before is not None else None
            yield from ((change.path, found) for found in newly_silenced(change.path, before, after))


def _is_config(change: Change) -> bool:
    names = (*pytest_settings.FILES, *_COVERAGE, "conftest.py")
    return any(
        readers(path) or tools_of(path) or members.is_list(path) or _name(path) in names for path in change.paths
    ) or any(is_workflow(path) or is_code_config(path) for path in change.paths)


class _Files:
    """The changed files of configuration, each compared with itself, and some of them together."""

    def __init__(self, evidence: Workspace) -> None:
        self._evidence = evidence
        self._changes = [change for change in evidence.changes if _is_config(change)]
        self._tests: tuple[str, ...] | None = None
        self.unread: list[str] = []

    def compared(self) -> Iterator[_Found]:
        for change in self._changes:
            before, after = self._texts(change)
            for compare in readers(change.path):
                yield from ((change.path, found) for found in compare(before, after))
            if is_code_config(change.path):
                yield from self._code_config(change, before, after)
            if _name(change.path) == "conftest.py":
                tests = self._tests_below(_folder(change.path))
                found = python_tools.collect_ignore(before or "", after or "", tests)
                yield from ((change.path, weakening) for weakening in found)
            weaker = weaker_settings(change.path, before, after, self._settings(change))
            yield from ((change.path, found) for found in weaker)
            if not change.path.endswith(".json"):
                yield from ((change.path, found) for found in hidden_checkers(before, after))
            yield from self._left_out(change, before, after)
        yield from self._pytest()
        yield from self._coverage()
        yield from self._workflows()

    def _code_config(self, change: Change, before: str | None, after: str | None) -> Iterator[_Found]:
        try:
            found = list(javascript.code_config(change.path, before, after, self._evidence.read_apart))
        except UnreadableError as error:
            self.unread.append(f"{change.path}: {error}, so it wasn't read.")
            return
        yield from ((change.path, weaker) for weaker in found)

    def _settings(self, change: Change) -> dict[str, list[str]]:
        """The checkers' settings in the other changed files."""
        others = (other for other in self._changes if other is not change and other.after is not None)
        return {
            key: values
            for other in others
            for key, values in settings_of(other.path, source_text(self._evidence.after(other.path))).items()
        }

    def _left_out(self, change: Change, before: str | None, after: str | None) -> Iterator[_Found]:
        """Parts that a build no longer has though they still exist. Deleted ones need no tests."""
        for part, found in members.left_out(change.path, before, after):
            path = f"{_folder(change.path)}{part}"
            below = (one for one in self._evidence.baseline_paths() if f"{one}/".startswith(f"{path}/"))
            if any(self._evidence.entry(one) is not None for one in below):
                yield change.path, found

    def _texts(self, change: Change) -> tuple[str | None, str | None]:
        after = source_text(self._evidence.after(change.path))
        if after is None and change.after is not None:
            what = "a link" if change.after.kind is EntryKind.LINK else "too large or not text"
            self.unread.append(f"{change.path}: {what}, so it wasn't read.")
        # A new file that tools prefer to another one takes that one's place.
        earlier = change.old_path if change.before is not None else _preferred_to(change.path)
        return source_text(self._evidence.before(earlier)), after

    def _pytest(self) -> Iterator[_Found]:
        """For every folder with a changed file of pytest's: the settings that count, before and after."""
        names = set(pytest_settings.FILES)
        for folder in sorted(
            {_folder(path) for change in self._changes for path in change.paths if _name(path) in names}
        ):
            _, old = pytest_settings.effective(partial(self._before, folder))
            name, new = pytest_settings.effective(partial(self._after, folder))
            path = f"{folder}{name}" if name else self._first_of(folder, names)
            text = source_text(self._evidence.after(path)) or ""
            for found in pytest_settings.compare(old, new, text, self._tests_below(folder)):
                yield path, found

    def _coverage(self) -> Iterator[_Found]:
        """The demands of a folder's files together: one may have moved from a file to another."""
        for folder in sorted(
            {_folder(change.path) for change in self._changes if _name(change.path) in _COVERAGE}
        ):
            old, new = self._demanded_coverage(folder, self._before), self._demanded_coverage(folder, self._after)
            if old is not None and (new is None or new < old):
                path = self._first_of(folder, set(_COVERAGE))
                text = source_text(self._evidence.after(path)) or ""
                shown = None if new is None else f"{new:g}"
                yield path, Weakening("threshold_lowered", line_of(text, "fail_under"), f"{old:g}", shown)

    def _demanded_coverage(self, folder: str, read: Callable[[str, str], str | None]) -> float | None:
        found = [python_tools.demanded_coverage(name, read(folder, name) or "") for name in _COVERAGE]
        return max((value for value in found if value is not None), default=None)

    def _before(self, folder: str, name: str) -> str | None:
        return source_text(self._evidence.before(f"{folder}{name}"))

    def _after(self, folder: str, name: str) -> str | None:
        return source_text(self._evidence.after(f"{folder}{name}"))

    def _workflows(self) -> Iterator[_Found]:
        read = list(self._read_workflows())
        # A new workflow is compared with the deleted ones: it may be one of them under another name.
        deleted = workflow.together(old for change, _, old, _ in read if change.after is None)
        for change, text, old, new in read:
            elsewhere = frozenset(name for other, _, _, now in read if other is not change for name in now.runners)
            earlier = deleted if change.before is None else old
            yield from ((change.path, weaker) for weaker in workflow.compare(earlier, new, text, elsewhere))

    def _read_workflows(self) -> Iterator[tuple[Change, str, workflow.Workflow, workflow.Workflow]]:
        for change in self._changes:
            if not any(map(is_workflow, (change.path, change.old_path))):
                continue
            before, after = self._texts(change)
            old, new = workflow.read_workflow(before), workflow.read_workflow(after)
            if old is None or new is None:
                self.unread.append(f"{change.path}: can't be read as YAML.")
            else:
                yield change, after or "", old, new

    def _first_of(self, folder: str, names: set[str]) -> str:
        return next(
            change.path
            for change in self._changes
            if any(_folder(path) == folder and _name(path) in names for path in change.paths)
        )

    def _tests_below(self, folder: str) -> tuple[str, ...]:
        """The baseline's Python tests below a folder, relative to it."""
        if self._tests is None:
            self._tests = tuple(path for path in self._evidence.baseline_paths() if _is_python_test(path))
        return tuple(path.removeprefix(folder) for path in self._tests if path.startswith(folder))


def _is_python_test(path: str) -> bool:
    return (
        language_of(path) == "python"
        and is_test_file(path)
        and is_collected_path(path)
        and _name(path) != "conftest.py"
    )


def _preferred_to(path: str) -> str:
    name = _name(path)
    other = {"GNUmakefile": "Makefile", "makefile": "Makefile", "rakefile": "Rakefile"}.get(name, name)
    if name.startswith("vitest.config"):
        other = name.replace("vitest.config", "vite.config")
    return f"{_folder(path)}{other}"


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _folder(path: str) -> str:
    return path[: len(path) - len(path.rpartition("/")[2])]
