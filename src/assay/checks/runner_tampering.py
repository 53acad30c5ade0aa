"""Runner tampering: nothing was added that leads a run of tests astray.

Looks at changed files for what was not there before:

- in Python: hooks of pytest that change a report, the status or the selection, catch what tests raise or never run
  them; exits with success on import or at the end; patched frameworks in conftest and tests
- in JavaScript, TypeScript, Go, Java, Kotlin, Rust, Ruby, C#, PHP and Swift: replaced ``expect`` and ``it``,
  assertions that check nothing, ``process.exit(0)`` in tests, a ``TestMain`` that drops the result, ``at_exit {
  exit! 0 }``, module initialisers that exit, hooks of JUnit, PHPUnit and XCTest that swallow
- in a ``conftest.py`` or a setup file of jest or vitest, what is tested replaced by something with a fixed answer
  (``subject_patched``); a stand-in that answers nothing, and one that a test asks for, are honest
- files that the configuration of jest, vitest, mocha and others has them load, as the tests themselves
- files that stand in front of others: modules named like pytest, unittest or what these import,
  ``sitecustomize.py``, ``.pth`` files that run code, executables named like tools, classes in a framework's
  package
- lines of settings, scripts and workflows that load code into every process (``LD_PRELOAD``, ``NODE_OPTIONS``,
  Java agents) or wrap tools (``GOFLAGS=-toolexec``, runners of cargo)
- edited files of packages that were installed at the baseline; a package that was upgraded as a whole is none

It has no fields and is advisory unless a scenario says otherwise. Not seen: what a compiled file does, an
environment that is all new (the evidence names it), and hooks that reach a report by way of names that are
computed.

Example: ``report.outcome = "passed"`` in ``conftest.py`` gives ``{"rule": "result_changed", "path": "conftest.py",
"line": 9, "before": null, "after": "report.outcome = \\"passed\\""}`` and the score 0.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import ClassVar

from assay.core.outcome import NotApplicable, Outcome, report_findings
from assay.detectors.settings.files import shadowing
from assay.detectors.settings.files.cargo_config import cargo_signs
from assay.detectors.settings.files.loaded import CONFIGURATIONS, LOADABLE, loaded_files
from assay.detectors.settings.files.preload import preload_in_code, preload_signs
from assay.detectors.source_signs.changed import signs_of_change
from assay.detectors.source_signs.native import SignsText
from assay.detectors.source_signs.read import tampering_signs
from assay.detectors.source_signs.roles import (
    code_language,
    is_program_of_tests,
    is_script,
    is_test_code,
    project_packages,
)
from assay.detectors.source_signs.sign import Sign, sign
from assay.detectors.test_code.paths import is_collected_path
from assay.evidence.workspace import Change, ChangeKind, EntryKind, UnreadableError, Workspace
from assay.formats.counting import counted
from assay.formats.source_text import source_text

_PROSE = (".md", ".rst", ".txt", ".adoc", ".html", ".lock", ".svg", ".csv", ".ipynb", ".po", ".sum")
_PATCHES = re.compile(r"setattr|patch|\.\w+\s*=(?!=)")
_ARRIVES = (ChangeKind.ADDED, ChangeKind.RENAMED, ChangeKind.TYPE)


@dataclass(frozen=True, slots=True)
class RunnerTampering:
    """Whether nothing new leads a run of tests astray."""

    kind: ClassVar[str] = "runner_tampering"
    advisory: ClassVar[bool] = True

    def run(self, evidence: Workspace) -> Outcome:
        if not evidence.changes:
            return NotApplicable("nothing changed")
        environments = _Environments(evidence)
        loaded = _loaded_by_runners(evidence)
        found, unread = [], []
        for change in evidence.changes:
            try:
                signs = _signs(evidence, change, environments, change.path in loaded)
                found += [new.row(change.path) for new in signs]
            except UnreadableError as error:
                unread.append(f"{change.path}: {error}, so it wasn't read.")
        return report_findings(
            found,
            f"{counted(len(found), 'change')} may lead tests astray",
            f"nothing in {len(evidence.changes)} changed paths leads tests astray",
            [*evidence.cut, *environments.notes, *unread],
        )


def _loaded_by_runners(evidence: Workspace) -> frozenset[str]:
    """Files that the configuration of a runner has it load: they are test code, wherever they lie."""
    if not any(change.path.endswith(LOADABLE) for change in evidence.changes):
        return frozenset()
    texts = (source_text(evidence.after(name)) for name in CONFIGURATIONS)
    return frozenset(path for text in texts if text is not None for path in loaded_files(text))


def _signs(evidence: Workspace, change: Change, environments: "_Environments", is_loaded: bool) -> Iterator[Sign]:
    folder = shadowing.environment_of(change.path)
    if folder is not None:
        yield from environments.signs(change, folder)
        return
    if change.after is None:
        return
    yield from _by_place(evidence, change)
    if change.after.kind is EntryKind.FILE:
        yield from _by_content(evidence, change, is_loaded)


def _by_place(evidence: Workspace, change: Change) -> Iterator[Sign]:
    """Signs by a path's name alone. Only what newly arrives there counts, startup files excepted."""
    rule = shadowing.shadowed(change.path)
    counts = change.kind in _ARRIVES or rule == "startup_file"
    if rule is not None and counts and not _hides_nothing(evidence, change.path, rule):
        yield sign(rule, 1, change.path)
    if change.path.endswith(".pth"):
        text = source_text(evidence.after(change.path))
        if text is not None and shadowing.runs_code(text):
            yield sign("startup_file", 1, change.path)
    tool = shadowing.tool_of(change.path)
    if tool is not None and _became_executable(change) and not _is_stub(evidence, change.path):
        yield sign("tool_shadowed", 1, change.path)


