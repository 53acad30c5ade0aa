"""What is particular to tests in Python."""

import ast
import re
from collections.abc import Callable

from assay.detectors.test_code.engine.calls import Call, Names
from assay.detectors.test_code.engine.chains import chain
from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.language import Declared, Quirks
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.parts import Part
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import Role, Scope
from assay.detectors.test_code.engine.words import joined, simplified
from assay.detectors.test_code.languages.python.asserts import RAISING
from assay.detectors.test_code.languages.python.spelling import spelled
from assay.detectors.test_code.languages.python.tree import PythonTree, parse
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node, Tree

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
