"""Paths into FHIR R4 resources: FHIRPath, or dotted with indexes; with the model that finds a mistyped element."""
