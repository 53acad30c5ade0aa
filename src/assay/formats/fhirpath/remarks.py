"""What JSON says about a text or a number beside it: ``_birthDate`` has id and extensions of ``birthDate``.

The library takes such a remark for a second value of the element. So it sees only those that are asked for.
"""

from collections.abc import Iterator, Mapping
from typing import Final, cast

from assay.formats.fhirpath.parse import Node, walk

_ALL: Final = frozenset(("extension", "children", "descendants", "repeat"))
_MEMBER: Final = "MemberInvocation"
_PASSED: Final = (
    "InvocationExpression",
    "IndexerExpression",
    "TermExpression",
    "InvocationTerm",
    "ParenthesizedTerm",
)


def remarks_kept(tree: Node) -> frozenset[str] | None:
    """The elements whose remarks an expression asks for; None if these may be any."""
    if any(name in _ALL for name in _names(tree)):
        return None
    asked = (node for node in walk(tree) if node["type"] == "InvocationExpression" and _is_id(node["children"][1]))
    return frozenset(name for node in asked if (name := _element(node["children"][0])) is not None)


def without_remarks(resource: Mapping[str, object], kept: frozenset[str]) -> Mapping[str, object]:
    """The same without members such as ``_birthDate``, except for those elements."""
    return cast("Mapping[str, object]", _stripped(resource, kept))


def _names(node: Node) -> Iterator[str]:
    """The names of elements and functions."""
    for one in walk(node):
        if one["type"] == "Identifier":
            yield str(one["text"]).strip("`")


def _element(node: Node | None) -> str | None:
    """The element that an expression ends with, behind which only functions and indexes may come."""
    while node is not None and node["type"] != _MEMBER:
        below = node.get("children", ())
        function = node["type"] == "InvocationExpression" and below[1]["type"] == "FunctionInvocation"
        chosen = 1 if node["type"] == "InvocationExpression" and not function else 0
        node = below[chosen] if node["type"] in _PASSED and below else None
    return None if node is None else next(_names(node), None)


def _is_id(node: Node) -> bool:
    return node["type"] == _MEMBER and list(_names(node)) == ["id"]


def _stripped(value: object, kept: frozenset[str]) -> object:
    if isinstance(value, list):
        return [_stripped(one, kept) for one in value]
    if isinstance(value, dict):
        return {
            key: _stripped(one, kept) for key, one in value.items() if not key.startswith("_") or key[1:] in kept
        }
    return value
