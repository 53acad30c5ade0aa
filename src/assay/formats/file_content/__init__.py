"""What is in a file, by the paths of its format: text, JSON, CSV, HL7 v2 and X12."""
