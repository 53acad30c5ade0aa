"""What keeps a Python test from running or from counting: marks, decorators and calls of pytest and unittest."""

import ast

from assay.detectors.test_code.languages.python.constants import UNKNOWN, Names, constant, truth
from assay.detectors.test_code.languages.python.module import Module
from assay.detectors.test_code.languages.python.spelling import LONGEST, spelled
from assay.detectors.test_code.model import Skip

_MARKS = {"skip": "skip", "skipif": "skip", "skipIf": "skip", "skipUnless": "skip", "xfail": "xfail",
          "expectedFailure": "xfail"}  # fmt: skip
_DISABLING = frozenset({"disabled", "disable", "ignore", "ignored", "quarantine", "quarantined", "broken"})
_CALLS = {"pytest.skip": "skip", "pytest.xfail": "xfail", "self.skipTest": "skip", "cls.skipTest": "skip",
          "unittest.SkipTest": "skip", "pytest.importorskip": "skip", "pytest.skip.Exception": "skip",
          "_pytest.outcomes.skip": "skip", "_pytest.outcomes.xfail": "xfail", "pytest.exit": "disabled",
          "_pytest.outcomes.Skipped": "skip", "unittest.case.SkipTest": "skip",
          "SkipTest": "skip", "nose.SkipTest": "skip"}  # fmt: skip
_ABSENT = (
    "nonexist",
    "not_exist",
    "notexist",
    "no_such",
    "nosuch",
    "does_not",
    "not_installed",
    "impossible",
    "bogus",
)


def decorator_skip(node: ast.expr, module: Module, names: Names) -> Skip | None:
    """The skip that a decorator, a mark or an element of ``pytestmark`` is; None for all other ones."""
    call = _resolved(node, module)
    # getattr(pytest.mark, "skip") is a mark that was not called yet: its arguments are no condition.
    uncalled = module.dotted(call)
    owner, _, last = (_made_mark(call, module, names) or uncalled or _callee(call, module)).rpartition(".")
    kind = _kind(owner, last)
    if kind is None:
        return None
    plain = uncalled is not None or last in ("skip", "expectedFailure")
    conditional = False if plain else _conditional(call, last, names)
    if conditional is None:
        return None
    return Skip(kind, node.lineno, f"@{_shown(node)}", conditional or last not in _MARKS)


def _callee(node: ast.expr, module: Module) -> str:
    return (module.dotted(node.func) if isinstance(node, ast.Call) else None) or ""


def _made_mark(node: ast.expr, module: Module, names: Names) -> str | None:
    """``pytest.Mark("skip", …)``: a mark that is made by hand."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = module.dotted(node) or _callee(node, module)
    if name.rsplit(".", 1)[-1] not in ("Mark", "MarkDecorator"):
        return None
    return f"pytest.mark.{constant(node.args[0], names)}"


def _kind(owner: str, last: str) -> str | None:
    """Marks of pytest, decorators of unittest, and what a project's own module calls by a telling name."""
    if owner.endswith("mark"):
        if last == "?":
            return "skip"
        return _MARKS.get(last) or ("disabled" if last in _DISABLING else None)
    if owner == "pytest":
        return None
    return _MARKS.get(last) or (_own_kind(last.lower()) if owner else None)


def _own_kind(word: str) -> str | None:
    if word.startswith(("skip", "xfail")) or word in _DISABLING or "expected_failure" in word:
        return "xfail" if "fail" in word else "skip"
    return None


def _resolved(node: ast.expr, module: Module) -> ast.expr:
    """``skipper = pytest.mark.skipif(…)`` used by its name, with or without further arguments."""
    for _ in range(4):
        target = node.func if isinstance(node, ast.Call) else node
        if isinstance(target, ast.Attribute) and target.attr == "with_args" and isinstance(node, ast.Call):
            node = ast.copy_location(ast.Call(target.value, node.args, node.keywords), node)
            continue
        value = module.bound.get(target.id) if isinstance(target, ast.Name) else None
        if not isinstance(value, ast.Call | ast.Attribute | ast.Name):
            return node
        if isinstance(node, ast.Call) and node.args and not isinstance(value, ast.Call):
            node = ast.copy_location(ast.Call(value, node.args, node.keywords), node)
        else:
            node = value
    return node


def _conditional(node: ast.expr, last: str, names: Names) -> bool | None:
    """True for a real condition, False for one that always holds, None for one that never does."""
    condition = _condition(node)
    if condition is None:
        return False
    value = condition_truth(condition, names)
    if value is None:
        return True
    holds = value if last != "skipUnless" else not value
    return False if holds else None


def _condition(node: ast.expr) -> ast.expr | None:
    if not isinstance(node, ast.Call):
        return None
    for keyword in node.keywords:
        if keyword.arg == "condition":
            return keyword.value
    # partial(pytest.mark.skipif, True) has the condition behind the name.
    arguments = [argument for argument in node.args if not _names_a_mark(argument)]
    return arguments[0] if arguments else None


def _names_a_mark(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _MARKS


def condition_truth(node: ast.expr, names: Names) -> bool | None:
    """A condition may also be written as text, which pytest evaluates."""
    value = constant(node, names)
    if isinstance(value, str):
        try:
            return truth(ast.parse(value.strip(), mode="eval").body, names)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return truth(node, names)


def call_skip(node: ast.Call, module: Module, names: Names) -> Skip | None:
    """The skip that a call in a body, a fixture or a module is."""
    name = module.dotted(node.func) or ""
    kind = _CALLS.get(name)
    if kind is None and name.rsplit(".", 1)[-1] in ("SkipTest", "skipTest"):
        kind = "skip"
    if kind is None:
        return None
    conditional = name.endswith("importorskip") and not _surely_absent(node, names)
    return Skip(kind, node.lineno, _shown(node), conditional)


def _surely_absent(node: ast.Call, names: Names) -> bool:
    """A module that nobody could have, by its name."""
    name = constant(node.args[0], names) if node.args else UNKNOWN
    if not isinstance(name, str):
        return False
    strange = not all(part.isidentifier() for part in name.split("."))
    return strange or any(word in name.lower() for word in _ABSENT)


def _shown(node: ast.expr) -> str:
    return spelled(node)[:LONGEST]
