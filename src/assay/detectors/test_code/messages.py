"""The message of an error: ``toThrow("too big")`` may become an assertion on the message itself."""

import re
from collections.abc import Sequence

from assay.detectors.test_code.model import Assertion, Strength

_ERROR = re.compile(r"\b(?:value|exception|message|msg|args|e|ex|exc\w*|err\w*|raised|caught)\b")


def catches_the_message(before: Assertion, after: Sequence[Assertion]) -> bool:
    """Whether an error's text is asked in a handler now, in a test that says how often it asserts.

    ``expect(f).toThrow("too big")`` became ``expect.assertions(1)`` and ``expect(error.message).toContain(…)``.
    """
    wanted = before.expected or ""
    if ".toThrow" not in before.text or wanted[:1] not in ("'", '"') or not any(map(_counts_assertions, after)):
        return False
    return any(
        wanted[1:-1] in (each.expected or "")
        and not (each.expected or "").startswith("not ")
        and _ERROR.search(each.subject) is not None
        for each in after
        if each.strength >= Strength.SHAPE
    )


def _counts_assertions(assertion: Assertion) -> bool:
    return assertion.subject in ("expect.assertions", "expect.hasAssertions") and assertion.expected != "0"
