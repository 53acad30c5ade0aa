"""Classes and methods of a C# file, as far as a test runner looks at them."""

import re
from typing import NamedTuple

from assay.detectors.test_code.csharp.attributes import Attribute, attributes
from assay.detectors.test_code.csharp.directives import Directives
from assay.detectors.test_code.csharp.grammar import CLASSES
from assay.detectors.test_code.tree import Node, Tree

_CLASS = re.compile(r"\b(?:class|struct|record|interface)\s+(?:struct\s+|class\s+)?(\w+)[^{:]*(?::\s*([^{]*))?")
_METHOD = re.compile(r"\b(\w+)\s*+(?:<[^()]{0,2000}>)?\s*+$")
_COMMENT = re.compile(r"//[^\n]*|/\*.{0,2000}?\*/", re.DOTALL)
_LONGEST_HEAD = 2_000
_MOST_NAMES = 40


class Class(NamedTuple):
    """One class, with the classes around it in ``path``."""

    node: Node
    name: str
    path: tuple[str, ...]
    outer: "Class | None"
    attributes: list[Attribute]
    words: frozenset[str]
    bases: str

    @property
    def attribute_name(self) -> str:
        """What it is called in front of a declaration, if it is an attribute."""
        return self.name.removesuffix("Attribute")


class Method(NamedTuple):
    node: Node
    owner: Class
    name: str
    attributes: list[Attribute]
    words: frozenset[str]
    """Its modifiers and the words of its type."""
    takes: str
    parameters: list[Attribute]

    def has(self, *names: str) -> bool:
        return any(one.name in names for one in self.attributes)


def classes(tree: Tree, built: Directives) -> dict[int, Class]:
    """The classes of a file, by their nodes."""
    found: dict[int, Class] = {}
    for node in tree.nodes:
        if node.kind in CLASSES:
            outer = next((found[id(around)] for around in node.ancestors() if id(around) in found), None)
            found[id(node)] = _class(tree, node, outer, built)
    return found


def _class(tree: Tree, node: Node, outer: Class | None, built: Directives) -> Class:
    head = _head(tree, node, node.child("declaration_list"))
    named = _CLASS.search(head)
    name = named[1] if named else "?"
    words = frozenset(re.findall(r"\w+", head[: named.start()] if named else head))
    path = (*outer.path, name)[-_MOST_NAMES:] if outer else (name,)
    return Class(node, name, path, outer, attributes(tree, node, built), words, (named[2] or "") if named else "")


def methods(tree: Tree, found: dict[int, Class], built: Directives) -> list[Method]:
    """The methods of those classes."""
    members = []
    for node in tree.nodes:
        holder = node.parent.parent if node.parent is not None else None
        if node.kind == "method_declaration" and id(holder) in found:
            members.append(_method(tree, node, found[id(holder)], built))
    return members


def _method(tree: Tree, node: Node, owner: Class, built: Directives) -> Method:
    listed = node.child("parameter_list")
    head = _head(tree, node, listed)
    named = _METHOD.search(head)
    words = frozenset(re.findall(r"\w+", head[: named.start()] if named else head))
    takes = tree.source(listed)[1:-1].strip() if listed else ""
    of_parameters = attributes(tree, listed, built) if listed else []
    return Method(
        node, owner, named[1] if named else "?", attributes(tree, node, built), words, takes, of_parameters
    )


def _head(tree: Tree, node: Node, until: Node | None) -> str:
    """A declaration from behind its attributes up to its parameters or its body."""
    listed = [child.end for child in node.children if child.kind == "attribute_list"]
    start = listed[-1] if listed else node.start
    end = until.start if until is not None else node.end
    return _COMMENT.sub(" ", tree.text[start : min(end, start + _LONGEST_HEAD)])
