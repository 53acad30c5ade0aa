"""The baseline's tests and the agent's, both on the agent's source: which of them notice a mutant."""

from dataclasses import dataclass, replace

from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import Reach, Watch, read_reach
from assay.detectors.effects.suite import Suite, SuiteRun, lost
from assay.evidence.workspace import Tree, Workspace
from assay.formats.test_reports.model import uniform

# A mutant that runs in circles is stopped after the time of the tests and so much more.
PATIENCE_SEC = 5.0


@dataclass(frozen=True, slots=True)
class Asked:
    """Tests that are run whether they are said to reach a mutant or not, and whether these are all."""

    surely: frozenset[str] = frozenset()
    only: bool = False


THOSE_THAT_REACH_IT = Asked()


@dataclass(frozen=True, slots=True)
class Noticed:
    """The tests that notice a mutant, what it took to know, and under which name that is remembered."""

    tests: frozenset[str]
    spent_sec: float = 0.0
    kept_as: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """Whether the baseline's tests notice a mutant, and those of them that don't any more."""

    noticed: bool
    silent: tuple[str, ...] = ()


class Side:
    """One side's tests on the agent's source. ``plain`` is a run that nobody watched, if there was one."""

    def __init__(
        self, suite: Suite, watch: Watch | None, tree: Tree, evidence: Workspace, plain: SuiteRun | None = None
    ) -> None:
        self.suite, self.watch, self.tree, self.evidence = suite, watch, tree, evidence
        self.reach: Reach | None = None
        self.spent_sec = 0.0 if plain is None else plain.spent_sec
        if watch is None and plain is not None:
            self.base: SuiteRun = plain
            return
        if watch is None:
            self.base = suite.run(evidence, tree)
        else:
            self.base = suite.run(evidence, watch.on(tree), watch.setting(noting=True), (watch.answer,))
            self.reach = read_reach(self.base.files.get(watch.answer))
        self.spent_sec += self.base.spent_sec
        if not self.base.says_something and plain is not None:
            # Some tests don't stand being watched.
            self.base, self.reach = plain, None

    @property
    def selects(self) -> bool:
        """Whether only the tests that reach a mutant are run for it."""
        return self.watch is not None and self.reach is not None and self.base.has_report

    def noticed(self, mutant: Mutant, text: str, left_sec: float, asked: Asked) -> Noticed | None:
        """The tests that notice a mutant; None if the time was over first."""
        tree = replace(self.tree, files={mutant.path: mutant.applied(text).encode()})
        patience = self.base.duration_sec + max(self.base.duration_sec, PATIENCE_SEC)
        limit = min(patience, left_sec)
        names: list[str] | None = None
        if self.watch is not None and self.reach is not None and self.base.has_report and mutant.function:
            others = frozenset[str]() if asked.only else self.base.passed
            names = self.reach.reaching(mutant, others, self.base.passed & asked.surely)
            if not names:
                return Noticed(frozenset())
        if self.watch is None or names is None:
            ran = self.suite.run(self.evidence, tree, most=limit)
        else:
            ran = self.suite.run(
                self.evidence, self.watch.on(tree, names), self.watch.setting(noting=False), most=limit
            )
        if ran.timed_out and limit < patience:
            return None
        chosen = None if names is None else frozenset(map(uniform, names))
        return Noticed(frozenset(lost(self.base, ran, chosen)), ran.spent_sec, ran.kept_as)


class Both:
    """Both sides, with the seconds that may be spent on them. What the first runs took is spent already."""

    def __init__(self, before: Side, after: Side, allowed_sec: float) -> None:
        self.before, self.after = before, after
        self._left = allowed_sec - before.spent_sec - after.spent_sec
        self._latest = 0.0

    def selection(self) -> str:
        """Which tests are run for a mutant, in words."""
        one, other = self.before.selects, self.after.selects
        return "those that reach the mutant" if one and other else "all, for each mutant"

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
            return Compared(noticed=False)
        if self.after.selects and mutant.function:
            # Those that noticed it are asked first: if all of them still do, nobody else has to be asked.
            still = self._noticed(self.after, mutant, text, Asked(by.tests, only=True))
            if still.tests >= by.tests:
                return Compared(noticed=True)
        asked = Asked(by.tests)
        instead = self._noticed(self.after, mutant, text, asked)
        if not self._silent(by, instead):
            return Compared(noticed=True)
        # What seems lost is tried again on both sides, because some tests fail by chance.
        by_again = self._noticed(self.before, mutant, text)
        instead_again = self._noticed(self.after, mutant, text, asked)
        self._doubt(self.before, by, by_again)
        self._doubt(self.after, instead, instead_again)
        return Compared(noticed=True, silent=tuple(self._silent(by_again, instead_again)))

    def _noticed(self, side: Side, mutant: Mutant, text: str, asked: Asked = THOSE_THAT_REACH_IT) -> Noticed:
        found = side.noticed(mutant, text, self._left, asked)
        if found is None:
            raise _OutOfTimeError
        self._left -= found.spent_sec
        return found

    def _doubt(self, side: Side, once: Noticed, again: Noticed) -> None:
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
        base = self.after.base
        names = base.passed | base.others if base.has_report else frozenset()
        return sorted(name for name in before.tests - after.tests if name in names or not after.tests)


class _OutOfTimeError(Exception):
    """The budget is spent in the middle of a mutant, which then counts as not tried."""
