"""Expectations that changed places: ``pop()`` had to return 2 and then 1, and now 1 and then 2.

No assertion is lost that way. But where the very same call is made several times, each of its answers has its
place, unless what happens in between changed places, too.
"""

from collections import defaultdict

from assay.detectors.test_code.findings import FilePair, counts
from assay.detectors.test_code.model import Assertion, Strength, Test


def swapped_expectation(file: FilePair, before: Test, after: Test) -> tuple[Assertion, Assertion] | None:
    """The first assertion that is expected to give what another one gave, and what it is now; None without one."""
    if before.cases != 1 or after.cases != 1 or len(before.assertions) != len(after.assertions):
        return None
    old, new = _answers(before), _answers(after)
    for subject, answers in old.items():
        now = new.get(subject, [])
        pairs = [(was, has) for was, has in zip(answers, now, strict=False) if was.expected != has.expected]
        if pairs and _expected(answers) == _expected(now) and _same_doings(file, before, after):
            return pairs[0]
    return None


def _answers(test: Test) -> dict[str, list[Assertion]]:
    """The expectations of each call, in the order of the lines."""
    found: dict[str, list[Assertion]] = defaultdict(list)
    for each in sorted(test.assertions, key=lambda each: each.line):
        if "(" in each.subject and each.strength is Strength.EXACT and counts(each):
            found[each.subject].append(each)
    return found


def _expected(answers: list[Assertion]) -> list[str]:
    return sorted(each.expected or "" for each in answers)


def _same_doings(file: FilePair, before: Test, after: Test) -> bool:
    """Whether all lines but those that assert are what they were. Without the text that is not known."""
    if not file.before_text or not file.after_text:
        return False
    return _doings(file.before_text, before) == _doings(file.after_text, after)


def _doings(text: str, test: Test) -> list[str]:
    lines = text.split("\n")[test.line - 1 : test.end_line]
    asserting = {each.line - test.line for each in test.assertions}
    return [line.strip() for number, line in enumerate(lines) if number not in asserting and line.strip()]
