"""Where an expression or a path leads, step by step, so that a mistyped element is found without any data.

What can't be known is not judged: below ``contained`` or ``children()`` anything may come.
"""

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from assay.formats.fhirpath.functions import FUNCTIONS
from assay.formats.fhirpath.model import ANY_RESOURCE, Model, model_of
from assay.formats.fhirpath.parse import FhirPathSyntaxError, Node, library, parse

Places: TypeAlias = frozenset[str] | None
"""The places that values may be at; None where that can't be known."""

_SAME: Final = (
    "where",
    "first",
    "last",
    "tail",
    "single",
    "skip",
    "take",
    "distinct",
    "trace",
    "exclude",
    "intersect",
)
_TYPED: Final = ("ofType", "as")
_ALL_OF: Final = ("union", "combine", "coalesce", "iif")
_KNOWN_CONSTANTS: Final = ("context", "resource", "rootResource", "ucum")
_INSIDE: Final = ("TermExpression", "InvocationTerm", "ParenthesizedTerm")


class NoSuchElementError(ValueError):
    """An expression names something that this version of FHIR does not have."""


@dataclass(frozen=True, slots=True)
class PathScope:
    """The places in view: ``here`` by the next step, ``this`` by ``$this``, and the resource as a whole."""

    model: Model
    root: str
    here: Places
    this: Places


def places_of(node: Node, scope: PathScope) -> Places:
    """Where the values of an expression are. Raises ``NoSuchElementError``."""
    kind, below = node["type"], node.get("children", [])
    if kind in _INSIDE:
        return places_of(below[0], scope)
    if kind == "MemberInvocation":
        return _element(_name(below[0]), scope)
    if kind == "InvocationExpression":
        return places_of(below[1], replace(scope, here=places_of(below[0], scope)))
    if kind == "FunctionInvocation":
        return _function(below[0]["children"], scope)
    if kind == "ThisInvocation":
        return scope.this
    if kind == "ExternalConstantTerm":
        return _constant(_name(below[0]["children"][0]) if "children" in below[0] else "", scope)
    if kind == "TypeExpression":
        return _cast(node, scope)
    each = [places_of(one, scope) for one in below]
    if kind == "IndexerExpression":
        return each[0]
    return _together(each) if kind == "UnionExpression" else None


def _name(node: Node) -> str:
    return str(node["text"]).strip("`")


def _element(name: str, scope: PathScope) -> Places:
    if name[:1].isupper() and scope.here == frozenset((scope.root,)):
        # The name of the resource's type, with which an expression may begin.
        if name == scope.root:
            return scope.here
        raise NoSuchElementError(f"the resource is of type {scope.root}, so {name} finds nothing")
    if scope.here is None or ANY_RESOURCE in scope.here or name == "resourceType":
        return None
    model = scope.model
    found = [model.places_at(place, name) for place in scope.here if name in model.path_names(place)]
    if not found:
        raise NoSuchElementError(_no_element(model, sorted(scope.here), name))
    return frozenset().union(*found)


def _no_element(model: Model, places: list[str], name: str) -> str:
    for place in places:
        behind = model.choice_behind(place, name)
        if behind is not None:
            base, kind = behind
            return f"in FHIRPath, {name} of {place} is written {base}, or {base}.ofType({kind})"
    known = frozenset().union(*(model.path_names(place) for place in places))
    return f"{' or '.join(places)} has no element {name!r}{suggestion(name, known)}"


def _constant(name: str, scope: PathScope) -> Places:
    if name not in _KNOWN_CONSTANTS:
        raise NoSuchElementError(f"unknown constant %{name}; the constants are {', '.join(_KNOWN_CONSTANTS)}")
    return None if name == "ucum" else frozenset((scope.root,))


def _cast(node: Node, scope: PathScope) -> Places:
    places_of(node["children"][0], scope)
    target = _type(scope.model, str(node["children"][1]["text"]).replace("`", ""))
    return target if node["terminalNodeText"][0] == "as" else None


def _type(model: Model, name: str) -> Places:
    if not model.is_type(name):
        raise NoSuchElementError(f"unknown type {name!r}{suggestion(name, model.types)}")
    return None if name.startswith("System.") else frozenset((name.removeprefix("FHIR."),))


