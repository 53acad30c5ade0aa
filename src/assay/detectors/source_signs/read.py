"""All signs of one file, by what the file is for."""

import re
from functools import lru_cache

from assay.detectors.source_signs.native import SignsText, is_worth_reading, native_signs, parse_python
from assay.detectors.source_signs.sign import Sign
from assay.evidence.workspace import ReadApart

_HOOK = re.compile(r"def pytest_|hookimpl")
_REMEMBERED = 1024


def source_signs(text: str, language: str, *, added: str, serves_build: bool, apart: ReadApart) -> list[Sign]:
    """Signs in code that is no test: equality, sniffing, patches, clocks, hidden code.

    ``added`` are the lines that matter; where nothing in them can be a sign of some kind, that kind is not
    looked for. Raises ``UnreadableError`` where a parser gives up on the text.
    """
    found = native_signs(SignsText(language, text), added, apart)
    every = [*found.source, *found.patches]
    return [sign for sign in every if not (serves_build and sign.rule == "environment_sniffed")]


def tampering_signs(question: SignsText, *, added: str, is_script: bool, apart: ReadApart) -> list[Sign]:
    """Signs that a run of tests is led astray: by hooks, by patches in test code, by an early end."""
    is_program = is_script and not question.in_tests
    if is_program and _HOOK.search(question.text) is None:
        return []
    found = native_signs(question, added, apart)
    if is_program:
        return found.hooks
    return [*found.hooks, *found.exits, *(found.patches if question.in_tests else ())]


@lru_cache(maxsize=_REMEMBERED)
def is_unreadable(text: str) -> bool:
    """Whether Python code should have been read and can't be parsed."""
    return is_worth_reading(text) and parse_python(text) is None
