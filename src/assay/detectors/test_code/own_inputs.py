"""Values that a test passes in and expects back, as in ``save(user)`` and ``load() == user``: they are input."""

import re
from collections.abc import Iterator

from assay.detectors.test_code.findings import FilePair, Located, source_of
from assay.detectors.test_code.literals import literals
from assay.detectors.test_code.model import Assertion, Test

_PLAIN = re.compile(r"(?<![\w.@$])[A-Za-z_]\w*(?![\w(.\[])")
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`")
_FILLED = re.compile(r"[#$]?\{([^{}]*)\}")
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
