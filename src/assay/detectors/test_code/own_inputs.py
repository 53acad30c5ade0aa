"""Values that a test passes in and expects back, as in ``save(user)`` and ``load() == user``: they are input."""

import re
from collections.abc import Iterator

from assay.detectors.test_code.findings import FilePair, Located, source_of
from assay.detectors.test_code.literals import literals, pieces
from assay.detectors.test_code.model import Assertion, Test

_PLAIN = re.compile(r"(?<![\w.@$])[A-Za-z_]\w*(?![\w(.\[])")
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`")
_FILLED = re.compile(r"[#$]?\{([^{}]*)\}")
_CALLS = re.compile(r"\s*(?:await\s+|yield\s+)?[\w$@]+(?:(?:\.|::|->)\w+)*\(")
_GOES_ON = ".)]}?&|+=,"
_LETTERS = re.compile(r"[A-Za-z]+")
_SHORTEST, _LONGEST = 4, 20_000
_MESSAGE = re.compile(r"\b(?:t|b|tb)\.(?:Error|Fatal|Log)f?\(|\b(?:print|puts|console\.\w+|fmt\.\w+|log)\b")


def _filled(text: re.Match[str]) -> str:
    """What is filled into a text."""
    return f" {' '.join(_FILLED.findall(text.group()))} "


def goes_in(file: FilePair, before: Located, after: Located, lost: Assertion) -> bool:
    """Whether what is expected under a name goes into the code under test under that name, before and after."""
    return any(
        _is_used(file.before_text, before.test, name) and _is_used(file.after_text, after.test, name)
        for name in _names_of(lost, file)
    )


def _names_of(lost: Assertion, file: FilePair) -> Iterator[str]:
    """The names in an assertion that stand for what is expected."""
    language = file.before.language if file.before is not None else ""
    wanted = literals(lost.expected or "", language)
    for name in dict.fromkeys(_PLAIN.findall(lost.text)) if wanted else ():
        bound = re.search(rf"(?m)^[^\n#=]*(?<![\w.]){name}\b[^\n=()]{{0,1000}}=(?![=>])(.*)$", file.before_text)
        if bound is not None and literals(bound[1], language) == wanted:
            yield name


def _is_used(text: str, test: Test, name: str) -> bool:
    """Whether a test mentions a name in a line that neither asserts nor binds it."""
    asserting = {each.line - test.line for each in test.assertions}
    # A text may speak of the name for no reason, unless it is filled into it.
    mentioned = re.compile(rf"(?<![\w.]){name}\b(?![^\n=()]{{0,1000}}=(?![=>]))")
    return any(
        mentioned.search(_TEXT.sub(_filled, line)) and not _MESSAGE.search(line)
        for number, line in enumerate(source_of(text, test).split("\n"))
        if number not in asserting
    )


def follows_its_input(file: FilePair, before: Located, after: Located, after_text: str) -> bool:
    """Whether a test only says other words in its texts, to the code under test and of it alike.

    ``panic("Oupps")`` and ``contains("Oupps")`` became ``panic("Oops")`` and ``contains("Oops")``.
    """
    language = file.before.language if file.before is not None else ""
    old, new = _body(file.before_text, before.test), _body(after_text, after.test)
    if not old or len(old) > _LONGEST or old.count("\n") != new.count("\n"):
        return False
    pairs = _other_words(old, new, language)
    if not pairs:
        return False
    said = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, pairs))})(?![A-Za-z])")
    if said.search(new) or said.sub(lambda found: pairs[found.group()], old) != new:
        return False
    wanted = sum(said.search(each.expected or "") is not None for each in before.test.assertions)
    return wanted > 0 and _is_given(said, old, file.before_text, before.test, wanted)


def _body(text: str, test: Test) -> str:
    """The lines of a test behind its head, each without what is around it."""
    return "\n".join(line.strip() for line in source_of(text, test).split("\n")[1:])


def _other_words(old: str, new: str, language: str) -> dict[str, str]:
    """The words in texts that became others, each always the same other one; none where anything else changed."""
    texts = [[each.text for each in pieces(one, language) if each.kind == "text"] for one in (old, new)]
    if len(texts[0]) != len(texts[1]):
        return {}
    found: dict[str, str] = {}
    for was, now in zip(*texts, strict=True):
        words = [_LETTERS.findall(one) for one in (was, now)] if was != now else [[], []]
        if len(words[0]) != len(words[1]):
            return {}
        for one, other in zip(*words, strict=True):
            if one != other and (found.setdefault(one, other) != other or min(len(one), len(other)) < _SHORTEST):
                return {}
    return found if len(set(found.values())) == len(found) else {}


def _is_given(said: re.Pattern[str], body: str, text: str, test: Test, wanted: int) -> bool:
    """Whether a test gives words to the code under test, and does not only want them."""
    if any(said.search(each.subject) for each in test.assertions):
        return True
    if len(said.findall(body)) <= wanted:
        return False
    asserting = {each.line - test.line for each in test.assertions}
    deeper = -1
    for number, line in enumerate(source_of(text, test).split("\n")):
        depth = len(line) - len(line.lstrip())
        if number in asserting:
            deeper = depth
        elif number and line.strip() and (deeper < 0 or (depth <= deeper and line.lstrip()[0] not in _GOES_ON)):
            deeper = -1
            if said.search(line) and _CALLS.match(line) and not _MESSAGE.search(line):
                return True
    return False
