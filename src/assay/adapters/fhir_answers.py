"""What a FHIR server answers: resources, bundles with a link to the next page, and what it says went wrong."""

from collections.abc import Iterator
from typing import Any

from assay.adapters.json_requests import Answer
from assay.core.errors import MeasurementError


def body(answer: Answer, resource_type: str, what: str) -> dict[str, Any]:
    """The resource that was asked for. Raises ``MeasurementError`` for anything else."""
    if not 200 <= answer.status < 300:
        reasons = {401: "the server does not accept the token", 403: "the token has no right to this"}
        why = reasons.get(answer.status, f"the server answers {answer.status}")
        raise MeasurementError(f"{what}: {why}{_issue(answer.body)}")
    if not isinstance(answer.body, dict) or answer.body.get("resourceType") != resource_type:
        raise MeasurementError(f"{what}: the answer is no {resource_type}")
    return answer.body


def matches(bundle: dict[str, Any], resource_type: str) -> Iterator[dict[str, Any]]:
    """The resources that a search is about, without what was only included with them."""
    for entry in _objects(bundle.get("entry")):
        resource, search = entry.get("resource"), entry.get("search")
        mode = search.get("mode") if isinstance(search, dict) else None
        if not isinstance(resource, dict) or mode not in (None, "match"):
            continue
        if resource.get("resourceType") == resource_type:
            yield resource


def next_link(bundle: dict[str, Any]) -> str | None:
    """The address of the next page, as it is written."""
    for link in _objects(bundle.get("link")):
        url = link.get("url")
        if link.get("relation") == "next" and isinstance(url, str) and url:
            return url
    return None


def is_outcome(body: object) -> bool:
    """Whether it is what a FHIR server says where it has no resource to give."""
    return isinstance(body, dict) and body.get("resourceType") == "OperationOutcome"


def is_capability(answer: Answer) -> bool:
    """Whether it is what every FHIR server says about itself."""
    kind = answer.body.get("resourceType") if isinstance(answer.body, dict) else None
    return 200 <= answer.status < 300 and kind == "CapabilityStatement"


def _issue(outcome: object) -> str:
    """The first issue of an OperationOutcome."""
    if not isinstance(outcome, dict) or not is_outcome(outcome):
        return ""
    for issue in _objects(outcome.get("issue")):
        details = issue.get("details")
        text = details.get("text") if isinstance(details, dict) else None
        said = text or issue.get("diagnostics") or issue.get("code")
        if isinstance(said, str):
            return f": {said[:300]}"
    return ""


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
