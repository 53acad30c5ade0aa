"""What checks of a playground declare. That they declare it at all is for the type checker."""

from assay.checks.criteria.fhir_resource_state import FhirResourceState
from assay.checks.criteria.hl7_structural import Hl7Structural
from assay.checks.criteria.portal_state_match import PortalStateMatch
from assay.checks.criteria.sftp_file_present import SftpFilePresent
from assay.checks.criteria.voice_transcript import VoiceTranscript
from assay.checks.criteria.x12_response import X12Response
from assay.engine.criteria.complete_run import check_class, kinds
from assay.evidence.playground import PlaygroundCheck

CHECKS: list[type[PlaygroundCheck]] = [
    FhirResourceState,
    Hl7Structural,
    PortalStateMatch,
    SftpFilePresent,
    VoiceTranscript,
    X12Response,
]


def test_every_check_is_listed_here() -> None:
    assert [check_class(kind) for kind in kinds()] == CHECKS


def test_the_fields_whose_values_are_escaped() -> None:
    assert {check.kind: sorted(check.escapes) for check in CHECKS} == {
        "fhir-resource-state": ["fhirpath", "path", "search", "where"],
        "hl7-structural": ["path"],
        "portal-state-match": ["path"],
        "sftp-file-present": ["glob", "path", "pattern"],
        "voice-transcript": [],
        "x12-response": ["path"],
    }
