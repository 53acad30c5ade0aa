"""The words of JavaScript's test runners: what declares a test or a group, what runs around it, what skips it."""

from dataclasses import dataclass
from functools import lru_cache

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.scopes import Role
from assay.detectors.test_code.word_sets import word_set

_TESTS = word_set("it test specify")
_SUITES = word_set("describe context suite feature")


_DECLARING = _TESTS | _SUITES
_HOOKS = word_set(
    "before beforeEach beforeAll after afterEach afterAll setup teardown suiteSetup suiteTeardown aroundEach"
)
_PREFIXES = {"x": "skip", "f": "only"}
SKIPS = {
    "skip": "skip",
    "fixme": "skip",
    "skipIf": "skip",
    "runIf": "skip",
    "ignore": "skip",
    "todo": "todo",
    "failing": "xfail",
    "fails": "xfail",
    "fail": "xfail",
    "only": "focus",
}
_MODIFIERS = frozenset(SKIPS) | word_set(
    "each for concurrent serial sequential parallel shuffle cb configure extend describe suite if"
)
PARAMETERS = frozenset(("each", "for"))


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a chain of names declares, and its modifiers: ("skip", True) where a condition decides."""

    role: Role
    modifiers: tuple[tuple[str, bool], ...]


@lru_cache(maxsize=1024)
def declaration(names: Names) -> Declaration | None:
    """What a call of these names declares, if it declares anything."""
    if not names:
        return None
    base, conditional = _name_and_condition(names[0])
    modifiers = [_name_and_condition(name) for name in names[1:]]
    if (modifiers[-1][0] if modifiers else base) in _HOOKS:
        return Declaration(Role.HOOK, ())
    if _is_prefixed(base):
        modifiers.insert(0, (_PREFIXES[base[0]], conditional))
        base = base[1:]
    words = {name for name, _ in modifiers}
    if base not in _DECLARING or not words <= _MODIFIERS:
        return None
    group = base in _SUITES or not words.isdisjoint(("describe", "suite"))
    return Declaration(Role.SUITE if group else Role.TEST, tuple(modifiers))


def _is_prefixed(word: str) -> bool:
    """``xit``, ``fdescribe``."""
    return word not in _DECLARING and word[:1] in _PREFIXES and word[1:] in _DECLARING


def _name_and_condition(name: str) -> tuple[str, bool]:
    """A name, and whether a condition decides that it is this one: a question mark says so."""
    return name.rstrip("?"), name.endswith("?")
