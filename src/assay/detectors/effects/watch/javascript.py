"""node's own runner, jest and vitest: a file of tests at a time.

With jest and vitest it is known which files a file of tests loads; node also tells the lines, as V8 counts them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.detectors.effects.asking import driver_text
from assay.detectors.effects.reach import Everything, InFiles, LoadedFiles, Reach, ReachedCode
from assay.detectors.effects.suite import SuiteResult
from assay.detectors.effects.watch.model import WatchQuestion, Way, on_top
from assay.evidence.workspace import Tree
from assay.formats.path_patterns import plain_path
from assay.formats.test_reports.model import uniform

_NODE = re.compile(r"(?<![\w./-])node\s++(?:(?!--test(?![\w-]))--?[\w-]++(?:=\S++)?\s++)*+--test(?![\w-])")
_COUNTED = (".js", ".mjs", ".cjs")
_PRELOAD = 'export NODE_OPTIONS="${{NODE_OPTIONS:+$NODE_OPTIONS }}--require \\"$PWD/{}/choose_files.cjs\\""; '
MOST_NOTES = 1_000_000


@dataclass(frozen=True, slots=True)
class JavaScriptWatch:
    """``report`` is where jest's own report is; None with node, which tells the names of tests itself."""

    folder: str
    report: str | None

    chooses = "those in files of tests that reach the mutant"
    is_light = True
    is_proven = False
    forks = False

    @property
    def answer(self) -> str:
        return f"{self.folder}/notes.jsonl"

    def noting(self, tree: Tree, wanted: bytes | None = None) -> Way:
        setting = f'{_PRELOAD.format(self.folder)}export ASSAY_TO="$PWD/{self.answer}"; '
        names = ["choose_files.cjs"]
        if self.report is None:
            names.append("node_lines.cjs")
            setting += self._counting()
        way = Way(tree) if wanted is None else self._only(tree, wanted)
        return Way(self._with(way.tree, names), way.setting + setting, (self.answer,))

    def choosing(self, tree: Tree, choices: list[str], reach: Reach) -> Way:
        way = self._only(tree, self.wanted(choices, (), sorted(set(reach.tests))))
        return Way(way.tree, _PRELOAD.format(self.folder) + way.setting)

    def wanted(self, choices: Sequence[str] = (), files: Sequence[str] = (), others: Sequence[str] = ()) -> bytes:
        chosen = choices or files
        return json.dumps({"files": chosen, "others": sorted(set(others).difference(chosen))}).encode()

    def each(self, tree: Tree) -> Way:
        return Way(self._with(tree, ["choose_files.cjs", "only_files.cjs"]), _PRELOAD.format(self.folder))

    def _only(self, tree: Tree, wanted: bytes) -> Way:
        there = f"{self.folder}/only.json"
        added = on_top(self._with(tree, ["choose_files.cjs", "only_files.cjs"]), {there: wanted})
        return Way(added, f'export ASSAY_ONLY="$PWD/{there}"; ')

    def read(self, ran: SuiteResult) -> Reach | None:
        notes = read_notes(ran.files.get(self.answer))
        if notes is None:
            return None
        if self.report is None:
            return notes.by_process()
        return notes.by_report(ran.files.get(self.report))

    def _counting(self) -> str:
        """Words that have V8 count, and that sum it up at the end."""
        told = '"$ASSAY_AT/node_lines.cjs" "$ASSAY_AT/counts" "${ASSAY_AT%/*}" "$ASSAY_TO"'
        return (
            f'ASSAY_AT="$PWD/{self.folder}"; export NODE_V8_COVERAGE="$ASSAY_AT/counts"; '
            f"trap 'unset NODE_V8_COVERAGE NODE_OPTIONS; node {told} > /dev/null 2>&1' EXIT; "
        )

    def _with(self, tree: Tree, names: list[str]) -> Tree:
        return on_top(tree, {f"{self.folder}/{name}": driver_text(name) for name in names})


def node_watch(asked: WatchQuestion) -> JavaScriptWatch | None:
    """If a command runs node's own test runner by its name."""
    return JavaScriptWatch(asked.folder, None) if runs_node(asked.suite.command) else None


