"""The words of RSpec, Minitest and Test::Unit: what declares, surrounds and skips a test."""

import re
from dataclasses import dataclass

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.scopes import Role

_TESTS = frozenset(("it", "specify", "example", "scenario", "its", "test", "should"))
_SUITES = frozenset(("describe", "context", "feature", "example_group"))
_SHARED = frozenset(("shared_examples", "shared_examples_for", "shared_context"))
_INCLUDED = frozenset(("it_behaves_like", "it_should_behave_like", "include_examples"))
_HOOKS = frozenset(
    ("before", "after", "around", "setup", "teardown", "background", "prepend_before", "append_after")
)


_ROLES = {
    **dict.fromkeys(_TESTS | _INCLUDED, Role.TEST),
    **dict.fromkeys(_SUITES | _SHARED, Role.SUITE),
    **dict.fromkeys(_HOOKS, Role.HOOK),
}
HOOK_METHODS = frozenset(
    ("setup", "teardown", "before_setup", "after_teardown", "startup", "shutdown", "after_setup")
)
OVERRIDES = frozenset(("runnable_methods", "test_methods", "run", "run_test", "methods_matching"))
_PREFIXES = {"x": "skip", "f": "focus"}
INSIDE = {
    "skip": "skip",
    "omit": "skip",
    "omit_if": "skip",
    "omit_unless": "skip",
    "pending": "xfail",
    "pend": "xfail",
}
METADATA = {"skip": "skip", "pending": "xfail", "focus": "focus", "if": "if", "unless": "unless"}
COLLECTED = re.compile(r"test_?\w+[?!=]?\Z")
TESTLIKE = re.compile(r"test", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a word declares, and the kind of skip that is part of the word."""

    role: Role
    kind: str | None = None


def declaration(names: Names, in_suite: bool) -> Declaration | None:
    """What a call of these names declares, if it declares anything."""
    if len(names) == 2 and names[0] == "RSpec":
        names = names[1:]
    if len(names) != 1:
        return None
    word = names[0]
    if word in _ROLES:
        return Declaration(_ROLES[word])
    if word[0] in _PREFIXES and word[1:] in _TESTS | _SUITES:
        return Declaration(_ROLES[word[1:]], _PREFIXES[word[0]])
    if in_suite and word == "define_method":
        return Declaration(Role.TEST)
    if in_suite and word in ("skip", "pending", "focus"):
        return Declaration(Role.TEST, METADATA[word])
    return None


def includes(names: Names) -> bool:
    """Whether a word runs examples that are written elsewhere."""
    return names[-1:] != () and names[-1] in _INCLUDED
