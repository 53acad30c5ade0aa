"""Bundles: the resources in them, and the pages of a search, each of which links to the next."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from assay.core.errors import BoundsError, MeasurementError

Resource = dict[str, Any]
Page = TypeVar("Page")


def matches(bundle: dict[str, Any], resource_type: str) -> Iterator[dict[str, Any]]:
    """The resources that match a search, without those that were only included with them."""
    for entry in objects_in(bundle.get("entry")):
        resource, search = entry.get("resource"), entry.get("search")
        mode = search.get("mode") if isinstance(search, dict) else None
        if not isinstance(resource, dict) or mode not in (None, "match"):
            continue
        if resource.get("resourceType") == resource_type:
            yield resource


def next_link(bundle: dict[str, Any]) -> str | None:
    """The address of the next page, as the server wrote it."""
    for link in objects_in(bundle.get("link")):
        url = link.get("url")
        if link.get("relation") == "next" and isinstance(url, str) and url:
            return url
    return None


def pages(
    first: Page,
    ask: Callable[[Page], Resource],
    following: Callable[[Page, Resource], Page | None],
    what: str,
    most: int,
) -> Iterator[Resource]:
    """The bundles of a search. Raises ``MeasurementError`` for a circle, and ``BoundsError`` for too many."""
    asked: set[str] = set()
    page: Page | None = first
    while page is not None:
        if str(page) in asked:
            raise MeasurementError(f"{what}: the pages of the server go in a circle")
        if len(asked) >= most:
            raise BoundsError(f"{what}: there are more than {most} pages, which are not read")
        asked.add(str(page))
        bundle = ask(page)
        yield bundle
        page = following(page, bundle)


def each_once(resources: Iterable[Resource]) -> Iterator[Resource]:
    """Every resource the first time that its id occurs: pages may overlap. One without an id always counts."""
    seen: set[object] = set()
    for resource in resources:
        identity = resource.get("id")
        if not isinstance(identity, str) or identity not in seen:
            seen.update([identity] if isinstance(identity, str) else [])
            yield resource


def resources_in(value: object) -> list[Any]:
    """The entries of a Bundle; anything else is taken for a resource."""
    if not isinstance(value, dict) or value.get("resourceType") != "Bundle":
        return [value]
    entries = value.get("entry", [])
    found = entries if isinstance(entries, list) else [entries]
    return [one.get("resource") if isinstance(one, dict) else None for one in found]


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none where it is something else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
