"""Resources that tests look at."""

from typing import Any

PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "p1",
    "active": True,
    "name": [
        {"use": "official", "family": "Chalmers", "given": ["Peter", "James"]},
        {"use": "usual", "given": ["Jim"]},
    ],
    "birthDate": "1974-12-25",
    "_birthDate": {
        "extension": [{"url": "http://example.org/time", "valueDateTime": "1974-12-25T14:35:45-05:00"}]
    },
    "deceasedBoolean": False,
    "identifier": [{"system": "urn:mrn", "value": "12345"}, {"system": "urn:ssn", "value": "9"}],
    "telecom": [{"system": "phone", "value": "(03) 5555 6473", "rank": 1}],
}
WEIGHT: dict[str, Any] = {
    "resourceType": "Observation",
    "id": "o1",
    "status": "final",
    "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7"}]},
    "valueQuantity": {"value": 83.9, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"},
}
