"""The checks of criteria: one question about a playground's state a file, the file named like the assertion."""
