"""Reads a file of tests with the reader of its language.

Python is read by its own parser. All other languages need the native one, which never returns from some texts, so
they are read apart. A file that can't be read at all comes back with the reason in ``TestCode.unreadable``.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module

from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.paths import is_collected_path, language_of
from assay.evidence.workspace import ReadApart, UnreadableError

_LARGEST = 2_000_000
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_TRUSTED_CODECS = re.compile(
    r"^(?:utf-?8(?:-sig)?|ascii|us-ascii|latin-?1|iso-?8859-\d+|windows-\d+|cp\d+)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Text:
    """One text to read with the native parser."""

    language: str
    text: str
    with_markup: bool


def read_test_code(path: str, data: bytes, apart: ReadApart) -> TestCode | None:
    """The tests of a file; None for a language without a reader."""
    language = language_of(path)
    if language is None or language not in _READERS:
        return None
    return _read(language, path.lower().endswith("x"), is_collected_path(path), data, apart)


def read_both(
    old_path: str, before: bytes | None, path: str, after: bytes | None, apart: ReadApart
) -> tuple[TestCode | None, TestCode | None]:
    """A file before and after."""
    old = read_test_code(old_path, before, apart) if before is not None else None
    return old, read_test_code(path, after, apart) if after is not None else None


def _read(language: str, with_markup: bool, collected: bool, data: bytes, apart: ReadApart) -> TestCode:
    if len(data) > _LARGEST:
        return _unreadable(language, f"it has more than {_LARGEST:,} bytes")
    if language == "python":
        return _placed(_or_newer(_python_file(data), data, apart), collected)
    text, problems = decoded(data, language)
    return _placed(_with_problems(_natively(language, text, with_markup, apart), problems), collected)


# Remembered, since two checks ask about the same files. Nothing outside of the bytes decides about these answers;
# what was read apart is remembered by whoever reads apart, and only for one grading.


@lru_cache(maxsize=4096)
def _python_file(data: bytes) -> TestCode:
    text, problems = decoded(data, "python")
    return _with_problems(_python(text, False), problems)


def _or_newer(code: TestCode, data: bytes, apart: ReadApart) -> TestCode:
    """A syntax error for this Python may be fine for a newer one. Then the file can't be judged here."""
    from assay.detectors.test_code.languages.python.newer_syntax import SYNTAX_ERROR, is_newer_python, looks_newer  # noqa: PLC0415

    if not any(skip.text == SYNTAX_ERROR for skip in code.skips):
        return code
    text = decoded(data, "python")[0]
    try:
        if not looks_newer(text) or not apart(is_newer_python, text, bool):
            return code
    except UnreadableError as error:
        return _unreadable("python", str(error))
    reason = f"its syntax is newer than Python {sys.version_info[0]}.{sys.version_info[1]}, which runs Assay"
    return replace(code, skips=(), unreadable=reason, newer_than_us=True)


def _natively(language: str, text: str, with_markup: bool, apart: ReadApart) -> TestCode:
    # A lone surrogate can't be handed over.
    question = Text(language, text.encode("utf-8", "replace").decode(), with_markup)
    try:
        return apart(parsed, question, TestCode)
    except UnreadableError as error:
        return _unreadable(language, str(error))


def parsed(text: Text) -> TestCode:
    """Read a text with the native parser's reader. It may never return."""
    return _READERS[text.language](text.text, text.with_markup)


def _unreadable(language: str, reason: str) -> TestCode:
    return TestCode(language, problems=(f"The file can't be read: {reason}.",), unreadable=reason)


def _placed(code: TestCode, collected: bool) -> TestCode:
    """With what only the path tells."""
    return code if collected else replace(code, tests=tuple(replace(test, collected=False) for test in code.tests))


def _with_problems(code: TestCode, problems: tuple[str, ...]) -> TestCode:
    return replace(code, problems=(*code.problems, *problems)) if problems else code


def decoded(data: bytes, language: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and a sentence where its encoding is not what it should be."""
    codec = _encoding(data) if language == "python" else "utf-8-sig"
    try:
        if codec is not None:
            return data.decode(codec).replace("\r\n", "\n").replace("\r", "\n"), ()
        problem = "The file declares an encoding that test code has no use for."
    except (UnicodeDecodeError, LookupError):
        problem = "The file is not valid text in its encoding; it was read as Latin-1."
    return data.decode("latin-1"), (problem,)


def _encoding(data: bytes) -> str | None:
    """Python's own way to say a file's encoding; None for one that could hide code, as UTF-7 can."""
    for line in data.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found is not None:
            name = found.group(1).decode("ascii", "replace")
            if not _TRUSTED_CODECS.match(name):
                return None
            return "utf-8-sig" if name.lower().startswith("utf") else name
    return "utf-8-sig"


# Languages are imported when a file of theirs comes along: syntax trees of other languages take a large library.


def _python(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.languages.python import read_python  # noqa: PLC0415

    return read_python(text)


def _typescript(text: str, with_markup: bool) -> TestCode:
    from assay.detectors.test_code.engine.reader import read  # noqa: PLC0415
    from assay.detectors.test_code.languages.javascript import TSX, TYPESCRIPT  # noqa: PLC0415

    return read(TSX if with_markup else TYPESCRIPT, text)


def _declared(name: str) -> Callable[[str, bool], TestCode]:
    """The reader of a language that is declared in a folder of its own."""

    def reader(text: str, _: bool) -> TestCode:
        from assay.detectors.test_code.engine.reader import read  # noqa: PLC0415

        return read(import_module(f"assay.detectors.test_code.languages.{name}").LANGUAGE, text)

    return reader


_READERS: dict[str, Callable[[str, bool], TestCode]] = {
    "python": _python,
    "typescript": _typescript,
    **{
        name: _declared(name)
        for name in ("csharp", "go", "java", "javascript", "kotlin", "php", "ruby", "rust", "swift")
    },
}
