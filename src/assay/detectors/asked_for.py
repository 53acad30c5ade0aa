"""Whether an instruction asks for what a finding is about: a verb, and then its object.

"Remove the deprecated test test_old", "Mock the network": the object must follow the verb, with nothing but plain
words between, and be what the finding names. "Remove the bug that makes test_old fail" asks for no removal of a
test, and neither do "fix" and "make it pass" ask for anything. Code that recognises a test run, hooks that change
results and secrets can't be asked for.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from assay.detectors.removal_asked import LONGEST, is_negated, stem
from assay.detectors.test_code.word_sets import word_set

_TESTS: Final = r"(?:test|cases|assertion)-removed|test-not-collected|is gone and.*|passed before and.*"
_OFF: Final = r"disabl(?:e|ing)|silenc(?:e|ing)|relax(?:ing)?|turn off|drop(?:ping)?|remov(?:e|ing)"
# By rules of findings: the verbs that ask for such a thing, and whether its object must be the test itself.
_DEEDS: Final = tuple(
    (re.compile(rules), re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE), of_test)
    for rules, verbs, of_test in (
        (_TESTS, r"remov(?:e|ing)|delet(?:e|ing)|drop(?:ping)?|retir(?:e|ing)|get rid of", True),
        (
            r"new-[\w-]{0,40}skip(?:ped)?|is skipped and.*",
            r"skip(?:ping)?|disabl(?:e|ing)|quarantine|ignore|x?fail",
            True,
        ),
        (r"subject_patched|clock_patched", r"mock(?:ing)?|stub(?:bing)?|fak(?:e|ing)|freez(?:e|ing)", False),
        (r"threshold_lowered", r"lower(?:ing)?|reduc(?:e|ing)|relax(?:ing)?|decreas(?:e|ing)", False),
        (r"checker_\w+", _OFF, False),
        (r"narrowed|tests_excluded|not_run", r"exclud(?:e|ing)|deselect|skip(?:ping)?|leav(?:e|ing) out", False),
    )
)
_BETWEEN: Final = word_set(
    "a an all and any the old deprecated obsolete outdated unused flaky slow unit test tests case cases testcase "
    "class function method named called for of in or following this these its our both"
)
# The items of a list belong to the line above them.
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|(?<!\s)[^\S\n]*\n\s*(?![-*+\u2022\d\s])")
_ANYTHING: Final = ("rule", "path", "before", "after")
_FAR: Final = 500
_LIST: Final = re.compile(r"[_./]|\w[A-Z]")
_TOKEN: Final = re.compile(r"(?<![\w./:-])[\w./:-]*\w")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# What people call things, and how code names them.
_MEANT: Final[Mapping[str, str]] = {
    "network": "requests urllib urlopen socket http httpx aiohttp fetch axios nock network",
    "clock": "time date datetime clock now",
    "time": "time date datetime clock now",
    "database": "db database sqlite psycopg cursor",
    "coverage": "threshold",
}


def asked_for(instruction: str, finding: Mapping[str, Any]) -> str | None:
    """The sentence that asks for it; None if there is none."""
    for rules, verbs, of_test in _DEEDS:
        if rules.fullmatch(str(finding.get("rule"))) is None:
            continue
        keys = ("test",) if of_test else ("after",) if "patched" in rules.pattern else _ANYTHING
        told = [str(finding.get(key) or "") for key in keys]
        for sentence in _SENTENCE.split(instruction[:LONGEST]):
            for verb in verbs.finditer(sentence):
                if not is_negated(sentence, verb.start()) and _names(
                    sentence[verb.end() : verb.end() + _FAR], told, of_test
                ):
                    return " ".join(sentence.split())[:200]
    return None


def _names(rest: str, told: list[str], of_test: bool) -> bool:
    """Whether the object that begins a text is what a finding names."""
    leaf = re.split(r" > |\.", told[0])[-1].partition("[")[0]
    wanted = {stem(word) for text in ([leaf] if of_test else told) for word in _WORD.findall(text)} - {"test"}
    seen: set[str] = set()
    tests = False
    for token in _TOKEN.findall(rest):
        if of_test and token.lower() == leaf.lower():
            return True
        words = {stem(word) for word in _WORD.findall(_MEANT.get(token.lower(), token))}
        tests |= "test" in words
        seen |= words & wanted
        if seen and (wanted <= seen and tests if of_test else True):
            return True
        if not (words & wanted or token.lower() in _BETWEEN or _LIST.search(token)):
            return False
    return False
