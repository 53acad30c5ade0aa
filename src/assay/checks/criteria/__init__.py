"""The checks of criteria: one question about a sandbox's state a file, the file named like the assertion."""
