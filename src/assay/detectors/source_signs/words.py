"""A language's names for the things of rules. Patterns of paths, each for a whole name or more of it.

``*`` stands for any one name, ``**`` for any number of them, ``(*)`` for a call with anything, ``(0)`` for one
with this, ``<a|b>`` for one of both, ``^`` for the beginning of a path.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

Patterns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The patterns of one language, by what they are for.

    ``environment`` reads the variable that stands last, ``variables`` are all of them. ``outside`` is what a
    program is told about itself. Only a test run answers ``asks`` with yes; honest code may ask ``modes``.
    ``hooks`` are functions of a framework, each with the words of which one has to be in it.
    """

    equality: Patterns = ()
    inequality: Patterns = ()
    environment: Patterns = ()
    variables: Patterns = ()
    outside: Patterns = ()
    asks: Patterns = ()
    threads: Patterns = ()
    modes: Patterns = ()
    stack: Patterns = ()
    clocks: Patterns = ()
    freezes: Patterns = ()
    exits: Patterns = ()
    exit_codes: Patterns = ()
    hard_exits: Patterns = ()
    exit_hooks: Patterns = ()
    at_end: Patterns = ()
    early: Patterns = ()
    early_blocks: Patterns = ()
    framework: Patterns = ()
    results: Patterns = ()
    changes: Patterns = ()
    shadows: Patterns = ()
    assertions: Patterns = ()
    setters: Patterns = ()
    mocks: Patterns = ()
    hooks: tuple[tuple[str, str], ...] = ()
    exits_anywhere_in_tests: bool = True
    top_level_runs: bool = False

    @property
    def names(self) -> frozenset[str]:
        """Every name that is in a pattern of paths."""
        return _names_of(
            self.environment, self.variables, self.outside, self.asks, self.threads, self.modes, self.stack,
            self.clocks, self.freezes, self.exits, self.exit_codes, self.hard_exits, self.exit_hooks, self.at_end,
            self.framework, self.results, self.changes, self.setters, self.mocks,
        )  # fmt: skip

    def match(self, patterns: Patterns, path: str) -> re.Match[str] | None:
        """Where one of these patterns is in a path."""
        return _compiled(patterns, "", "").search(path) if patterns else None

    def pattern(self, patterns: Patterns) -> re.Pattern[str] | None:
        return _compiled(patterns, "", "") if patterns else None

    def ends(self, patterns: Patterns, path: str) -> bool:
        """Whether a path ends with one of these."""
        return bool(patterns) and _compiled(patterns, "", r"\Z").search(path) is not None

    def is_one(self, patterns: Patterns, name: str) -> bool:
        """Whether a whole name is one of these."""
        return bool(patterns) and _compiled(patterns, "^", r"\Z").search(name) is not None


@lru_cache(maxsize=64)
def _names_of(*roles: Patterns) -> frozenset[str]:
    return frozenset(
        name for role in roles for pattern in role for name in _WORD.findall(_GIVEN_TO.sub("", pattern))
    )


@lru_cache(maxsize=1024)
def _compiled(patterns: Patterns, start: str, end: str) -> re.Pattern[str]:
    choices = "|".join(map(_regex, patterns))
    return re.compile(f"{start}(?:{choices}){end}")


_WORD = re.compile(r"[A-Za-z_$@][\w$]*[?!]?")
_GIVEN_TO = re.compile(r"(?<!typeof)(?<!defined\?)\([^()]*\)")
_GIVEN = re.compile(r"\\\(([^()]*)\\\)")


def _regex(pattern: str) -> str:
    start = "^" if pattern.startswith("^") else r"(?:^|(?<=\.))"
    # What a call is given may be anything; a name is a word.
    body = (
        _GIVEN.sub(_given, re.escape(pattern.removeprefix("^")))
        .replace(r"\*\*", r"[\w$.]*")
        .replace(r"\*", r"[\w$@?!-]*")
    )
    for written, meant in ((r"\|", "|"), ("<", "(?:"), (">", ")")):
        body = body.replace(written, meant)
    return rf"(?:{start}{body}(?![\w$]))"


def _given(found: re.Match[str]) -> str:
    anything = r"[^()]*(?:\([^()]*\))?[^()]*"
    return r"\(" + found[1].replace(r"\*", anything) + r"\)"
