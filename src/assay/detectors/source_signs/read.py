"""All signs of one file, by what the file is for."""

import re
from collections.abc import Iterator
from functools import lru_cache

from assay.detectors.source_signs.native import is_worth_reading, native_signs
from assay.detectors.source_signs.pytest_hooks import hook_signs
from assay.detectors.source_signs.python.module import parse_python
from assay.detectors.source_signs.python.subjects import subject_patches
from assay.detectors.source_signs.sign import Sign
from assay.evidence.workspace import ReadApart

_HOOK = re.compile(r"def pytest_|hookimpl")
_REMEMBERED = 1024


def source_signs(text: str, language: str, *, added: str, serves_build: bool, apart: ReadApart) -> list[Sign]:
    """Signs in code that is no test: equality, sniffing, patches, clocks, hidden code.

    ``added`` are the lines that matter; where nothing in them can be a sign of some kind, that kind is not
    looked for. Raises ``UnreadableError`` where a parser gives up on the text.
    """
    found = native_signs(text, language, added, in_tests=False, apart=apart)
    every = [*found.source, *found.patches]
    return [sign for sign in every if not (serves_build and sign.rule == "environment_sniffed")]


def tampering_signs(
    text: str, language: str, *, added: str, in_tests: bool, is_script: bool, apart: ReadApart
) -> list[Sign]:
    """Signs that a run of tests is led astray: by hooks, by patches in test code, by an early end."""
    hooks = list(_hooks(text, in_tests)) if language == "python" else []
    if is_script and not in_tests:
        return hooks
    found = native_signs(text, language, added, in_tests=in_tests, apart=apart)
    return [*hooks, *found.exits, *(found.patches if in_tests else ())]


def _hooks(text: str, in_tests: bool) -> Iterator[Sign]:
    if _HOOK.search(text) or (in_tests and "fixture" in text and "except" in text):
        module = parse_python(text)
        yield from hook_signs(module) if module is not None else ()


def subject_signs(text: str, packages: frozenset[str]) -> list[Sign]:
    """Signs in a ``conftest.py`` that the project's own packages are replaced for all tests."""
    module = parse_python(text)
    return list(subject_patches(module, packages)) if module is not None else []


@lru_cache(maxsize=_REMEMBERED)
def is_unreadable(text: str) -> bool:
    """Whether Python code should have been read and can't be parsed."""
    return is_worth_reading(text) and parse_python(text) is None
