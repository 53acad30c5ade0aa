"""What a FHIR server answers: the resource that was asked for, or what it says went wrong."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeGuard
from urllib.parse import quote, quote_plus

from assay.core.errors import MeasurementError
from assay.formats.fhir.bundle import objects_in

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
    found = [one for one in objects_in(outcome.get("issue")) if one.get("severity") in ("error", "fatal")]
    return [_in_a_line(one) for one in found]


def _in_a_line(issue: Mapping[str, Any]) -> str:
    places = issue.get("expression") or issue.get("location")
    place = next((one for one in places if isinstance(one, str)), "") if isinstance(places, list) else ""
    said = " ".join((_said(issue) or "no reason given").split())[:300]
    return f"{place}: {said}" if place else said


def is_capability(status: int, body: object) -> bool:
    """Whether this is the description that every FHIR server has of itself."""
    kind = body.get("resourceType") if isinstance(body, dict) else None
    return 200 <= status < 300 and kind == "CapabilityStatement"


def _issue(outcome: object) -> str:
    """The first issue of an OperationOutcome."""
    if not isinstance(outcome, dict) or not is_outcome(outcome):
        return ""
    for issue in objects_in(outcome.get("issue")):
        said = _said(issue)
        if said is not None:
            return f": {said[:300]}"
    return ""


def _said(issue: Mapping[str, Any]) -> str | None:
    details = issue.get("details")
    text = details.get("text") if isinstance(details, dict) else None
    said = text or issue.get("diagnostics") or issue.get("code")
    return said if isinstance(said, str) else None
