"""C#'s conditional compilation: which parts of a file are built.

The directives are blanked out before parsing, so that tests in every branch are seen; what each part depends on is
remembered by offsets.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.detectors.test_code.engine.expressions.truth import build_holds, combined

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*([^\r\n]*)", re.MULTILINE)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*if\b", re.MULTILINE)
_KNOWN = re.compile(
    r"true|false|DEBUG|TRACE|RELEASE|CI|NET\w*|WINDOWS\w*|WIN\d*|LINUX|UNIX|OSX|MAC\w*|ANDROID\w*|IOS\w*|TVOS|WASM|BROWSER|UNITY\w*|MONO\w*|CORECLR"
    r"|CLR\w*|PORTABLE\w*|SILVERLIGHT\w*|ASPNET\w*|DNX\w*|FULL\w*CLR|XUNIT\w*|NUNIT\w*|MSTEST\w*|(?:FEATURE|SUPPORTS?|HAS|USE|HAVE|ENABLE|TARGET|PLATFORM)_\w+|X64|X86|ARM\w*|AOT|NATIVEAOT|DOTNET\w*"
)
_WORD = re.compile(r"\w+|[&|=!]=|&&|\|\||\S")
_COMPOUND = re.compile(r"_|\d")
_NEVER = re.compile(r"(?i)never|disabled?|false|skip|ignored?|broken|todo|off\b|no_|not_|none|unused|dead")
_NOT_NEWLINE = re.compile(r"[^\r\n]")


class DirectivePart(NamedTuple):
    """From an offset on, the code is built (True), left out (False), or that depends (None)."""

    start: int
    built: bool | None
    likely: bool | None
    """The same if symbols that no known build defines are not defined."""
    text: str
    repeats: bool
    """Does another branch of the same condition come before it?"""


@dataclass(slots=True)
class Directives:
    """A text without its directives, and what its parts depend on."""

    text: str
    parts: list[DirectivePart] = field(default_factory=list)

    def at(self, offset: int) -> DirectivePart | None:
        """The condition of the code at an offset."""
        index = bisect_right(self.parts, offset, key=lambda part: part.start)
        return self.parts[index - 1] if index else None

    def single_branch(self) -> str:
        """The text with one branch of each condition: what some build would see."""
        pieces, ends = [], [*(part.start for part in self.parts[1:]), len(self.text)]
        first = self.parts[0].start if self.parts else len(self.text)
        pieces.append(self.text[:first])
        for part, end in zip(self.parts, ends, strict=True):
            piece = self.text[part.start : end]
            pieces.append(_blank(piece) if part.built is False or part.repeats else piece)
        return "".join(pieces)


_Built = tuple[bool | None, bool | None]
"""Whether something is built: by what is known, and by what is likely."""


@dataclass(slots=True)
class _Branch:
    built: _Built
    text: str
    earlier: _Built
    """Is an earlier branch of the same condition built?"""
    repeats: bool = False


def directives(text: str) -> Directives:
    """Take the directives out of a file."""
    if "#" not in text or not _DIRECTIVE.search(text):
        return Directives(text)
    if not _CONDITION.search(text):
        return Directives(_DIRECTIVE.sub(lambda found: _blank(found[0]), text))
    defined: dict[str, bool] = {}
    open_branches: list[_Branch] = []
    parts: list[DirectivePart] = []
    for found in _DIRECTIVE.finditer(text):
        word, rest = found[1], found[2]
        if word in ("define", "undef"):
            defined[rest.split()[0] if rest.split() else ""] = word == "define"
        if word in ("if", "elif", "else", "endif"):
            _turn(open_branches, word, rest, defined)
            parts.append(_part(found.end(), open_branches))
    return Directives(_DIRECTIVE.sub(lambda found: _blank(found[0]), text), parts)


def _turn(open_branches: list[_Branch], word: str, rest: str, defined: dict[str, bool]) -> None:
    """Apply a directive to the branches that are open."""
    if word == "if":
        built = _holds(rest, defined)
        open_branches.append(_Branch(built, f"#if {rest}".strip(), built))
    elif not open_branches:
        return
    elif word == "endif":
        open_branches.pop()
    else:
        last = open_branches.pop()
        own = _holds(rest, defined) if word == "elif" else (True, True)
        built = _each(False, own, (_opposite(last.earlier[0]), _opposite(last.earlier[1])))
        repeats = last.repeats or last.built[0] is not False
        text = f"{last.text} … #{word} {rest}".strip()
        open_branches.append(_Branch(built, text, _each(True, last.earlier, own), repeats))


def _holds(condition: str, defined: dict[str, bool]) -> _Built:
    """A symbol that nothing defines is not defined, unless builds are known to define it, or could."""
    parts = _WORD.findall(condition.split("//", maxsplit=1)[0])

    def likely(word: str) -> bool | None:
        return defined.get(word, None if _KNOWN.fullmatch(word) else False)

    def surely(word: str) -> bool | None:
        could_be = word not in defined and _COMPOUND.search(word) is not None and not _NEVER.match(word)
        return None if could_be else likely(word)

    return build_holds(parts, surely), build_holds(parts, likely)


def _each(decisive: bool, one: _Built, other: _Built) -> _Built:
    return combined((one[0], other[0]), decisive), combined((one[1], other[1]), decisive)


def _opposite(value: bool | None) -> bool | None:
    return None if value is None else not value


def _part(start: int, open_branches: list[_Branch]) -> DirectivePart:
    built: _Built = (True, True)
    text, repeats = "", False
    # Few files nest conditions, none deeply; a hostile one is looked at no further than this.
    for branch in open_branches[-16:]:
        both = _each(False, built, branch.built)
        text = branch.text if both != built or not text else text
        built, repeats = both, repeats or branch.repeats
    return DirectivePart(start, *built, text, repeats)


def _blank(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)
