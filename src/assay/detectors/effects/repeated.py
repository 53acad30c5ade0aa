"""Runs tests on many mutants by one command, as often as the time allows.

The runs share a copy of the files, so that what one leaves another may find: whoever wants to be sure of a mutant
runs the tests on it alone.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import Reach
from assay.detectors.effects.suite import Suite, SuiteResult
from assay.detectors.effects.watch.javascript import JavaScriptWatch
from assay.detectors.effects.watch.model import Watch, Way, on_top
from assay.detectors.effects.watch.python import PythonWatch
from assay.evidence.workspace import Tree, Workspace
from assay.formats.path_patterns import plain_path

PATIENCE_SEC = 5.0
SHORTEST_SEC = 1.0
# Each fault takes the place of its file while the tests run. A runner that hangs is ended where that can be done.
_LOOP = """
each="$PWD/{folder}"; export PYTHONDONTWRITEBYTECODE=1
limit=$(command -v timeout) && limit="$limit -k 1 {patience}"
ends=$(($(date +%s) + {longest})); spent=0; n=0
while IFS= read -r path && [ "$spent" -lt {seconds} ] && [ "$(date +%s)" -lt "$ends" ]; do
  cp "$path" "$each/kept" && cp "$each/$n.new" "$path"
  ASSAY_ONLY="$each/$n.json" $limit sh "$each/run.sh" > /dev/null 2>&1 < /dev/null
  [ ! -f {report} ] || mv -f {report} "$each/$n.report"
  cp "$each/kept" "$path"; : > "$each/$n.end"; n=$((n + 1)); times > "$each/times"
  spent=$(awk -F '[ms ]+' 'NR == 2 {{ print int(60 * ($1 + $3) + $2 + $4) }}' "$each/times") || spent=0
done < "$each/paths"
"""


@dataclass(slots=True)
class Repeated:
    """A suite, what may be asked about its tests, and the seconds that are left for that."""

    suite: Suite
    evidence: Workspace
    watch: Watch | None
    left_sec: float

    def side(self, tree: Tree, plain: SuiteResult, files: list[str], tests: Iterable[str]) -> "RepeatedSide":
        """One side's tests: those in some of all files, if the runner can be told."""
        watch = self.watch if isinstance(self.watch, PythonWatch | JavaScriptWatch) else None
        if watch is None:
            return RepeatedSide(self, tree, plain)
        way = watch.noting(tree, watch.wanted((), files, sorted(tests)) if files else None)
        ran = self.suite.run(self.evidence, way.tree, way.setting, way.collect)
        self.left_sec -= ran.spent_sec
        if not ran.says_something:
            return RepeatedSide(self, tree, plain)
        return RepeatedSide(self, tree, ran, watch, watch.read(ran), tuple(files), tuple(sorted(tests)))


@dataclass(frozen=True, slots=True)
class RepeatedSide:
    """The tests of one side, how they end without a mutant, and what they get to if that is known."""

    of: Repeated
    tree: Tree
    base: SuiteResult
    watch: PythonWatch | JavaScriptWatch | None = None
    reach: Reach | None = None
    files: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    def noticing(
        self, mutants: Sequence[tuple[Mutant, str]], share: float = 1.0, least_sec: float = 0.0
    ) -> list[frozenset[str] | None]:
        """The tests that notice each mutant, in a share of the time; None for one that there was no time for.

        ``least_sec`` is what the other side took: nothing is known of a mutant that only one of them was given.
        """
        report, seconds = self.of.suite.report, max(share * self.of.left_sec, least_sec)
        if not mutants or seconds < SHORTEST_SEC or report is None:
            return [None] * len(mutants)
        folder = f".{self.of.evidence.secret('repeated')}" if self.watch is None else self.watch.folder
        way = Way(self.tree) if self.watch is None else self.watch.each(self.tree)
        patience = 2 * self.base.duration_sec + PATIENCE_SEC
        there = plain_path(report.path)
        plan = {
            "paths": [one.path for one, _ in mutants],
            "seconds": seconds,
            "longest": self.base.patience * seconds,
            "patience": patience,
            "report": there,
        }
        files = {f"{folder}/plan.json": json.dumps(plan).encode()}
        for number, (mutant, text) in enumerate(mutants):
            files[f"{folder}/{number}.new"] = mutant.applied(text).encode()
            files[f"{folder}/{number}.json"] = self._wanted(mutant)
        suite, setting = self.of.suite, way.setting
        if self.watch is None or not self.watch.forks:
            files[f"{folder}/paths"] = "".join(f"{one.path}\n" for one, _ in mutants).encode()
            files[f"{folder}/run.sh"] = f"{setting}{suite.command}\n".encode()
            setting = ""
            most = {"seconds": int(seconds) + 1, "longest": int(self.base.patience * seconds) + 1}
            loop = _LOOP.format(folder=folder, patience=int(patience) + 1, report=there, **most)
            suite = replace(suite, command=loop)
        ends = tuple(f"{folder}/{number}.{kind}" for number in range(len(mutants)) for kind in ("report", "end"))
        limit = self.base.patience * seconds + patience
        ran = suite.run(self.of.evidence, on_top(way.tree, files), setting, ends, limit, remember=False)
        self.of.left_sec -= ran.spent_sec
        return [
            self._losing(mutant, ran.files.get(f"{folder}/{number}.report"))
            if ran.files.get(f"{folder}/{number}.end") is not None
            else None
            for number, (mutant, _) in enumerate(mutants)
        ]

    def _losing(self, mutant: Mutant, report: bytes | None) -> frozenset[str]:
        """The tests that don't pass by a report any more, out of those that were run."""
        choices = self._choices(mutant)
        among = self.base.passed if choices is None or self.reach is None else self.reach.named(choices)
        return self.base.passed & among - self.of.suite.passed_in(report)

    def _choices(self, mutant: Mutant) -> list[str] | None:
        """The choices that reach a mutant; None if that isn't known."""
        if self.reach is None or not self.reach.known.mutant(mutant):
            return None
        return self.reach.reaching(mutant, self.base.passed)

    def _wanted(self, mutant: Mutant) -> bytes:
        if self.watch is None:
            return b""
        choices = self._choices(mutant)
        if choices is None:
            return self.watch.wanted((), self.files, self.tests)
        return self.watch.wanted(choices, (), self.tests)
