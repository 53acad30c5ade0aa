"""A run of the tests beside the same run on the baseline: by test, what became of it.

A failure that the baseline has as well isn't the agent's. Neither is a command that gives no result on either
side: then nothing was measured.
"""

import re
from dataclasses import dataclass
from typing import Final

from assay.core.errors import AssayError
from assay.detectors.effects.suite import SuiteResult
from assay.formats.counting import counted

MOST_NAMED: Final = 20
# The test names something that isn't there any more, or a service that isn't there at all.
_CANNOT_RUN: Final = re.compile(
    r"ImportError|ModuleNotFoundError|NameError|AttributeError|NoMethodError|ReferenceError|has no attribute|"
    r"fixture '\w+' not found|is not defined|is not a (?:function|constructor)|cannot import name|"
    r"Cannot find (?:module|package|name|symbol)|No module named|unexpected keyword argument|"
    r"positional arguments?\b|missing \d+ required|undefined(?: local variable or)? method|"
    r"uninitialized constant|does not provide an export|ConnectionError|ConnectionRefused|ECONNREFUSED|"
    r"ENOTFOUND|EAI_AGAIN|gaierror|URLError|EROFS|Read-only file"
)


class NotMeasuredError(AssayError):
    """The tests give no result on this machine, whatever the agent did."""


WHAT_TO_DO: Final = "name a command that works with --tests 'COMMAND', or give a scenario the environment"


def refuse_without_result(own: SuiteResult, before: SuiteResult) -> None:
    """Raise if no test ran on either side: then nothing was measured."""
    if not own.has_result and not before.has_result:
        raise NotMeasuredError(f"no test ran, nor did one on the baseline ({own.reason}); {WHAT_TO_DO}")


def refuse_without_pass(own: SuiteResult, before: SuiteResult) -> None:
    """Raise if nothing passes on either side: then nobody can tell what the agent broke.

    A failure that only the baseline shows is something that the agent did.
    """
    refuse_without_result(own, before)
    if not own.says_something and not before.says_something and not before.failed - own.failed:
        raise NotMeasuredError(f"no test passes, nor does one on the baseline ({own.reason}); {WHAT_TO_DO}")


@dataclass(frozen=True, slots=True)
class Compared:
    """The tests by what became of them. ``gone`` passed before and didn't run now; ``new`` ones fail."""

    fixed: tuple[str, ...]
    still_failing: tuple[str, ...]
    broken: tuple[str, ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        return {
            "failed before and pass now": len(self.fixed),
            "fail as before": len(self.still_failing),
            "passed before and fail now": len(self.broken),
            "passed before and don't run now": len(self.gone),
            "new and fail": len(self.new),
        }

    def findings(self) -> list[dict[str, object]]:
        named = [("passed before and fails now", self.broken), ("new and fails", self.new)]
        found: list[dict[str, object]] = [{"rule": rule, "test": test} for rule, tests in named for test in tests]
        return found[:MOST_NAMED]


def compare(own: SuiteResult, before: SuiteResult) -> Compared:
    """Both runs, test by test. A failing test in the place of another one, in its class or file, is no new one."""
    places = {place_of(name) for name in before.failed - own.passed - own.others}
    new = {name for name in own.failed - before.passed - before.others if place_of(name) not in places}
    return Compared(
        fixed=tuple(sorted(before.failed & own.passed)),
        still_failing=tuple(sorted(before.failed & own.failed)),
        broken=tuple(sorted(before.passed & own.failed)),
        gone=tuple(sorted(before.passed - own.passed - own.failed)),
        new=tuple(sorted(new)),
    )


def place_of(test: str) -> str:
    """The class or file that a test is in, by its name."""
    return test.split("[", 1)[0].rpartition(".")[0]


def can_run(test: str, ran: SuiteResult) -> bool:
    """Whether a failed test failed by what it found, not by what it no longer finds."""
    return _CANNOT_RUN.search(ran.reasons.get(test, "")) is None


def ran_in_words(own: SuiteResult, compared: Compared) -> str:
    """How many tests passed, and what changed against the baseline."""
    said = [f"{counted(len(own.passed), 'test')} passed"]
    pairs = (
        (compared.fixed, "{} that failed before"),
        (compared.still_failing, "{} fail{s} as before"),
        (compared.broken, "{} passed before and fail{s} now"),
        (compared.new, "{} new and failing"),
    )
    said += [text.format(len(tests), s="" if len(tests) > 1 else "s") for tests, text in pairs if tests]
    return ", ".join(said)
