"""Whether a path can find anything in resources of a type: a mistyped element must not pass for an empty match."""

import re
from itertools import pairwise
from typing import Final

from assay.formats.fhirpath.errors import FhirPathSyntaxError
from assay.formats.fhirpath.infer import NoSuchElementError, Places, Scope, places_of, suggestion
from assay.formats.fhirpath.model import ANY_RESOURCE, Model, model_of
from assay.formats.fhirpath.parse import parse

_INDEX: Final = re.compile(r"\[(\d+)\]")


def lint_type(resource_type: str, version: str = "R4") -> str | None:
    """What is wrong with the name of a resource's type."""
    model = model_of(version)
    if resource_type in model.resource_types:
        return None
    known = suggestion(resource_type, model.resource_types)
    return f"FHIR {model.version} has no resource {resource_type!r}{known}"


def lint_fhirpath(expression: str, resource_type: str, version: str = "R4") -> str | None:
    """What is wrong with an expression for resources of a type."""
    here = frozenset((resource_type,))
    try:
        places_of(parse(expression), Scope(model_of(version), resource_type, here, here))
    except (FhirPathSyntaxError, NoSuchElementError) as error:
        return str(error)
    except RecursionError:
        return "the FHIRPath is nested too deeply"
    return None


def lint_dotted(path: str, resource_type: str, version: str = "R4") -> str | None:
    """What is wrong with a dotted path, such as ``participant.0.actor.display``."""
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
        complaint = _no_element(model, place, step)
        if complaint is not None:
            return complaint
        here = _below(model, place, step)
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


def _no_element(model: Model, place: str, step: str) -> str | None:
    known = model.json_names(place)
    name = step.removeprefix("_")
    if name in known or (step == "resourceType" and "." not in place):
        return None
    choices = model.choice_names(place, name)
    if choices:
        shown = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
        return f"in a dotted path, {name} of {place} is written with its type: {shown}"
    return f"{place} has no element {step!r}{suggestion(step, known)}"


def _below(model: Model, place: str, step: str) -> Places:
    if step.startswith("_"):
        return frozenset(("Element",))
    return None if step == "resourceType" else model.places_at(place, step)
