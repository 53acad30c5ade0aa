"""The message of an error: ``raises(X, match="too big")`` may become an assertion on the message itself."""

import re
from collections.abc import Sequence

from assay.detectors.test_code.model import Assertion, Strength

_MATCH = re.compile(r"match r?(?P<quote>[\"'])(?P<pattern>.*)(?P=quote)", re.DOTALL)
_ANYTHING = re.compile(r"\.[*+]\??")
_ESCAPED = re.compile(r"\\(\W)")
_SPECIAL = re.compile(r"[\[\](){}*+?|]|\\\w")
_ERROR = re.compile(r"\b(?:value|exception|message|msg|args|e|ex|exc\w*|err\w*|raised|caught)\b")
_SLASHES = re.compile(r"\\\\")
_ANCHOR = re.compile(r"^\^|(?<!\\)\$$")


def demands_the_message(before: Assertion, after: Assertion) -> bool:
    """Whether every word of a pattern for a message is in what the message must be now."""
    found = _MATCH.fullmatch(before.expected or "")
    if found is None or not before.subject.startswith("message of ") or after.strength < Strength.SHAPE:
        return False
    if after.expected is None or after.expected.startswith("not ") or not _ERROR.search(after.subject):
        return False
    parts = [_plain(part) for part in _ANYTHING.split(_ANCHOR.sub("", _SLASHES.sub(r"\\", found["pattern"])))]
    return all(part is not None and part in after.expected for part in parts) and any(parts)


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


def _plain(pattern: str) -> str | None:
    """What a part of a pattern matches if that is only one text; else None."""
    bare = _ESCAPED.sub("", pattern)
    return None if _SPECIAL.search(bare) else _ESCAPED.sub(r"\1", pattern)
