"""The words of JavaScript's test runners: what declares a test or a group, what runs around it, what skips it."""

from dataclasses import dataclass
from functools import lru_cache

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.scopes import Role
from assay.detectors.test_code.word_sets import word_set

_TESTS = word_set("it test specify")
_SUITES = word_set("describe context suite feature")
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
    base, conditional = names[0].rstrip("?"), names[0].endswith("?")
    modifiers = [(name.rstrip("?"), name.endswith("?")) for name in names[1:]]
    if modifiers and modifiers[-1][0] in _HOOKS:
        return Declaration(Role.HOOK, ())
    if base in _HOOKS and not modifiers:
        return Declaration(Role.HOOK, ())
    if base not in _TESTS | _SUITES and base[:1] in _PREFIXES and base[1:] in _TESTS | _SUITES:
        modifiers.insert(0, (_PREFIXES[base[0]], conditional))
        base = base[1:]
    if base not in _TESTS | _SUITES or any(name not in _MODIFIERS for name, _ in modifiers):
        return None
    group = base in _SUITES or any(name in ("describe", "suite") for name, _ in modifiers)
    return Declaration(Role.SUITE if group else Role.TEST, tuple(modifiers))
