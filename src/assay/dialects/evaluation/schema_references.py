"""References of a JSON Schema that lead nowhere.

Found when it is loaded, each is a mistake of its author; found later, it would look like a fault of an output.
"""

from collections.abc import Iterator, Mapping
from typing import Any


def dangling_reference(schema: dict[str, Any]) -> str | None:
    """The first that leads nowhere, in the schema or in what it refers to; None where each leads somewhere."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to import
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012, specification_with  # noqa: PLC0415

    draft = specification_with(schema.get("$schema", ""), default=DRAFT202012)
    whole = draft.create_resource(schema)
    pending: list[tuple[Any, Any]] = [(REGISTRY.resolver_with_root(whole), whole)]
    known: set[int] = set()
    while pending:
        resolver, resource = pending.pop()
        if not isinstance(resource.contents, dict) or id(resource.contents) in known:
            continue
        known.add(id(resource.contents))
        for reference in _references(resource.contents):
            try:
                found = resolver.lookup(reference)
            except Unresolvable:
                return f"$ref {reference[:300]} leads nowhere: only what is in the file itself can be referred to"
            pending.append((found.resolver, draft.create_resource(found.contents)))
        inside = [one for one in resource.subresources() if isinstance(one.contents, dict)]
        pending += [(resolver.in_subresource(one), one) for one in inside]
    return None


def _references(part: Mapping[str, Any]) -> Iterator[str]:
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(part.get(keyword), str):
            yield part[keyword]
