"""What is particular to tests in Python."""

import ast

from assay.detectors.test_code.engine.language import Declared, Quirks
from assay.detectors.test_code.engine.marks import Function
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import Role
from assay.detectors.test_code.languages.python.asserts import RAISING
from assay.detectors.test_code.languages.python.tree import PythonTree, parse
from assay.detectors.test_code.tree import Node

_RAISING = frozenset(RAISING.split())


def _made(reading: Reading, node: Node) -> ast.AST | None:
    tree = reading.tree
    return tree.made.get(node) if isinstance(tree, PythonTree) else None


def _function(reading: Reading, function: Function) -> Declared | None:
    name = function.name
    if name.startswith("test"):
        return Declared(Role.TEST, name)
    return None


QUIRKS = Quirks(parse=parse, function=_function)
