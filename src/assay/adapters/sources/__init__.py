"""Sources that criteria check: FHIR servers, message listeners, files."""
