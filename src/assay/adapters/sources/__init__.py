"""What criteria are checked against: FHIR servers, message listeners, files."""
