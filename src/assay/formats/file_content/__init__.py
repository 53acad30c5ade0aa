"""A file's content, by the paths of its format: text, JSON, CSV, HL7 v2 and X12."""