def jest_watch(asked: WatchQuestion) -> JavaScriptWatch | None:
    """If the report is jest's, which vitest writes, too: it has the files of tests."""
    report = asked.suite.report
    if report is None or report.format != "jest":
        return None
    return JavaScriptWatch(asked.folder, plain_path(report.path))


def runs_node(command: str) -> bool:
    """Whether a command runs node's own test runner by its name."""
    return _NODE.search(command) is not None


@dataclass(slots=True)
class _Session:
    """The notes for a file of tests, or for some that share a process."""

    files: set[str] = field(default_factory=set)
    lines: dict[str, set[int]] = field(default_factory=dict)
    tests: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    started: set[int] = field(default_factory=set)
    counted: set[int] = field(default_factory=set)

    def add(self, kind: str, told: Any, lines: Any) -> None:
        if kind == "load":
            self.files.add(str(told))
        elif kind == "lines":
            self.lines.setdefault(str(told), set()).update(map(int, lines))
        elif kind == "test":
            self.tests.add(uniform(f"test::{told}"))
        elif kind == "file":
            self.own.add(str(told))
        elif kind in ("process", "counted"):
            (self.started if kind == "process" else self.counted).add(int(told))


@dataclass(frozen=True, slots=True)
class Notes:
    """All sessions, and the folder that absolute paths begin with."""

    root: str
    sessions: tuple[_Session, ...]

    def by_process(self) -> Reach | None:
        """As node's runner has it: a process for each file, which tells the names of its tests."""
        names: dict[str, set[str]] = {}
        for session in self.sessions:
            for own in session.own:
                names.setdefault(own, set()).update(session.tests)
        # What isn't JavaScript as it is written has no lines, and its loads aren't seen.
        return self._reach(names, InFiles(_COUNTED), lambda one: one.own)

    def by_report(self, report: bytes | None) -> Reach | None:
        """As jest and vitest have it: files that are loaded in the same session as a file of tests."""
        names: dict[str, set[str]] = {}
        for path, name in _reported(report):
            names.setdefault(path.removeprefix(self.root), set()).add(uniform(name))
        return self._reach(names, InFiles(), lambda one: one.files)

    def _reach(self, names: Mapping[str, set[str]], known: InFiles, tests_of: Any) -> Reach | None:
        tests = {path: self._reached([one for one in self.sessions if path in tests_of(one)]) for path in names}
        found = {path: one for path, one in tests.items() if one is not None}
        if not found:
            return None
        return Reach(found, {path: frozenset(names[path]) for path in found}, known)

    def _reached(self, sessions: list[_Session]) -> ReachedCode | None:
        """The reach of some sessions; None if there are none."""
        if not sessions:
            return None
        if any(one.started - one.counted for one in sessions):
            return Everything()
        lines: dict[str, set[int]] = {}
        for one in sessions:
            for path, numbers in one.lines.items():
                lines.setdefault(path, set()).update(numbers)
        files = frozenset[str]().union(*(one.files for one in sessions), lines)
        return LoadedFiles(files, {path: frozenset(numbers) for path, numbers in lines.items()})


def read_notes(data: bytes | None) -> Notes | None:
    """Read the driver's notes; None if there is nothing, too much, or something else."""
    if not data or data.count(b"\n") > MOST_NOTES:
        return None
    root, sessions = "", dict[str, _Session]()
    try:
        for line in data.splitlines():
            kind, session, told, *lines = json.loads(line)
            if kind == "root":
                root = str(told)
            else:
                sessions.setdefault(str(session), _Session()).add(kind, told, lines[0] if lines else ())
    except (ValueError, TypeError, RecursionError):
        return None
    return Notes(root, tuple(sessions.values()))


def _reported(data: bytes | None) -> Iterator[tuple[str, str]]:
    """The files and the names of tests in a report of jest's."""
    try:
        suites = json.loads(data or b"")["testResults"]
        found = [(str(one["name"]), str(test["fullName"])) for one in suites for test in one["assertionResults"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return
    yield from found
