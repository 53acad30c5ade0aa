"""What a FHIR server answers: the resource that was asked for, or what it says went wrong."""

from typing import Any, Final

from assay.core.errors import MeasurementError
from assay.formats.fhir.bundle import objects_in

MISSING: Final = 404
GONE: Final = 410
_REASONS: Final = {401: "the server does not accept the token", 403: "the token does not allow this request"}


def resource_in(status: int, body: object, resource_type: str, what: str) -> dict[str, Any]:
    """The resource that was asked for. Raises ``MeasurementError``, which names ``what``, for any other answer."""
    if not 200 <= status < 300:
        raise MeasurementError(f"{what}: {_REASONS.get(status, f'the server answers {status}')}{_issue(body)}")
    if not isinstance(body, dict) or body.get("resourceType") != resource_type:
        raise MeasurementError(f"{what}: the answer is not a {resource_type}")
    return body


def is_outcome(body: object) -> bool:
    """Whether this is how a FHIR server says that it has no such resource."""
    return isinstance(body, dict) and body.get("resourceType") == "OperationOutcome"


def is_capability(status: int, body: object) -> bool:
    """Whether this is the description that every FHIR server has of itself."""
    kind = body.get("resourceType") if isinstance(body, dict) else None
    return 200 <= status < 300 and kind == "CapabilityStatement"


def _issue(outcome: object) -> str:
    """The first issue of an OperationOutcome."""
    if not isinstance(outcome, dict) or not is_outcome(outcome):
        return ""
    for issue in objects_in(outcome.get("issue")):
        details = issue.get("details")
        text = details.get("text") if isinstance(details, dict) else None
        said = text or issue.get("diagnostics") or issue.get("code")
        if isinstance(said, str):
            return f": {said[:300]}"
    return ""
