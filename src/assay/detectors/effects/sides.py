"""The baseline's tests and the agent's, both on the agent's source: which of them notice a mutant."""

from dataclasses import dataclass, replace

from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import Reach
from assay.detectors.effects.suite import Suite, SuiteResult, lost
from assay.detectors.effects.watch.model import Watch, Way
from assay.evidence.workspace import Tree, Workspace

# A mutant that runs in circles is stopped after the time of the tests and so much more.
PATIENCE_SEC = 5.0


@dataclass(frozen=True, slots=True)
class AskedTests:
    """Tests that are run whether they are said to reach a mutant or not, and whether these are all."""

    surely: frozenset[str] = frozenset()
    only: bool = False


THOSE_THAT_REACH_IT = AskedTests()


@dataclass(frozen=True, slots=True)
class Noticed:
    """The tests that notice a mutant, what it took to know, and under which name that is remembered."""

    tests: frozenset[str]
    spent_sec: float = 0.0
    kept_as: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """The baseline's tests that notice a mutant, and those of them that don't any more.

    ``kept`` are those that still do, or that are gone while another one of them does.
    """

    by: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    silent: tuple[str, ...] = ()

    @property
    def noticed(self) -> bool:
        return bool(self.by)


class EffectSide:
    """One side's tests on the agent's source. ``plain`` is a run that nobody watched, if there was one."""

    def __init__(
        self, suite: Suite, watch: Watch | None, tree: Tree, evidence: Workspace, plain: SuiteResult | None = None
    ) -> None:
        self.suite, self.watch, self.tree, self.evidence = suite, watch, tree, evidence
        self.reach: Reach | None = None
        self.spent_sec = 0.0 if plain is None else plain.spent_sec
        if watch is not None:
            self.base = self._spent(self._run(watch.noting(tree)))
            self.reach = watch.read(self.base)
        if watch is None or not self.base.says_something:
            # Some tests don't stand being watched.
            self.base, self.reach = plain or self._spent(self._run(Way(tree))), None
        self.selects = self._can_choose()
        """Whether only the tests that reach a mutant are run for it."""

    def chooses_for(self, mutant: Mutant) -> bool:
        """True if it is known which tests reach a mutant."""
        return self.selects and self.reach is not None and self.reach.known.mutant(mutant)

    def noticed(self, mutant: Mutant, text: str, left_sec: float, asked: AskedTests) -> Noticed | None:
        """The tests that notice a mutant; None if the time was over first."""
        tree = replace(self.tree, files={mutant.path: mutant.applied(text).encode()})
        patience = self.base.duration_sec + max(self.base.duration_sec, PATIENCE_SEC)
        limit = min(patience, left_sec)
        way, among = Way(tree), None
        if self.watch is not None and self.reach is not None and self.chooses_for(mutant):
            others = frozenset[str]() if asked.only else self.base.passed
            choices = self.reach.reaching(mutant, others, self.base.passed & asked.surely)
            if not choices:
                return Noticed(frozenset())
            way, among = self.watch.choosing(tree, choices, self.reach), self.reach.named(choices)
        ran = self._run(way, limit)
        if ran.timed_out and limit < patience:
            return None
        return Noticed(frozenset(lost(self.base, ran, among)), ran.spent_sec, ran.kept_as)

    def _can_choose(self) -> bool:
        """True if it is known of every test what it reaches, and choosing works."""
        watch, reach = self.watch, self.reach
        if (
            watch is None
            or reach is None
            or not self.base.has_report
            or not self.base.passed <= reach.named(reach.tests)
        ):
            return False
        return watch.is_proven or self._chooses_one(watch, reach)

    def _chooses_one(self, watch: Watch, reach: Reach) -> bool:
        """Whether one is run and another isn't, when the first is chosen."""
        one, *others = sorted(choice for choice in reach.tests if reach.names[choice] & self.base.passed) or [""]
        if not others:
            return False
        wanted, all_others = reach.named([one]) & self.base.passed, reach.named(others)
        ran = self._spent(self._run(watch.choosing(self.tree, [one], reach)))
        return wanted <= ran.passed and not all_others - wanted <= ran.passed | ran.others

    def _run(self, way: Way, most: float | None = None) -> SuiteResult:
        return self.suite.run(self.evidence, way.tree, way.setting, way.collect, most)

    def _spent(self, ran: SuiteResult) -> SuiteResult:
        self.spent_sec += ran.spent_sec
        return ran


class Both:
    """Both sides, with the seconds that may be spent on them. What the first runs took is spent already."""

    def __init__(self, before: EffectSide, after: EffectSide, allowed_sec: float) -> None:
        self.before, self.after = before, after
        self._left = allowed_sec - before.spent_sec - after.spent_sec
        self._latest = 0.0

    def selection(self) -> str:
        """The tests run for a mutant, in words."""
        watch = self.before.watch if self.before.selects and self.after.selects else None
        return "all, for each mutant" if watch is None else watch.chooses

    def compared(self, mutant: Mutant, text: str) -> Compared | None:
        """Give a mutant to both sides; None if the time doesn't suffice."""
        start = self._left
        if self._left <= 0 or self._left < self._latest:
            return None
        try:
            found = self._compared(mutant, text)
        except _OutOfTimeError:
            return None
        self._latest = start - self._left
        return found

    def _compared(self, mutant: Mutant, text: str) -> Compared:
        by = self._noticed(self.before, mutant, text)
        if not by.tests:
            return Compared()
        if self.after.chooses_for(mutant):
            # Those that noticed it are asked first: if all of them still do, nobody else has to be asked.
            still = self._noticed(self.after, mutant, text, AskedTests(by.tests, only=True))
            if still.tests >= by.tests:
                return Compared(by.tests, by.tests)
        asked = AskedTests(by.tests)
        instead = self._noticed(self.after, mutant, text, asked)
        kept = by.tests & instead.tests
        kept = kept and kept | (by.tests - self._names())
        if not self._silent(by, instead):
            return Compared(by.tests, kept)
        # What seems lost is tried again on both sides, because some tests fail by chance.
        by_again = self._noticed(self.before, mutant, text)
        instead_again = self._noticed(self.after, mutant, text, asked)
        self._doubt(self.before, by, by_again)
        self._doubt(self.after, instead, instead_again)
        return Compared(by.tests, kept, tuple(self._silent(by_again, instead_again)))

    def _noticed(
        self, side: EffectSide, mutant: Mutant, text: str, asked: AskedTests = THOSE_THAT_REACH_IT
    ) -> Noticed:
        found = side.noticed(mutant, text, self._left, asked)
        if found is None:
            raise _OutOfTimeError
        self._left -= found.spent_sec
        return found

    def _doubt(self, side: EffectSide, once: Noticed, again: Noticed) -> None:
        """Two runs of the same that differ aren't remembered."""
        if once.tests != again.tests:
            for one in (once, again):
                side.evidence.forget(one.kept_as)

    def _silent(self, before: Noticed, after: Noticed) -> list[str]:
        """The tests that noticed a mutant and don't any more.

        None, if a test notices it now that didn't before: then the assertion may have moved there. A test that is
        gone counts only if no other notices the mutant.
        """
        if after.tests - before.tests:
            return []
        names = self._names()
        return sorted(name for name in before.tests - after.tests if name in names or not after.tests)

    def _names(self) -> frozenset[str]:
        """The agent's tests."""
        base = self.after.base
        return base.passed | base.others if base.has_report else frozenset()


class _OutOfTimeError(Exception):
    """The budget is spent in the middle of a mutant, which then counts as not tried."""
