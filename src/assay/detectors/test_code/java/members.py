"""Classes and methods of a Java file, as far as a test runner looks at them."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from assay.detectors.test_code.java.annotations import Annotation, annotations
from assay.detectors.test_code.java.grammar import CLASSES
from assay.detectors.test_code.tree import Node, Tree

_CLASS = re.compile(r"\s*+(?:class|@?\s*+interface|enum|record)\s+([\w$]+)")
_EXTENDS = re.compile(r"\bextends\s+(?:[\w$]+\s*\.\s*)*([\w$]+)")
_METHOD = re.compile(r"([^(){};=]*?)(?<![\w$])([\w$]++)\s*+\(([^{;]*?)\)\s*+(?:throws[^{;]*+)?(?:[{;]|$)")
_COMMENT = re.compile(r"//[^\n]*|/\*.{0,2000}?\*/", re.DOTALL)
_LONGEST_HEAD = 2_000
_MOST_NAMES = 40


@dataclass(slots=True)
class Class:
    """One class, with the classes around it in ``path``."""

    node: Node
    name: str
    path: tuple[str, ...]
    outer: "Class | None"
    annotations: list[Annotation]
    words: frozenset[str]
    parent: str


class Method(NamedTuple):
    node: Node
    owner: Class
    name: str
    annotations: list[Annotation]
    words: frozenset[str]
    """Its modifiers and the words of its type."""
    takes: str

    def has(self, *names: str) -> bool:
        return any(one.name in names for one in self.annotations)


def classes(tree: Tree) -> dict[int, Class]:
    """The classes of a file, by their nodes."""
    found: dict[int, Class] = {}
    for node in tree.nodes:
        if node.kind not in CLASSES:
            continue
        outer = next((found[id(around)] for around in node.ancestors() if id(around) in found), None)
        found[id(node)] = _class(tree, node, outer)
    return found


def _class(tree: Tree, node: Node, outer: Class | None) -> Class:
    words, rest = _head(tree, node)
    named = _CLASS.match(rest)
    name = named[1] if named else "?"
    extends = _EXTENDS.search(rest.split("{", 1)[0])
    path = (*outer.path, name)[-_MOST_NAMES:] if outer else (name,)
    return Class(node, name, path, outer, annotations(tree, node), words, extends[1] if extends else "")


def methods(tree: Tree, found: dict[int, Class]) -> list[Method]:
    """The methods of those classes; methods of anonymous classes belong to the code around them."""
    return [
        _method(tree, node, found[id(node.parent)])
        for node in tree.nodes
        if node.kind == "method_declaration" and id(node.parent) in found
    ]


def _method(tree: Tree, node: Node, owner: Class) -> Method:
    words, rest = _head(tree, node)
    named = _METHOD.match(rest)
    if named is None:
        return Method(node, owner, "?", annotations(tree, node), words, "")
    words |= frozenset(re.findall(r"\w+", named[1]))
    return Method(node, owner, named[2], annotations(tree, node), words, named[3].strip())


def _head(tree: Tree, node: Node) -> tuple[frozenset[str], str]:
    """The modifiers of a declaration without its annotations, and what follows them."""
    modifiers = node.child("modifiers")
    if modifiers is None or modifiers.start != node.start:
        return frozenset(), _COMMENT.sub(" ", tree.text[node.start : min(node.end, node.start + _LONGEST_HEAD)])
    plain, at = [], modifiers.start
    for child in modifiers.children:
        plain.append(tree.text[at : child.start])
        at = max(at, child.end)
    plain.append(tree.text[at : modifiers.end])
    rest = tree.text[modifiers.end : min(node.end, modifiers.end + _LONGEST_HEAD)]
    return frozenset(re.findall(r"\w+", _COMMENT.sub(" ", " ".join(plain)))), _COMMENT.sub(" ", rest)
