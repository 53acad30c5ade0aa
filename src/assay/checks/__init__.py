"""Checks: one question a file, the file named like the kind. A check knows nothing of weights or wire names."""
