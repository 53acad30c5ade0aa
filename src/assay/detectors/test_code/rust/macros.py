"""Macros that contain whole tests: they are removed around the tests, so that these are parsed like other code."""

import re
from typing import NamedTuple

_HOLDS_TESTS = re.compile(r"(?:\b\w{1,100}::){0,20}\b(?:proptest|quickcheck|rusty_fork_test)!\s*\{")
_STR = re.compile(r"\bstr!(?=\s*\[)")
_TOKEN = re.compile(
    r"""//[^\n]* | /\*(?:[^*]|\*(?!/))*(?:\*/|\Z) | r\#+"(?:[^"]|"(?!\#))*(?:"\#+|\Z) | "(?:\\.|[^"\\])*(?:"|\Z)
    | '(?:\\.[^']*|[^'\\])' | (?P<open>[({\[]) | (?P<close>[)}\]])""",
    re.VERBOSE | re.DOTALL,
)
_SETTINGS = re.compile(r"\s*#!\[[^\n]*\]")
_STRATEGIES = re.compile(r"\bfn\s+\w+\s*\(")
_NOT_NEWLINE = re.compile(r"[^\n]")


class Bare(NamedTuple):
    """A text without the macros around its tests. In ``all_tests``, from and to, every function is a test."""

    text: str
    all_tests: tuple[tuple[int, int], ...] = ()


def laid_bare(text: str) -> Bare:
    """The text without the macros around tests and without the strategies of their parameters; offsets stay."""
    # The grammar takes ``str!`` for a type, and then loses its way in the string that follows.
    text = _STR.sub("txt!", text) if "str![" in text else text
    if "!" not in text or not _HOLDS_TESTS.search(text):
        return Bare(text)
    pieces, at = [], 0
    regions: list[tuple[int, int]] = []
    while found := _HOLDS_TESTS.search(text, at):
        end = _closing(text, found.end() - 1)
        if "quickcheck!" in found[0]:
            regions.append((found.end(), end))
        pieces += [text[at : found.start()], _blank(found[0]), _bare_functions(text[found.end() : end])]
        pieces.append(" " if end < len(text) else "")
        at = end + 1
    pieces.append(text[at:])
    return Bare("".join(pieces), tuple(regions))


def _bare_functions(text: str) -> str:
    settings = _SETTINGS.match(text)
    pieces, at = [], 0
    if settings is not None:
        pieces, at = [_blank(settings[0])], settings.end()
    for found in _STRATEGIES.finditer(text):
        if found.start() < at:
            continue
        end = _closing(text, found.end() - 1)
        pieces += [text[at : found.end()], _blank(text[found.end() : end])]
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _blank(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens at an offset closes; the end of the text where it never does."""
    depth = 0
    for found in _TOKEN.finditer(text, at):
        if found.lastgroup == "open":
            depth += 1
        elif found.lastgroup == "close":
            depth -= 1
            if depth == 0:
                return found.start()
    return len(text)
