"""A FHIR server's answers: the resource that was asked for, or what it says went wrong.

What a server says it did with a search: which parameters it used, and what it warns about.

A server that doesn't know a parameter should refuse the search. Many answer as if it weren't there, so that a
search for one patient finds all of them. The link of a page to itself has the parameters that were used, and
entries with an OperationOutcome say what was ignored.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from assay.core.errors import MeasurementError
from assay.formats.fhir.search import objects_in

MISSING: Final = 404
_SHORTEST: Final = 3
_SECRET: Final = re.compile(
    r"((?:bearer|basic|token|authorization|password|secret|key)[\"']?\s{0,3}[:= ]\s{0,3}[\"']?)[\w.~+/-]{8,}=*",
    re.IGNORECASE,
)
GONE: Final = 410
UNAUTHORIZED: Final = 401
_REASONS: Final = {
    UNAUTHORIZED: "the server does not accept the token",
    403: "the token does not allow this request",
}
# These change which page comes, in which order and how, and not what matches.
CONTROL: Final = frozenset(
    ("_count", "_sort", "_include", "_include:iterate", "_revinclude", "_revinclude:iterate", "_summary",
     "_elements", "_format", "_total", "_pretty", "_contained", "_containedType", "_score")
)  # fmt: skip
_ERRORS: Final = ("error", "fatal")


def resource_in(
    status: int, body: object, resource_type: str, what: str, hidden: Iterable[str] = ()
) -> dict[str, Any]:
    """The resource that was asked for. Raises ``MeasurementError``, which names ``what``, for any other answer.

    ``hidden`` are texts that must not be in the message, such as the values that were searched for.
    """
    if not 200 <= status < 300:
        said = redacted(_issue(body), hidden)
        raise MeasurementError(f"{what}: {_REASONS.get(status, f'the server answers {status}')}{said}")
    if not isinstance(body, dict) or body.get("resourceType") != resource_type:
        raise MeasurementError(f"{what}: the answer is not a {resource_type}")
    return body


def redacted(text: str, hidden: Iterable[str]) -> str:
    """A text of a server without what it may repeat: values of the search, tokens, and whatever looks like one."""
    for one in sorted({form for value in hidden for form in _forms(value)}, key=len, reverse=True):
        text = re.sub(re.escape(one), "…", text, flags=re.IGNORECASE)
    return _SECRET.sub(lambda found: f"{found[1]}…", text)


def _forms(value: str) -> Iterator[str]:
    """A value as a server may repeat it: as it is, its parts, and as it is written in an address."""
    for part in (value, *re.split(r"[|,$\\]", value)):
        if len(part) >= _SHORTEST:
            yield from (part, quote(part, safe=""), quote_plus(part))


def is_outcome(body: object) -> TypeGuard[dict[str, Any]]:
    """Whether this is how a FHIR server says that it has no such resource."""
    return isinstance(body, dict) and body.get("resourceType") == "OperationOutcome"


def errors_in(outcome: Mapping[str, Any]) -> list[str]:
    """The issues of an OperationOutcome that are errors, each in one line with its place."""
    found = [one for one in objects_in(outcome.get("issue")) if one.get("severity") in _ERRORS]
    return [_in_a_line(one) for one in found]


def _in_a_line(issue: Mapping[str, Any]) -> str:
    places = issue.get("expression") or issue.get("location")
    place = next((one for one in places if isinstance(one, str)), "") if isinstance(places, list) else ""
    said = " ".join((_issue_text(issue) or "no reason given").split())[:300]
    return f"{place}: {said}" if place else said


def is_capability(status: int, body: object) -> bool:
    """Whether this is the description that every FHIR server has of itself."""
    kind = body.get("resourceType") if isinstance(body, dict) else None
    return 200 <= status < 300 and kind == "CapabilityStatement"


def _issue(outcome: object) -> str:
    """The first issue of an OperationOutcome."""
    if not is_outcome(outcome):
        return ""
    for issue in objects_in(outcome.get("issue")):
        said = _issue_text(issue)
        if said is not None:
            return f": {said[:300]}"
    return ""


def _issue_text(issue: Mapping[str, Any]) -> str | None:
    details = issue.get("details")
    text = details.get("text") if isinstance(details, dict) else None
    said = text or issue.get("diagnostics") or issue.get("code")
    return said if isinstance(said, str) else None


def ignored_parameters(bundle: Mapping[str, Any], resource_type: str, parameters: Sequence[str]) -> list[str]:
    """The parameters that a page says were not used."""
    asked = [name for name in parameters if name not in CONTROL]
    used = _used_parameters(bundle, resource_type)
    # A modifier of the server's own doesn't make it another parameter.
    known = None if used is None else {*used, *(one.partition(":")[0] for one in used)}
    warned = " ".join(text for issue in _issues(bundle) for text in _texts(issue))
    return [name for name in asked if (known is not None and name not in known) or _names(warned, name)]


def reported_error(bundle: Mapping[str, Any]) -> str | None:
    """The error that a page reports, if any."""
    for issue in _issues(bundle):
        if issue.get("severity") in _ERRORS:
            return next(_texts(issue), "no reason given")
    return None


def _used_parameters(bundle: Mapping[str, Any], resource_type: str) -> list[str] | None:
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


def _issues(bundle: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for entry in objects_in(bundle.get("entry")):
        resource = entry.get("resource")
        if is_outcome(resource):
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
