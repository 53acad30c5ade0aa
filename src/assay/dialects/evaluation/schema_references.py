"""References of a JSON Schema that lead nowhere.

They are mistakes of the author, so they are found when the schema is loaded.
"""

from collections.abc import Iterator, Mapping
from typing import Any


def dangling_reference(schema: dict[str, Any]) -> str | None:
    """The first one, in the schema or in what it refers to; None if every reference leads somewhere."""
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
                return f"$ref {reference[:300]} leads nowhere: a reference must be to a part of the same file"
            pending.append((found.resolver, draft.create_resource(found.contents)))
        inside = [one for one in resource.subresources() if isinstance(one.contents, dict)]
        pending += [(resolver.in_subresource(one), one) for one in inside]
    return None


def _references(part: Mapping[str, Any]) -> Iterator[str]:
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(part.get(keyword), str):
            yield part[keyword]
