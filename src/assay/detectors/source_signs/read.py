"""All signs of one file, by what the file is for."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from assay.detectors.source_signs.native import native_signs
from assay.detectors.source_signs.pytest_hooks import hook_signs
from assay.detectors.source_signs.python import patches as python_patches
from assay.detectors.source_signs.python.equality import equality_signs
from assay.detectors.source_signs.python.exits import exits_anywhere, import_exits
from assay.detectors.source_signs.python.hidden_code import hidden_code
from assay.detectors.source_signs.python.interpreter import interpreter_signs
from assay.detectors.source_signs.python.module import PythonModule, parse_python
from assay.detectors.source_signs.python.sniffing import environment_signs, stack_signs
from assay.detectors.source_signs.python.subjects import subject_patches
from assay.detectors.source_signs.sign import Sign
from assay.evidence.workspace import ReadApart

_Gate = re.Pattern[str]
_REMEMBERED = 1024

# Words of which one is in every text that a reader has anything to say about. Parsing costs far more.
_EQUALITY: _Gate = re.compile(r"__(?:eq|ne|contains|instancecheck|subclasscheck)__")
_STACK: _Gate = re.compile(r"_getframe|inspect|traceback|_current_frames|currentframe|f_back|_frame\b")
_ENVIRONMENT: _Gate = re.compile(
    r"modules|argv|environ|getenv|__main__|psutil|find_spec|_called_from|PYTEST|TOX_ENV|NOX_|/proc/"
)
_PATCHES: _Gate = re.compile(
    r"unittest|test|builtins|nose|hypothesis|doctest|pluggy|isclose|allclose|operator|_exit|sys|runtest|"
    r"assert[A-Z_]|fail[A-Z]"
)
_SETS: _Gate = re.compile(
    r"[\w\])]\.\w+[ \t]*(?::[^=\n]{1,40})?=[^=]|^[ \t]*[\w.]+\.\w+[ \t]*,|setattr|__dict__|modules|vars\(|"
    r"\bdel |def (?:assert|fail)|patch|exec",
    re.MULTILINE,
)
_CLOCKS: _Gate = re.compile(
    r"(?<!\w)(?>\w*?(?:time|perf_counter|monotonic|sleep|date|timer))\w*+[\"']?\]?[ \t]{0,4}=[^=]|"
    r"freeze_time|travel|setattr|__dict__|exec"
)
_INTERPRETER: _Gate = re.compile(r"meta_path|path_hooks|settrace|setprofile|__code__|\bANY\b")
_HIDDEN: _Gate = re.compile(r"\b(?:exec|eval|compile|marshal)\b")
_DECODES: _Gate = re.compile(r"b64decode|b32decode|b85decode|a85decode|fromhex|unhexlify|decompress|rot13")
_EXITS: _Gate = re.compile(
    r"exit(?!__)|Exit|(?<![A-Za-z])(?:quit|exec(?:[lv]p?e?)?)(?![A-Za-z])|__import__|import_module|excepthook|spawn"
)
_FIXTURE: _Gate = re.compile(r"\bfixture\b")
_EXCEPT: _Gate = re.compile(r"\bexcept\b")


def source_signs(text: str, language: str, *, added: str, serves_build: bool, apart: ReadApart) -> list[Sign]:
    """Signs in code that is no test: equality, sniffing, patches, clocks, hidden code.

    ``added`` are the lines that matter; where nothing in them can be a sign of some kind, that kind is not
    looked for. Raises ``UnreadableError`` where a parser gives up on the text.
    """
    if language == "python":
        return list(_python_source(text, added, serves_build))
    found = native_signs(text, language, added, in_tests=False, apart=apart)
    every = [*found.source, *found.patches]
    return [sign for sign in every if not (serves_build and sign.rule == "environment_sniffed")]


def tampering_signs(
    text: str, language: str, *, added: str, in_tests: bool, is_script: bool, apart: ReadApart
) -> list[Sign]:
    """Signs that a run of tests is led astray: by hooks, by patches in test code, by an early end."""
    if language == "python":
        return list(_python_tampering(text, added, in_tests, is_script))
    if is_script and not in_tests:
        return []
    found = native_signs(text, language, added, in_tests=in_tests, apart=apart)
    return [*found.exits, *(found.patches if in_tests else ())]


def subject_signs(text: str, packages: frozenset[str]) -> list[Sign]:
    """Signs in a ``conftest.py`` that the project's own packages are replaced for all tests."""
    module = parse_python(text)
    return list(subject_patches(module, packages)) if module is not None else []


@lru_cache(maxsize=_REMEMBERED)
def is_unreadable(text: str, added: str) -> bool:
    """Whether Python code should have been read and can't be parsed."""
    worth = any(gate.search(text) for gate in (_EQUALITY, _STACK, _ENVIRONMENT)) or (
        _HIDDEN.search(text) is not None and _DECODES.search(text) is not None
    )
    return (worth or _CLOCKS.search(added) is not None) and parse_python(text) is None


def read_source_ahead(text: str, added: str, *, serves_build: bool) -> None:
    """Look for the signs of Python source now, while it is parsed. Whoever asks for them later gets the answer."""
    _python_source(text, added, serves_build)
    is_unreadable(text, added)


@lru_cache(maxsize=_REMEMBERED)
def _python_source(text: str, added: str, serves_build: bool) -> tuple[Sign, ...]:
    readers: tuple[tuple[bool, Callable[[PythonModule], Iterator[Sign]]], ...] = (
        (_EQUALITY.search(text) is not None, equality_signs),
        (_STACK.search(text) is not None and ("frame" in text or "stack" in text), stack_signs),
        (_ENVIRONMENT.search(text) is not None, partial(environment_signs, ci_counts=not serves_build)),
        (_patches(text, added), partial(python_patches.framework_patches, in_tests=False)),
        (_CLOCKS.search(added) is not None, python_patches.clock_patches),
        (_HIDDEN.search(text) is not None and _DECODES.search(text) is not None, hidden_code),
        (_INTERPRETER.search(added) is not None, interpreter_signs),
    )
    return tuple(_read(text, [reader for wanted, reader in readers if wanted]))


def _python_tampering(text: str, added: str, in_tests: bool, is_script: bool) -> Iterator[Sign]:
    fixtures = in_tests and _FIXTURE.search(text) is not None and _EXCEPT.search(text) is not None
    hooks = "def pytest_" in text or "hookimpl" in text or fixtures
    exits = _EXITS.search(text) is not None
    readers: tuple[tuple[bool, Callable[[PythonModule], Iterator[Sign]]], ...] = (
        (hooks, hook_signs),
        (in_tests and exits, exits_anywhere),
        (in_tests and _patches(text, added), partial(python_patches.framework_patches, in_tests=True)),
        ((in_tests or not is_script) and exits, import_exits),
    )
    yield from _read(text, [reader for wanted, reader in readers if wanted])


def _patches(text: str, added: str) -> bool:
    return _SETS.search(added) is not None and _PATCHES.search(text) is not None


def _read(text: str, readers: list[Callable[[PythonModule], Iterator[Sign]]]) -> Iterator[Sign]:
    module = parse_python(text) if readers else None
    if module is not None:
        for reader in readers:
            yield from reader(module)
