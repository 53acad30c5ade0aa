"""The words that test runners use for how a test ended."""

from assay.formats.test_reports.model import Ended

_WORDS = {
    "passed": Ended.PASSED,
    "pass": Ended.PASSED,
    "ok": Ended.PASSED,
    "xpassed": Ended.PASSED,
    "skipped": Ended.SKIPPED,
    "skip": Ended.SKIPPED,
    "xfailed": Ended.SKIPPED,
    "ignored": Ended.SKIPPED,
    "pending": Ended.SKIPPED,
    "todo": Ended.SKIPPED,
    "disabled": Ended.SKIPPED,
}


def ended_of(word: object) -> Ended:
    """How a test ended. Any word that isn't known to be a pass or a skip is a failure: an error, a time-out."""
    return _WORDS.get(str(word), Ended.FAILED)
