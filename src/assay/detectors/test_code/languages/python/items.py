"""Tests on their way from a file to a value: what was found, and where it stands."""

import ast
from dataclasses import dataclass, field

from assay.detectors.test_code.languages.python.constants import constant, truth
from assay.detectors.test_code.languages.python.module import Function, Module
from assay.detectors.test_code.languages.python.spelling import spelled
from assay.detectors.test_code.model import Skip


@dataclass(slots=True)
class Item:
    """One function that is a test or looks like one."""

    identity: str
    node: Function
    owner: ast.ClassDef | None
    marks: list[ast.expr]
    skips: list[Skip]
    collected: bool


@dataclass(slots=True)
class Place:
    """Where a statement stands: the names around it, the marks and skips that hold there."""

    names: tuple[str, ...] = ()
    owner: ast.ClassDef | None = None
    marks: list[ast.expr] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    collected: bool = True
    conditional: bool = False


def marks_in(value: ast.expr | None) -> list[ast.expr]:
    """``pytestmark`` is one mark or a list of them."""
    if isinstance(value, ast.List | ast.Tuple):
        return value.elts
    return [value] if value is not None else []


def truth_of(node: ast.expr | None) -> bool | None:
    return truth(node) if node is not None else False


def addressed(node: ast.expr, module: Module) -> tuple[str, str]:
    """What an attribute or an entry of ``globals()`` names: the container, and the name in it."""
    if isinstance(node, ast.Subscript):
        name = constant(node.slice, module.constants)
        return "", name if isinstance(name, str) and "globals" in spelled(node.value) else ""
    if isinstance(node, ast.Attribute):
        return spelled(node.value).replace(".", " > "), node.attr
    return "", ""
