"""An assertion of each kind to begin with, and what the kind is for."""

from typing import Any, Final

MEANINGS: Final = {
    "fhir-resource-state": "A resource on the playground's FHIR server has these values.",
    "hl7-structural": "An HL7 v2 message that was sent has these fields.",
    "portal-state-match": "A record of a portal has these values.",
    "sftp-file-present": "A file is there, and what is in it.",
    "voice-transcript": "Something was said in a call, or was not.",
    "x12-response": "An X12 response has these elements.",
}
ASSERTIONS: Final[dict[str, dict[str, Any]]] = {
    "fhir-resource-state": {
        "assert": "fhir-resource-state",
        "resource_type": "Appointment",
        "search": {"patient": "Patient/00412"},
        "fields": [{"path": "status", "expected": "booked"}],
    },
    "hl7-structural": {
        "assert": "hl7-structural",
        "message_type": "ADT^A04",
        "correlate_by": {"PID-3.1": "00412"},
        "fields": [{"path": "PID.5.1", "expected": "Okafor"}],
    },
    "portal-state-match": {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "appointments", "key": "visit-9"},
        "assertions": [{"path": "status", "expected": "booked"}],
    },
    "sftp-file-present": {
        "assert": "sftp-file-present",
        "path": "outbox/*.csv",
        "format": "csv",
        "fields": [{"path": "[0].mrn", "expected": "00412"}],
    },
    "voice-transcript": {
        "assert": "voice-transcript",
        "speaker": "agent",
        "contains": ["your visit is booked"],
        "not_contains": ["diagnosis"],
    },
    "x12-response": {
        "assert": "x12-response",
        "transaction_set": "271",
        "fields": [{"path": "2110C/EB[01=B]07", "expected": "25"}],
    },
}
