"""Build constraints: whether a Go file takes part in an ordinary ``go test``."""

import re

from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.word_sets import word_set

_PACKAGE = re.compile(r"^package\s+\w+", re.MULTILINE)
_CONSTRAINT = re.compile(r"^//(?:go:build\s+(?P<new>.+)|\s*\+build\s+(?P<old>.+))$", re.MULTILINE)
_WORD = re.compile(r"&&|\|\||!|\(|\)|[\w.]+")
_VERSION = re.compile(r"go1(?:\.\d+)*\Z")
_PLATFORMS = word_set(
    "aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows "
    "unix 386 amd64 arm arm64 loong64 mips mipsle mips64 mips64le ppc64 ppc64le riscv64 s390x wasm race msan "
    "asan purego gccgo boringcrypto"
)
_ALWAYS = frozenset(("gc", "cgo"))
_MOST_WORDS = 60


def constraints(text: str) -> list[Skip]:
    """A skip for each constraint that keeps the file out, or may keep it out on some platform."""
    package = _PACKAGE.search(text)
    head = text[: package.start()] if package is not None else text[:4000]
    skips = []
    for match in _CONSTRAINT.finditer(_without_blocks(head)):
        holds = _new_style(match["new"]) if match["new"] else _old_style(match["old"])
        if holds is not True:
            line = head.count("\n", 0, match.start()) + 1
            skips.append(Skip("excluded", line, match[0].strip(), conditional=holds is None))
    return skips


def _without_blocks(head: str) -> str:
    """Block comments blanked, so that lines keep their numbers."""
    return re.sub(r"/\*.*?(?:\*/|\Z)", lambda match: re.sub(r"[^\n]", " ", match[0]), head, flags=re.DOTALL)


def _tag(word: str) -> bool | None:
    if word in _ALWAYS or _VERSION.match(word):
        return True
    # Any tag that is no platform is set by nobody unless the command asks for it.
    return None if word in _PLATFORMS else False


def _old_style(expression: str) -> bool | None:
    """Spaces mean or, commas mean and."""
    options = [_all([_negatable(tag) for tag in option.split(",")]) for option in expression.split()]
    return _any(options)


def _negatable(tag: str) -> bool | None:
    value = _tag(tag.lstrip("!"))
    return value if value is None or not tag.startswith("!") else not value


def _new_style(expression: str) -> bool | None:
    words = _WORD.findall(expression)
    return _or(words[:_MOST_WORDS][::-1])


def _or(waiting: list[str]) -> bool | None:
    options = [_and(waiting)]
    while waiting and waiting[-1] == "||":
        waiting.pop()
        options.append(_and(waiting))
    return _any(options)


def _and(waiting: list[str]) -> bool | None:
    parts = [_not(waiting)]
    while waiting and waiting[-1] == "&&":
        waiting.pop()
        parts.append(_not(waiting))
    return _all(parts)


def _not(waiting: list[str]) -> bool | None:
    if not waiting:
        return None
    word = waiting.pop()
    if word == "!":
        value = _not(waiting)
        return None if value is None else not value
    if word == "(":
        value = _or(waiting)
        if waiting and waiting[-1] == ")":
            waiting.pop()
        return value
    return _tag(word)


def _all(parts: list[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _any(parts: list[bool | None]) -> bool | None:
    return True if True in parts else None if None in parts else False
