"""Patterns of authors, searched with a limit that is counted in steps: the same whatever else the machine does."""
