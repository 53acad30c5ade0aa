"""The criteria document: criteria with typed assertions, scores by axis, verdicts, and evidence."""
