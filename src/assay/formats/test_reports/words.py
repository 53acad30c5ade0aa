"""The words that test runners have for how a test ended."""

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
    """Whatever is not known to be a pass or a skip is a failure: an error, a time-out, a word of tomorrow."""
    return _WORDS.get(str(word), Ended.FAILED)
