"""Assertions that were negated: ``assert_includes`` and ``refute_includes``, ``toBe`` and ``not.toBe``.

Both check the same subject against the same value, and demand the opposite of each other.
"""

import re
from functools import lru_cache

from assay.detectors.test_code.model import Assertion

_WORDS = (
    (re.compile(r"^(?:assert_not_|refute_|assert_)(?=\w)"), "assert_"),
    (re.compile(r"^(?:assert_not|refute|assert)(?=\()"), "assert"),
    (re.compile(r"^(assert|if) (?:not )?"), r"\1 "),
    (re.compile(r"\b(?:must|wont)_"), "must_"),
    (re.compile(r"\.(?:not_to|to_not|to)(?=\()"), ".to"),
    (re.compile(r"\bshould(?:_not)?\b"), "should"),
    (re.compile(r"\.(?:to\.)?not(?=\.)"), ""),
    (re.compile(r"\.to(?=\.)"), ""),
    (re.compile(r"\bbe_(?:truthy|falsey|falsy)\b"), "be_truthy"),
    (re.compile(r"\btoBe(?:Truthy|Falsy)\b"), "toBe"),
    (re.compile(r"\.(?:True|False)(?=\()"), ".True"),
    (re.compile(r"\b(assert|require)\.(?:Not?(?=[A-Z]))?"), r"\1."),
    (re.compile(r"\b(assert|t)\.(?:doesNot(?=[A-Z])|not(?=[A-Z]))(\w)"), r"\1.\2"),
    (re.compile(r"\bis_(?:ok|err|some|none)\b"), "is"),
    (re.compile(r"(?:==|!=)(?= nil fail$)"), "=="),
    (re.compile(r"(?<![\w)\]!])!(?![=(])|(?<![\w)\]!])!(?=\()"), ""),
)


_NEGATES = re.compile(r"not|refute|wont|falsy|false|\.no$|err|none|!")


def is_negation(before: Assertion, after: Assertion) -> bool:
    """Whether two assertions are the same but for a negation. Two spellings of one negation are the same."""
    if before.text == after.text:
        return False
    (old, negated), (new, negated_now) = _bare(before.text), _bare(after.text)
    return old == new and negated is not negated_now


@lru_cache(maxsize=4096)
def _bare(text: str) -> tuple[str, bool]:
    """The text of an assertion without what negates it, and whether it is negated."""
    negations = 0
    for words, plain in _WORDS:
        negations += sum(bool(_NEGATES.search(found.group().lower())) for found in words.finditer(text))
        text = words.sub(plain, text)
    return text.lower(), negations % 2 == 1
