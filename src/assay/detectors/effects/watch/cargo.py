"""cargo: each test by itself, with the functions that it runs.

Rust has no hook for that, so each function of the source gets a line of ours that notes once for each thread that
it was run. A test runs in a thread of its name. A function that another thread ran may be anybody's: all tests are
run for a mutant there, and so they are where nothing could be noted (a ``const fn``, a macro).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from assay.detectors.effects.mutants import LARGEST, Mutant, SourceText
from assay.detectors.effects.reach import Everything, Reach, ReachedCode
from assay.detectors.effects.suite import SuiteResult
from assay.detectors.effects.watch.model import WatchQuestion, Way, on_top
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.settings.files.steering import steers_a_runner
from assay.detectors.source_signs.roles import serves_build
from assay.evidence.workspace import ChangeKind, Tree, UnreadableError, Workspace
from assay.formats.test_reports.model import uniform

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MOST_FILES: Final = 400
MOST_NOTES: Final = 1_000_000
_CONFIGS: Final = (".cargo/config.toml", ".cargo/config")
# Cargo has a setting for each of them; a machine of another kind runs all tests.
_HOSTS: Final = tuple(
    f"{machine}_{system}"
    for machine in ("X86_64", "AARCH64")
    for system in ("UNKNOWN_LINUX_GNU", "UNKNOWN_LINUX_MUSL", "APPLE_DARWIN")
)
_CONST: Final = re.compile(r"[^{(]*\bconst\b")
_NOTE: Final = (
    "{ ::std::thread_local!(static ASSAY_SEEN: ::std::cell::Cell<bool> = ::std::cell::Cell::new(false)); "
    "if !ASSAY_SEEN.with(|seen| seen.replace(true)) { "
    'if let ::std::option::Option::Some(to) = ::std::env::var_os("ASSAY_TO") { '
    "if let ::std::result::Result::Ok(mut file) = "
    "::std::fs::OpenOptions::new().append(true).create(true).open(to) { "
    'let note = ::std::format!("NUMBER {}\\n", ::std::thread::current().name().unwrap_or("")); '
    "let _ = ::std::io::Write::write_all(&mut file, note.as_bytes()); } } } }"
)
_RUNNER: Final = b"""#!/bin/sh
# Runs a binary of tests with the names of those that are chosen; a documentation's example as it is.
case "$1" in */deps/*) ;; *) exec "$@" ;; esac
while IFS= read -r name; do set -- "$@" "$name"; done < "${0%/*}/only.txt"
exec "$@" --exact
"""


@dataclass(frozen=True, slots=True)
class Body:
    """A function that notes itself: its lines, and where in the text the note goes."""

    first: int
    last: int
    at: int


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """A function of a file, by its lines."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Notes:
    """The functions that note themselves, by number, without those that a thread of no test ran."""

    places: tuple[FunctionPlace, ...]
    anybodys: frozenset[int]

    def number(self, mutant: Mutant) -> int | None:
        """The innermost function around a mutant."""
        around = [
            (place.last - place.first, number)
            for number, place in enumerate(self.places)
            if place.path == mutant.path and place.first <= mutant.line <= place.last
        ]
        return min(around)[1] if around else None

    def file(self, path: str) -> bool:
        return any(path == place.path for place in self.places)

    def mutant(self, mutant: Mutant) -> bool:
        number = self.number(mutant)
        return number is not None and number not in self.anybodys


@dataclass(frozen=True, slots=True)
class _Ran:
    """The functions that a test ran."""

    notes: _Notes
    numbers: frozenset[int]

    @property
    def paths(self) -> Iterable[str]:
        return {self.notes.places[number].path for number in self.numbers | self.notes.anybodys}

    def has(self, mutant: Mutant) -> bool:
        return self.notes.number(mutant) in self.numbers


@dataclass(frozen=True, slots=True)
class CargoWatch:
    """``noted`` has the files with functions that note themselves."""

    folder: str
    noted: Mapping[str, bytes]
    places: tuple[FunctionPlace, ...] = field(repr=False)

    chooses = "those that reach the mutant"
    is_light = False
    is_proven = False

    @property
    def answer(self) -> str:
        return f"{self.folder}/notes.txt"

    def noting(self, tree: Tree) -> Way:
        # The folder has to be there before the first note.
        added = {**self.noted, f"{self.folder}/only.txt": b""}
        return Way(on_top(tree, added), f'export ASSAY_TO="$PWD/{self.answer}"; ', (self.answer,))

    def choosing(self, tree: Tree, choices: list[str], reach: Reach) -> Way:  # noqa: ARG002 - as all of them
        only = "".join(f"{name}\n" for name in choices)
        added = {f"{self.folder}/only.txt": only.encode(), f"{self.folder}/run.sh": _RUNNER}
        runners = " ".join(f'CARGO_TARGET_{host}_RUNNER="sh $PWD/{self.folder}/run.sh"' for host in _HOSTS)
        return Way(on_top(tree, added), f"export {runners}; ")

    def read(self, ran: SuiteResult) -> Reach | None:
        return read_threads(ran.files.get(self.answer), ran.passed, self.places)


def cargo_watch(asked: WatchQuestion) -> CargoWatch | None:
    """If the report is cargo's, and nobody else decides what tests are started with."""
    report, evidence = asked.suite.report, asked.evidence
    if report is None or report.format != "cargo" or _has_runner(evidence):
        return None
    noted: dict[str, bytes] = {}
    places: list[FunctionPlace] = []
    for path in _sources(evidence):
        text, bodies = _bodies(evidence, path)
        if bodies:
            noted[path] = _with_notes(text, bodies, len(places)).encode()
            places += (FunctionPlace(path, one.first, one.last) for one in bodies)
    return CargoWatch(asked.folder, noted, tuple(places)) if places else None


def _has_runner(evidence: Workspace) -> bool:
    texts = (read(path) for path in _CONFIGS for read in (evidence.before, evidence.after))
    return any(b"runner" in text for text in texts if text is not None)


def _sources(evidence: Workspace) -> list[str]:
    """Files that are the agent's on both sides: tests aren't."""
    changed = {one.path: one.kind for one in evidence.changes}
    gone = {path for path, kind in changed.items() if kind is ChangeKind.DELETED}
    gone |= {one.old_path for one in evidence.changes if one.old_path != one.path}
    paths = sorted({*evidence.baseline_paths(), *changed} - gone)
    rust = (path for path in paths if path.endswith(".rs") and not serves_build(path))
    return [path for path in rust if not belongs_to_tests(path) and not steers_a_runner(path)][:MOST_FILES]


def _bodies(evidence: Workspace, path: str) -> tuple[str, list[Body]]:
    data = evidence.after(path)
    try:
        text = (data or b"").decode()
        return text, evidence.read_apart(bodies_of, SourceText(path, "rust", text), list[Body])
    except (UnicodeDecodeError, UnreadableError):
        return "", []


def bodies_of(source: SourceText) -> list[Body]:
    """The functions of a file that can note themselves. To be called apart: the parser may never return."""
    from ast_grep_py import SgRoot  # noqa: PLC0415

    if len(source.text) > LARGEST:
        return []
    waiting, found = [SgRoot(source.text, "rust").root()], list[Body]()
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children())
        if node.kind() == "function_item" and (body := _body(node)) is not None:
            found.append(body)
    return sorted(found, key=lambda one: one.at)


def _body(function: "SgNode") -> Body | None:
    body = function.field("body")
    if body is None or _CONST.match(function.text()) or body.text()[1:].lstrip().startswith("#!"):
        return None
    reach = function.range()
    return Body(reach.start.line + 1, reach.end.line + 1, body.replace("").start_pos + 1)


def _with_notes(text: str, bodies: list[Body], first: int) -> str:
    for number, one in reversed(list(enumerate(bodies, first))):
        text = text[: one.at] + _NOTE.replace("NUMBER", str(number)) + text[one.at :]
    return text


def read_threads(data: bytes | None, passed: frozenset[str], places: tuple[FunctionPlace, ...]) -> Reach | None:
    """Read the notes by the names of threads: those of tests, or of nobody."""
    if not data or data.count(b"\n") > MOST_NOTES:
        return None
    threads: dict[str, set[int]] = {}
    for line in data.decode(errors="replace").splitlines():
        number, _, thread = line.partition(" ")
        if not number.isdecimal() or int(number) >= len(places):
            return None
        threads.setdefault(uniform(thread), set()).add(int(number))
    anybodys = frozenset[int]().union(*(found for name, found in threads.items() if name not in passed))
    notes = _Notes(places, anybodys)
    tests: dict[str, ReachedCode] = {
        # A test that notes nothing may have lost its environment.
        name.replace(".", "::"): _Ran(notes, frozenset(threads[name])) if name in threads else Everything()
        for name in passed
    }
    return Reach(tests, {name: frozenset({uniform(name)}) for name in tests}, notes) if tests else None
