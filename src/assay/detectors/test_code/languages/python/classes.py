"""Which classes of a Python file a runner would collect."""

import ast
import re

from assay.detectors.test_code.languages.python.constants import constant
from assay.detectors.test_code.languages.python.module import Module

_TEST_CASE = re.compile(r"(?:TestCase|TestBase|Tests?|Case|Spec)$|^Test")
_NO_TESTS = frozenset({
    "object", "ABC", "Generic", "Protocol", "Enum", "IntEnum", "StrEnum", "NamedTuple", "TypedDict", "dict",
    "list", "tuple", "set", "str", "int", "float", "bytes", "Exception", "BaseException", "ValueError",
    "RuntimeError", "Thread", "BaseModel", "Model", "type", "Mapping", "Sequence", "Iterator",
})  # fmt: skip
_DEEPEST = 8


def is_test_case(node: ast.ClassDef, module: Module, depth: int = 0) -> bool:
    """Whether a class is one of unittest's, by a base whose name says so or that is defined elsewhere."""
    if depth > _DEEPEST:
        return False
    for base in node.bases:
        known = module.class_of(base)
        if known is not None and known is not node:
            if is_test_case(known, module, depth + 1):
                return True
            continue
        name = (module.dotted(base) or "").rsplit(".", 1)[-1]
        if _TEST_CASE.search(name) or (name and name not in _NO_TESTS):
            return True
    return False


def is_plain_unittest(node: ast.ClassDef, module: Module) -> bool:
    """Whether the class runs its tests as plain functions: nobody awaits what they return."""
    return any(module.dotted(base) in ("unittest.TestCase", "unittest.case.TestCase") for base in node.bases)


def is_collected(node: ast.ClassDef, module: Module) -> bool:
    """unittest's classes by what they are; pytest's by their name, unless they have a constructor."""
    if is_test_case(node, module):
        return True
    return node.name.startswith("Test") and not any(module.method(node, each) for each in ("__init__", "__new__"))


def switched_off(node: ast.ClassDef, module: Module, depth: int = 0) -> ast.stmt | None:
    """The ``__test__ = False`` of a class or of its bases; None where it is not there."""
    for statement in node.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and "__test__" in assigned(statement):
            return statement if constant(statement.value) is False else None
    for base in node.bases if depth < _DEEPEST else ():
        known = module.class_of(base)
        found = switched_off(known, module, depth + 1) if known is not None and known is not node else None
        if found is not None:
            return found
    return None


def assigned(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[str]:
    """The plain names that a statement binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]
