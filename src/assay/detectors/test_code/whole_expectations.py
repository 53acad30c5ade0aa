"""A value that is expected instead of its parts: ``config == {"port": 8080}`` demands ``config.port == 8080``."""

import re

from assay.detectors.test_code.assertion_pairs import is_literal, without_owner, words
from assay.detectors.test_code.model import Assertion, Strength

_PART = re.compile(r"(?P<whole>.*?)(?:\.|->|\[[\"':]?)(?P<key>[A-Za-z_]\w*)[\"']?\]?(?:\(\))?")
_FIRST = re.compile(r"[A-Za-z_]\w*")
_MOST = 20


def whole_expectations(gained: list[Assertion]) -> list[Assertion]:
    """The assertions that expect a value with several parts."""
    found = [each for each in gained if (each.expected or " ")[-1] in ")}]" and each.strength > Strength.PRESENCE]
    return [each for each in found if not (each.expected or "").startswith(("not ", "in "))][:_MOST]


def covers(whole: Assertion, part: Assertion, source: str) -> bool:
    """Whether a value has this part, by its name and value. ``source`` is the test as it was."""
    found = _PART.fullmatch(without_owner(part.subject))
    if found is None or part.expected is None or not is_literal(part.expected):
        return False
    value = rf"(?<!\w){found['key']}[\"']?\s*(?::|=>|=)\s*{re.escape(part.expected)}\s*[,}})\]]"
    if not re.search(value, whole.expected or ""):
        return False
    named = _FIRST.search(found["whole"])
    spoken = words(whole.subject)
    return (named is not None and named.group() in spoken) or (bool(spoken) and spoken <= words(source))
