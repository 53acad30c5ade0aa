"""HL7 v2 messages as they are sent (ER7): parsing, paths, acknowledgements, MLLP frames. No I/O."""
