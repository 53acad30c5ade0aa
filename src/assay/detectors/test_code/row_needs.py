"""What a table's row must contain to replace an assertion that was written with literals."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.detectors.test_code.assertion_pairs import is_literal, is_rounding, value_in, wider
from assay.detectors.test_code.findings import FilePair, lines_of
from assay.detectors.test_code.literal_rows import Row
from assay.detectors.test_code.literals import constants, literals, pieces
from assay.detectors.test_code.model import Assertion, Strength, Test
from assay.detectors.test_code.word_sets import word_set

_WORD = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"([A-Za-z_]\w{0,200}+[?!]?)(?:::<[^()]{0,400}>)?\(")
_SIZE = re.compile(r"len|size|count", re.IGNORECASE)
_MESSAGE = re.compile(r"\b(?:t|b|tb)\.(?:Error|Fatal|Log)f?\(|^\s*(?:@|\[\w|#\[|\"\"\"|'''|['\"])")
_TYPE = re.compile(r"(?:\w++(?:\.|::))*(?>[A-Z]\w*?[a-z])\w*+(?:\.class)?")
_MOST_LOST, _MOST_NAMES, _MOST_LINES = 50, 10, 100
_TRUTH = {"True": "true", "true": "true", "False": "false", "false": "false"}
_WRAPS = word_set("Some Ok Err len str int list sorted tuple set repr String unwrap expect")


@dataclass(frozen=True, slots=True)
class Need:
    """What a row must have for some assertions."""

    literals: Counter[str]
    constants: set[str]
    wanted: Counter[str]
    """Those of the literals that are expected."""
    lost: Sequence[Assertion]
    fields: frozenset[str] | None = None
    """The fields of rows that an assertion named, where it stood in a loop over a table."""


def need_of_test(file: FilePair, test: Test, lost: Sequence[Assertion]) -> Need:
    """The literals of all that a test does, messages and titles apart, each as often as one demand has it."""
    language = file.before.language if file.before is not None else ""
    lines = lines_of(file.before_text)[test.line - 1 : test.end_line]
    doings = list(_doings(lines, {each.line - test.line for each in test.assertions}, language))
    need: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    named: set[str] = set()
    for line in doings:
        need |= literals(line, language)
    for each in lost[:_MOST_LOST]:
        single = need_of(each, language)
        demanded = single.literals
        named |= single.constants
        wanted |= single.wanted
        for name in _WORD.findall(each.subject)[:_MOST_NAMES]:
            for line in doings[:_MOST_LINES]:
                if re.match(rf"\s*+(?>(?:\w++[ \t]++)*?{name}\b)[^=(]*+:?=(?!=)", line):
                    demanded += literals(line, language)
        need |= demanded
    return Need(need, named, wanted, lost)


def _doings(lines: list[str], asserting: set[int], language: str) -> Iterator[str]:
    """The lines of a test behind its head that assert nothing."""
    depth = 0
    for number, line in enumerate(lines):
        within = depth > 0
        if number in asserting or within:
            depth = max(depth + _opened(line, language), 0)
        elif number and not _MESSAGE.search(line):
            yield line


def _opened(line: str, language: str) -> int:
    """How many more brackets a line opens than it closes."""
    marks = [piece.text for piece in pieces(line, language) if piece.kind == "mark"]
    return sum((mark in "([") - (mark in ")]") for mark in marks)


def need_of(lost: Assertion, language: str) -> Need:
    """What one assertion is made of. Whether something is true or false is asked for by itself."""
    expected = "" if _truth(lost) else lost.expected or ""
    told = f"{lost.subject} , {expected}"
    return Need(literals(told, language), constants(told, language), literals(expected, language), [lost])


def has(row: Row, missing: Counter[str], need: Need, own: str) -> bool:
    """Whether a row has all that is missing, and is not just any row."""
    if not _has_literals(row, missing, bool(_SIZE.search(own))):
        return False
    truths = {truth for each in need.lost if (truth := _truth(each)) is not None}
    if row.constants & {"true", "false"} and not truths <= row.constants:
        return False
    known = set(_WORD.findall(own))
    told = [name in row.words for name in _names(need.lost) if name not in known]
    return all(told) and (bool(missing) or any(told) or (bool(need.wanted) and need.wanted <= row.literals))


def _has_literals(row: Row, missing: Counter[str], sized: bool) -> bool:
    return all(
        row.literals[text] >= times or text[1:] in row.words or (sized and text in row.sizes)
        for text, times in missing.items()
    )


def _names(lost: Sequence[Assertion]) -> list[str]:
    """The constants and types that are expected by name."""
    return [name for each in lost for name in _WORD.findall(_named(each)) if name[0].isupper()]


def _named(assertion: Assertion) -> str:
    """The expected value, unless it is a text."""
    expected = value_in(assertion.expected or "")
    return "" if expected[:1] in "\"'" or expected in _TRUTH else expected


def _truth(assertion: Assertion) -> str | None:
    return _TRUTH.get(assertion.expected or "")


def as_good(lost: Assertion, new: Assertion, own: str) -> bool:
    """Whether an assertion that is made of a row demands as much as one that was made of literals."""
    if wider(lost, new) or {_truth(lost), _truth(new)} == {"true", "false"}:
        return False
    if _is_weaker(lost, new) or _expects_other(lost, new):
        return False
    # What is made may be made elsewhere; what is tested is called by the test.
    called = {name for name in _CALLED.findall(lost.subject) if not name[0].isupper()} - _WRAPS
    return all(re.search(rf"\b{re.escape(name)}", own) for name in called)


def _is_weaker(lost: Assertion, new: Assertion) -> bool:
    asked = _truth(lost) is not None and new.strength >= Strength.PRESENCE
    return new.strength < lost.strength and not asked and not is_rounding(new)


def _expects_other(lost: Assertion, new: Assertion) -> bool:
    """Whether the expected value is gone or another one."""
    if lost.expected is None:
        return False
    if new.expected is None:
        return lost.strength > Strength.PRESENCE
    return new.strength == lost.strength and _contradict(lost.expected, new.expected)


def _contradict(before: str, after: str) -> bool:
    """Whether what is expected of every row can't be what was expected: another literal, or no value at all."""
    before, after = value_in(before), value_in(after)
    if _TYPE.fullmatch(after) and not _SIZE.search(after):
        return before != after
    if not is_literal(after) or "[" in after or "{" in after:
        return False
    return not is_literal(before) or literals(before, "python") != literals(after, "python")
