"""Checks: one question per file, the file named like the kind. A check knows no weights and no wire names."""
