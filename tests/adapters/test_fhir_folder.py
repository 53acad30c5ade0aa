"""A folder in the place of a FHIR server: what a search finds, and what it refuses."""

import json
from pathlib import Path

import pytest

from assay.adapters.sources.fhir_folder import FhirFolder
from assay.core.errors import InputError, MeasurementError

RESOURCES = [
    {"resourceType": "Patient", "id": "p", "identifier": [{"system": "urn:a", "value": "1"}, {"value": "x|y"}]},
    {"resourceType": "Patient", "id": "q", "identifier": [{"system": "urn:b", "value": "1"}]},
    {
        "resourceType": "Appointment",
        "id": "a",
        "status": "booked",
        "start": "2025-06-05T15:30:00Z",
        "participant": [{"actor": {"reference": "Patient/p"}}, {"actor": {"reference": "Practitioner/d"}}],
    },
    {"resourceType": "Coverage", "id": "c", "status": "active", "beneficiary": {"reference": "Patient/p"}},
    {"resourceType": "Task", "id": "t", "status": "ready", "for": {"reference": "Patient/q"}},
    {
        "resourceType": "Observation",
        "id": "o",
        "subject": {"reference": "Group/p"},
        "effectiveDateTime": "2025-06",
    },
    {"resourceType": "Claim", "id": "m", "patient": {"reference": "Patient/p"}, "status": "active"},
]


@pytest.fixture
def folder(tmp_path: Path) -> FhirFolder:
    bundle = {"resourceType": "Bundle", "entry": [{"resource": one} for one in RESOURCES[1:]]}
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "b.json").write_text(json.dumps(bundle))
    (tmp_path / "p.json").write_text(json.dumps(RESOURCES[0]))
    (tmp_path / "notes.txt").write_text("no resource")
    return FhirFolder(str(tmp_path))


@pytest.mark.parametrize(
    ("kind", "search", "ids"),
    [
        ("Patient", {}, "pq"),
        ("Patient", {"_count": 1}, "pq"),
        ("Patient", {"_id": "p"}, "p"),
        ("Patient", {"_id": "q,p,r"}, "pq"),
        ("Patient", {"_id": ["p", "q"]}, ""),
        ("Patient", {"identifier": "1"}, "pq"),
        ("Patient", {"identifier": "urn:a|1"}, "p"),
        ("Patient", {"identifier": "urn:a|"}, "p"),
        ("Patient", {"identifier": "|1"}, ""),
        ("Patient", {"identifier": r"|x\|y"}, "p"),
        ("Patient", {"identifier": r"x\|y"}, "p"),
        ("Patient", {"identifier": ""}, ""),
        ("Appointment", {"patient": "p"}, "a"),
        ("Appointment", {"patient": "Patient/p", "status": "booked"}, "a"),
        ("Appointment", {"patient": "d"}, ""),
        ("Appointment", {"status": "pending,booked"}, "a"),
        ("Appointment", {"status": "http://hl7.org/fhir/appointmentstatus|booked"}, "a"),
        ("Appointment", {"status": r"pending\,booked"}, ""),
        ("Appointment", {"date": "2025-06-05"}, "a"),
        ("Appointment", {"date": "2025-06"}, "a"),
        ("Appointment", {"date": "2025-06-05T17:30:00+02:00"}, "a"),
        ("Appointment", {"date": "2025-06-06"}, ""),
        ("Coverage", {"patient": "p"}, "c"),
        ("Task", {"patient": "q"}, "t"),
        ("Task", {"subject": "Patient/q"}, "t"),
        ("Observation", {"patient": "p"}, ""),
        ("Observation", {"subject": "p"}, "o"),
        ("Observation", {"subject": "Patient/p"}, ""),
        ("Observation", {"date": "2025-06-05"}, ""),
        ("Claim", {"patient": "p", "status": "active"}, "m"),
        ("Claim", {"subject": "p"}, ""),
        ("Encounter", {}, ""),
    ],
)
def test_what_a_search_finds(folder: FhirFolder, kind: str, search: dict[str, object], ids: str) -> None:
    assert "".join(str(one["id"]) for one in folder.search(kind, search)) == ids


@pytest.mark.parametrize(
    ("kind", "search", "says"),
    [
        ("Patient", {"name": "x"}, "can't be searched by 'name', only by _id, identifier"),
        ("Appointment", {"status:not": "booked"}, "can't be searched by 'status:not'"),
        ("Appointment", {"date": "ge2025-06-05"}, "with a prefix such as ge"),
        ("Appointment", {"date": "2025-06-05,lt2025"}, "with a prefix such as ge"),
        ("Patient", {"date": "2025"}, "can't search Patient by date"),
    ],
)
def test_what_a_search_refuses(folder: FhirFolder, kind: str, search: dict[str, object], says: str) -> None:
    with pytest.raises(MeasurementError, match=says):
        list(folder.search(kind, search))


def test_reading_by_id(folder: FhirFolder) -> None:
    found = folder.read("Coverage", "c")
    assert found is not None
    assert found["status"] == "active"
    assert folder.read("Patient", "c") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "must have a resourceType and an id"),
        ('{"resourceType": "Patient"}', "must have a resourceType and an id"),
        ('{"resourceType": "Bundle", "entry": 5}', "must have a resourceType and an id"),
        ('{"resourceType": "Bundle", "entry": [5]}', "must have a resourceType and an id"),
        ('{"resourceType": "Patient", "id": "p"}', "the resource Patient/p exists twice"),
    ],
)
def test_files_that_are_no_resources(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "a.json").write_text('{"resourceType": "Patient", "id": "p"}')
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(InputError, match=says):
        FhirFolder(str(tmp_path))
