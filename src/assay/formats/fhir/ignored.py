"""What a server says it did with a search: which parameters it used, and what it warns about.

A server that doesn't know a parameter should refuse the search. Many answer as if it weren't there, so that a
search for one patient finds all of them. The link of a page to itself has the parameters that were used, and
entries with an OperationOutcome say what was ignored.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from assay.formats.fhir.bundle import objects_in

# These change which page comes, in which order and how, and not what matches.
CONTROL: Final = frozenset(
    ("_count", "_sort", "_include", "_include:iterate", "_revinclude", "_revinclude:iterate", "_summary",
     "_elements", "_format", "_total", "_pretty", "_contained", "_containedType", "_score")
)  # fmt: skip
_ERRORS: Final = ("error", "fatal")


def ignored(bundle: Mapping[str, Any], resource_type: str, parameters: Sequence[str]) -> list[str]:
    """The parameters that a page says were not used."""
    asked = [name for name in parameters if name not in CONTROL]
    used = _used(bundle, resource_type)
    warned = " ".join(text for issue in _issues(bundle) for text in _texts(issue))
    return [name for name in asked if (used is not None and not _is_among(name, used)) or _names(warned, name)]


def reported_error(bundle: Mapping[str, Any]) -> str | None:
    """What a page says went wrong, if it does."""
    for issue in _issues(bundle):
        if issue.get("severity") in _ERRORS:
            return next(_texts(issue), "no reason given")
    return None


def _used(bundle: Mapping[str, Any], resource_type: str) -> list[str] | None:
    """The names in the page's link to itself. None if it has none, or one that isn't about the search."""
    for link in objects_in(bundle.get("link")):
        url = link.get("url")
        if link.get("relation") != "self" or not isinstance(url, str):
            continue
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        path = parts.path.rstrip("/").removesuffix("/_search")
        about_search = bool(parts.query) or path.rpartition("/")[2] == resource_type
        names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
        # What is only the number of a stored result says nothing.
        stored = bool(names) and all(name.startswith("_") and name not in CONTROL for name in names)
        return names if about_search and not stored else None
    return None


def _is_among(name: str, used: Sequence[str]) -> bool:
    return name in used or (":" not in name and any(one.partition(":")[0] == name for one in used))


def _issues(bundle: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for entry in objects_in(bundle.get("entry")):
        resource = entry.get("resource")
        if isinstance(resource, dict) and resource.get("resourceType") == "OperationOutcome":
            yield from objects_in(resource.get("issue"))


def _texts(issue: Mapping[str, Any]) -> Iterator[str]:
    details = issue.get("details")
    found = [details.get("text") if isinstance(details, dict) else None, issue.get("diagnostics")]
    for place in ("expression", "location"):
        found += issue[place] if isinstance(issue.get(place), list) else []
    yield from (one for one in found if isinstance(one, str))


def _names(warned: str, name: str) -> bool:
    """Whether a text has the name of a parameter as a word."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", warned) is not None
