"""Reads a file of tests with the reader of its language."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from assay.detectors.test_code.child import Request, read_in_child
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.paths import is_collected_path, language_of
from assay.detectors.test_code.unchanged import without_unchanged

_LARGEST = 2_000_000
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_TRUSTED_CODECS = re.compile(
    r"^(?:utf-?8(?:-sig)?|ascii|us-ascii|latin-?1|iso-?8859-\d+|windows-\d+|cp\d+)$", re.IGNORECASE
)


def read_test_code(path: str, data: bytes) -> TestCode | None:
    """What the tests of a file are; None for a language without a reader."""
    language = language_of(path)
    if language is None or language not in _READERS:
        return None
    return _read(language, path.lower().endswith("x"), is_collected_path(path), data)


def read_both(
    old_path: str, before: bytes | None, path: str, after: bytes | None
) -> tuple[TestCode | None, TestCode | None]:
    """A file before and after. What both have in common may be left out of both."""
    language = language_of(path)
    if before is not None and after is not None and language is not None and language == language_of(old_path):
        where = is_collected_path(old_path), is_collected_path(path)
        if language == "python":
            return _read_python(before, after, *where)
        markups = old_path.lower().endswith("x"), path.lower().endswith("x")
        return _read_pair(language, markups, before, after, where)
    old = read_test_code(old_path, before) if before is not None else None
    return old, read_test_code(path, after) if after is not None else None


@lru_cache(maxsize=2048)
def _read_python(
    before: bytes, after: bytes, collected_before: bool, collected_after: bool
) -> tuple[TestCode, TestCode]:
    from assay.detectors.test_code.python import read_python_pair  # noqa: PLC0415

    if max(len(before), len(after)) > _LARGEST:
        return _read("python", False, collected_before, before), _read("python", False, collected_after, after)
    (old_text, old_problems), (text, problems) = decoded(before, "python"), decoded(after, "python")
    old, new = read_python_pair(old_text, text)
    return _finished(old, collected_before, old_problems), _finished(new, collected_after, problems)


@lru_cache(maxsize=2048)
def _read_pair(
    language: str, markups: tuple[bool, bool], before: bytes, after: bytes, collected: tuple[bool, bool]
) -> tuple[TestCode, TestCode]:
    """Both versions in another language. What is broken is read whole."""
    old, new = (decoded(data, language) for data in (before, after))
    if max(len(before), len(after)) <= _LARGEST and not old[1] and not new[1]:
        texts = without_unchanged(old[0], new[0], language)
        shorter = [read_in_child(language, text, markup) for text, markup in zip(texts, markups, strict=True)]
        if not any(code.problems for code in shorter):
            return _finished(shorter[0], collected[0], ()), _finished(shorter[1], collected[1], ())
    return _read(language, markups[0], collected[0], before), _read(language, markups[1], collected[1], after)


@lru_cache(maxsize=4096)
def _read(language: str, with_markup: bool, collected: bool, data: bytes) -> TestCode:
    """Remembered, since two checks ask about the same files."""
    if len(data) > _LARGEST:
        return TestCode(language, problems=(f"The file has more than {_LARGEST} bytes and was not parsed.",))
    text, problems = decoded(data, language)
    code = _python(text, False) if language == "python" else read_in_child(language, text, with_markup)
    return _finished(code, collected, problems)


def parsed(request: Request) -> TestCode:
    """What the child does with a request."""
    return _READERS[request.language](request.text, request.with_markup)


def _finished(code: TestCode, collected: bool, problems: tuple[str, ...]) -> TestCode:
    """With what only the path and the bytes tell."""
    if not collected:
        code = replace(code, tests=tuple(replace(test, collected=False) for test in code.tests))
    return replace(code, problems=(*code.problems, *problems)) if problems else code


def decoded(data: bytes, language: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and a sentence where its encoding is not what it should be."""
    codec = _declared(data) if language == "python" else "utf-8-sig"
    try:
        if codec is not None:
            return data.decode(codec).replace("\r\n", "\n").replace("\r", "\n"), ()
        problem = "The file declares an encoding that test code has no use for."
    except (UnicodeDecodeError, LookupError):
        problem = "The file is not valid text in its encoding; it was read as Latin-1."
    return data.decode("latin-1"), (problem,)


def _declared(data: bytes) -> str | None:
    """Python's own way to say a file's encoding; None for one that could hide code, as UTF-7 can."""
    for line in data.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found is not None:
            name = found.group(1).decode("ascii", "replace")
            if not _TRUSTED_CODECS.match(name):
                return None
            return "utf-8-sig" if name.lower().startswith("utf") else name
    return "utf-8-sig"


# Readers are imported when a file of theirs comes along: syntax trees of other languages take a large library.


def _python(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.python import read_python  # noqa: PLC0415

    return read_python(text)


def _javascript(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.javascript import read_javascript  # noqa: PLC0415

    return read_javascript(text)


def _typescript(text: str, with_markup: bool) -> TestCode:
    from assay.detectors.test_code.javascript import read_typescript  # noqa: PLC0415

    return read_typescript(text, with_markup)


def _go(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.go import read_go  # noqa: PLC0415

    return read_go(text)


def _ruby(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.ruby import read_ruby  # noqa: PLC0415

    return read_ruby(text)


def _java(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.java import read_java  # noqa: PLC0415

    return read_java(text)


def _rust(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.rust import read_rust  # noqa: PLC0415

    return read_rust(text)


def _csharp(text: str, _: bool) -> TestCode:
    from assay.detectors.test_code.csharp import read_csharp  # noqa: PLC0415

    return read_csharp(text)


_READERS: dict[str, Callable[[str, bool], TestCode]] = {
    "python": _python,
    "javascript": _javascript,
    "typescript": _typescript,
    "go": _go,
    "ruby": _ruby,
    "java": _java,
    "rust": _rust,
    "csharp": _csharp,
}
