"""Build constraints: whether a Go file takes part in an ordinary ``go test``."""

import re

from assay.detectors.test_code.engine.expressions.truth import build_holds
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
        holds = _holds(match)
        if holds is not True:
            line = head.count("\n", 0, match.start()) + 1
            skips.append(Skip("excluded", line, match[0].strip(), conditional=holds is None))
    return skips


def _without_blocks(head: str) -> str:
    """Block comments blanked, so that lines keep their numbers."""
    return re.sub(r"/\*.*?(?:\*/|\Z)", lambda match: re.sub(r"[^\n]", " ", match[0]), head, flags=re.DOTALL)


def _tag(word: str) -> bool | None:
    word = word.removeprefix("tag ")
    if word in _ALWAYS or _VERSION.match(word):
        return True
    # Any tag that is no platform is set by nobody unless the command asks for it.
    return None if word in _PLATFORMS else False


def _holds(match: re.Match[str]) -> bool | None:
    """In the old style, spaces mean or and commas mean and."""
    written = match["new"] or " || ".join(match["old"].replace(",", "&&").split())
    words = _WORD.findall(written)[:_MOST_WORDS]
    return build_holds([f"tag {word}" if word[0].isalnum() else word for word in words], _tag)