def _hides_nothing(evidence: Workspace, path: str, rule: str) -> bool:
    """A module inside of a package, one more file of the framework itself in its own project, or
    ``tests/unittest/__init__.py`` with nothing in it: a folder of unit tests.
    """
    if rule == "framework_shadowed" and shadowing.is_of_framework(path, evidence.baseline_paths()):
        return True
    pure = PurePosixPath(path)
    starts = shadowing.is_package_start(path)
    folder = pure.parent.parent if starts else pure.parent
    if rule == "framework_shadowed" and str(folder) != "." and evidence.entry(f"{folder}/__init__.py") is not None:
        return True
    return starts and is_test_code(path) and not (evidence.after(path) or b"").strip()


def _became_executable(change: Change) -> bool:
    if change.after is None:
        return False
    was = change.before is not None and change.before.executable and change.kind not in _ARRIVES
    return (change.after.executable or change.after.kind is EntryKind.LINK) and not was


def _is_stub(evidence: Workspace, path: str) -> bool:
    """True for a launcher that a package manager wrote."""
    head = (evidence.after(path) or b"")[:2000]
    return b"Gem.bin_path" in head or b"load Gem" in head


def _by_content(evidence: Workspace, change: Change, is_loaded: bool) -> list[Sign]:
    def every(text: str, added: str) -> Iterator[Sign]:
        return _of_text(evidence, change.path, text, added, is_loaded)

    return signs_of_change(evidence, change, every)


def _of_text(evidence: Workspace, path: str, text: str, added: str, is_loaded: bool) -> Iterator[Sign]:
    language = code_language(path)
    if language is not None:
        program = is_program_of_tests(path) and not is_loaded
        in_tests = is_loaded or (is_test_code(path) and not program)
        script = program or is_script(path, text)
        for_all = PurePosixPath(path).name == "conftest.py" and _PATCHES.search(added) is not None
        packages = project_packages(evidence.baseline_paths()) if for_all else frozenset[str]()
        question = SignsText(language, text, in_tests, packages)
        found = tampering_signs(question, added=added, is_script=script, apart=evidence.read_apart)
        # A test may well replace something for itself; what all tests load may not.
        one_test = is_collected_path(path) and not is_loaded and not for_all
        yield from (new for new in found if new.rule != "subject_patched" or not one_test)
        yield from preload_in_code(text, added)
    elif path.endswith((".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain")):
        yield from cargo_signs(text)
    elif not path.endswith(_PROSE):
        yield from preload_signs(text, added)


@dataclass
class _Environments:
    """Folders of installed packages. One that the baseline did not have is new as a whole and is only named."""

    evidence: Workspace

    @cached_property
    def notes(self) -> list[str]:
        folders = {shadowing.environment_of(change.path) for change in self.evidence.changes}
        fresh = sorted(folder for folder in folders if folder is not None and folder not in self._known)
        return [
            f"{folder}: installed packages that the baseline did not have; they were not looked at."
            for folder in fresh
        ]

    def signs(self, change: Change, folder: str) -> Iterator[Sign]:
        """A file of an installed package that was edited, or that was put among a framework's."""
        if folder not in self._known or "__pycache__" in change.path:
            return
        edited = change.before is not None and change.kind is not ChangeKind.DELETED
        if (edited and _package(change.path, folder) not in self._upgraded) or (
            change.kind is ChangeKind.ADDED and self._is_planted(change, folder)
        ):
            yield sign("installed_package_edited", 1, change.path)

    def _is_planted(self, change: Change, folder: str) -> bool:
        new = _package(change.path, folder) in self._upgraded
        text = source_text(self.evidence.after(change.path)) or ""
        if change.path.endswith(".pth"):
            return shadowing.runs_code(text) and not new
        return shadowing.is_framework_of_environment(change.path) and not new

    @cached_property
    def _known(self) -> frozenset[str]:
        found = (shadowing.environment_of(path) for path in self.evidence.baseline_paths())
        return frozenset(folder for folder in found if folder is not None)

    @cached_property
    def _upgraded(self) -> frozenset[str]:
        """Packages that came or changed as a whole: with their own description."""
        found: set[str] = set()
        for change in self.evidence.changes:
            folder = shadowing.environment_of(change.path)
            if folder is None:
                continue
            pure = PurePosixPath(change.path)
            if pure.name == "package.json" or pure.parent.name.endswith((".dist-info", ".egg-info")):
                found.add(_package(change.path, folder))
            if pure.parent.name.endswith((".dist-info", ".egg-info")) and pure.name == "RECORD":
                lines = (source_text(self.evidence.after(change.path)) or "").split("\n")
                found |= {f"{folder}/{line.partition('/')[0].partition(',')[0]}" for line in lines if line}
            if pure.name in (".package-lock.json", ".yarn-integrity", ".modules.yaml"):
                found |= {change.path, f"{folder}/.bin"}
        return frozenset(found)


def _package(path: str, folder: str) -> str:
    """The folder of one package among those installed."""
    parts = path[len(folder) + 1 :].split("/")
    name = "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]
    return f"{folder}/{name.partition('-')[0] if name.endswith(('.dist-info', '.egg-info')) else name}"
