"""FHIRPath evaluated on a resource, with the model of a version of FHIR. Compiled once per expression.

May be called from several threads, which take turns.

What JSON says about a text or a number beside it: ``_birthDate`` has id and extensions of ``birthDate``.

The library takes such a remark for a second value of the element. So it sees only those that are asked for.
"""

import functools
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, cast

from assay.core.errors import AssayError
from assay.formats.fhirpath.functions import FUNCTIONS, data_of
from assay.formats.fhirpath.model import model_of
from assay.formats.fhirpath.parse import FhirPathError, Node, library, literal_text, parse, walk
from assay.formats.field_rules.values import Plain

Resource = Mapping[str, object]
LITERAL: Final = "assay literal "
UCUM: Final = "http://unitsofmeasure.org"
# How Python shows a thing that has no text: by where it is in memory, which is different in each run.
_OBJECT: Final = re.compile(r"<[\w.]+ object at 0x[0-9a-f]+>")
# The library keeps what now() is for all who evaluate.
_EVALUATING: Final = threading.Lock()
_ALL: Final = frozenset(("extension", "children", "descendants", "repeat"))
_MEMBER: Final = "MemberInvocation"
_PASSED: Final = (
    "InvocationExpression",
    "IndexerExpression",
    "TermExpression",
    "InvocationTerm",
    "ParenthesizedTerm",
)


def evaluate(expression: str, resource: Resource, version: str = "R4") -> list[Plain]:
    """An expression's values. Raises ``FhirPathError``."""
    try:
        return [_plain(one) for one in compile_expression(expression, version)(resource)]
    except AssayError:
        raise
    except Exception as error:  # The library raises bare exceptions, of any type, about data.
        why = _OBJECT.sub("…", str(error) or type(error).__name__)[:200]
        raise FhirPathError(f"{expression} can't be evaluated: {why}") from error


def holds(expression: str, resource: Resource, version: str = "R4") -> bool:
    """Whether a condition is true; no value is not. Raises ``FhirPathError``, also if it isn't a condition."""
    found = evaluate(expression, resource, version)
    if not found or (len(found) == 1 and isinstance(found[0], bool)):
        return found == [True]
    raise FhirPathError(f"{expression} is not a condition: its value is neither true nor false")


@functools.lru_cache(maxsize=1024)
def compile_expression(expression: str, version: str = "R4") -> Callable[[Resource], list[Any]]:
    """A function from a resource to what the expression finds in it. Raises ``FhirPathSyntaxError``."""
    tree = parse(expression)
    literals = _with_literals_apart(tree)
    do_eval = library("fhirpathpy").do_eval
    constants = library("fhirpathpy.engine.invocations.constants").constants
    kept, tables = remarks_kept(tree), model_of(version).tables

    def run(resource: Resource) -> list[Any]:
        seen = resource if kept is None else without_remarks(resource, kept)
        given = {**literals, "context": seen, "resource": seen, "rootResource": seen, "ucum": UCUM}
        context = {"dataRoot": [seen], "vars": given, "model": tables, "userInvocationTable": FUNCTIONS}
        with _EVALUATING:
            constants.reset()
            nodes = list(do_eval(context, [seen], tree))
        return [data_of(node) for node in nodes if not _is_remark(node)]

    return run


def _with_literals_apart(tree: Node) -> dict[str, str]:
    """Makes each literal in quotes a constant from outside, as the library mixes escapes up. Gives those."""
    constants: dict[str, str] = {}
    for node in walk(tree):
        if node["type"] == "LiteralTerm" and node["children"][0]["type"] == "StringLiteral":
            name = f"{LITERAL}{len(constants)}"
            constants[name] = literal_text(node["text"])
            identifier = {"type": "Identifier", "text": name, "terminalNodeText": [name]}
            node["type"] = "ExternalConstantTerm"
            node["children"] = [{"type": "ExternalConstant", "children": [identifier]}]
    return constants


def _is_remark(node: Any) -> bool:
    """Whether a node is what is said about a text or a number, rather than that."""
    place = getattr(node, "path", None)
    return isinstance(place, str) and place[:1].islower() and isinstance(data_of(node), dict)


def _plain(value: Any) -> Plain:
    """A result as plain data. Dates, times and quantities of the library are texts."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Decimal):
        whole = value == value.to_integral_value()
        return int(value) if whole else float(value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    # As text, the library fills a month up with the day that it is today.
    return str(getattr(value, "asStr", value))


def remarks_kept(tree: Node) -> frozenset[str] | None:
    """The elements whose remarks an expression asks for; None if these may be any."""
    if any(name in _ALL for name in _names(tree)):
        return None
    asked = (node["children"] for node in walk(tree) if node["type"] == "InvocationExpression")
    with_id = (of for of, step in asked if step["type"] == _MEMBER and list(_names(step)) == ["id"])
    return frozenset(name for of in with_id if (name := _element(of)) is not None)


def without_remarks(resource: Mapping[str, object], kept: frozenset[str]) -> Mapping[str, object]:
    """The same without members such as ``_birthDate``, except for those elements."""
    return cast("Mapping[str, object]", _strip_elements(resource, kept))


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


def _strip_elements(value: object, kept: frozenset[str]) -> object:
    if isinstance(value, list):
        return [_strip_elements(one, kept) for one in value]
    if isinstance(value, dict):
        return {
            key: _strip_elements(one, kept)
            for key, one in value.items()
            if not key.startswith("_") or key[1:] in kept
        }
    return value