def _function(parts: list[Node], scope: PathScope) -> Places:
    name = _name(parts[0])
    arguments = parts[1]["children"] if len(parts) > 1 else []
    kinds = _kinds_of_arguments(name, len(arguments))
    if "TypeSpecifier" in kinds:
        target = _type(scope.model, str(arguments[0]["text"]).replace("`", ""))
        return target if name in _TYPED else None
    inside = [
        places_of(one, _inside(kind, scope))
        for kind, one in zip(kinds, arguments, strict=True)
        if kind != "Identifier"
    ]
    if name in _SAME:
        return scope.here
    if name == "select":
        return inside[0]
    if name in _ALL_OF:
        return _together([*inside, scope.here] if name in ("union", "combine") else inside[name == "iif" :])
    return frozenset(("Extension",)) if name == "extension" else None


def _inside(kind: object, scope: PathScope) -> PathScope:
    """A condition looks at each value that its function is called on; other arguments at what is around."""
    if kind == "Expr":
        return replace(scope, here=scope.here, this=scope.here)
    return replace(scope, here=scope.this)


def _kinds_of_arguments(name: str, count: int) -> list[object]:
    registry = library("fhirpathpy.engine.invocations").invocation_registry | FUNCTIONS
    if name not in registry or not name[:1].isalpha():
        known = frozenset(one for one in registry if one.isalpha())
        raise NoSuchElementError(f"unknown function {name}(){suggestion(name, known)}")
    if "variadic" in registry[name]:
        return [registry[name]["variadic"]] * count
    arity = registry[name].get("arity", {0: []})
    if count not in arity:
        numbers = " or ".join(str(one) for one in sorted(arity))
        raise NoSuchElementError(f"{name}() takes {numbers} arguments, not {count}")
    return list(arity[count][:count])


def _together(each: list[Places]) -> Places:
    known = [one for one in each if one is not None]
    return frozenset().union(*known) if len(known) == len(each) else None


def suggestion(name: str, known: Collection[str]) -> str:
    """The end of a complaint: the nearest name, or some of those that there are."""
    lowered = {one.lower(): one for one in sorted(known)}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {lowered[near[0]]}?"
    return f"; it has {', '.join(sorted(known))}" if 0 < len(known) <= 40 else ""


_INDEX: Final = re.compile(r"\[(\d+)\]")


def lint_type(resource_type: str, version: str = "R4") -> str | None:
    """The error in the name of a resource's type."""
    model = model_of(version)
    if resource_type in model.resource_types:
        return None
    known = suggestion(resource_type, model.resource_types)
    return f"FHIR {model.version} has no resource {resource_type!r}{known}"


def lint_fhirpath(expression: str, resource_type: str, version: str = "R4") -> str | None:
    """The error in an expression for resources of a type."""
    here = frozenset((resource_type,))
    try:
        places_of(parse(expression), PathScope(model_of(version), resource_type, here, here))
    except (FhirPathSyntaxError, NoSuchElementError) as error:
        return str(error)
    except RecursionError:
        return "the FHIRPath is nested too deeply"
    return None


def lint_dotted(path: str, resource_type: str, version: str = "R4") -> str | None:
    """The error in a dotted path, such as ``participant.0.actor.display``."""
    steps = path.split(".")
    complaint = _shape(path, steps, resource_type)
    here: Places = frozenset((resource_type,))
    model = model_of(version)
    for step in steps if complaint is None else ():
        if step.isdecimal():
            continue
        if here is None or ANY_RESOURCE in here:
            return None
        place = next(iter(here))
        complaint = _unknown_element(model, place, step)
        if complaint is not None:
            return complaint
        if step.startswith("_"):
            here = frozenset(("Element",))
        else:
            here = None if step == "resourceType" else model.places_at(place, step)
    return complaint


def _shape(path: str, steps: list[str], resource_type: str) -> str | None:
    if path.startswith("$"):
        return "a path must be dotted, with indexes, as in name.0.family; write FHIRPath under fhirpath"
    if _INDEX.search(path):
        return "indexes are steps of a dotted path: write " + _INDEX.sub(r".\1", path)
    if "" in steps:
        return f"the path {path!r} has an empty part"
    if any(one.isdecimal() and other.isdecimal() for one, other in pairwise(steps)):
        return f"the path {path!r} has two indexes in a row, but no list of FHIR has lists in it"
    if steps[0].isdecimal():
        return f"the path {path!r} begins with an index, but a resource is not a list"
    if steps[0] == resource_type:
        return f"a dotted path begins below {resource_type}: write {'.'.join(steps[1:]) or 'an element'}"
    return None


def _unknown_element(model: Model, place: str, step: str) -> str | None:
    known = model.json_names(place)
    name = step.removeprefix("_")
    if name in known or (step == "resourceType" and "." not in place):
        return None
    choices = model.choice_names(place, name)
    if choices:
        shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
        return f"in a dotted path, {name} of {place} is written with its type: {shown}"
    return f"{place} has no element {step!r}{suggestion(step, known)}"
