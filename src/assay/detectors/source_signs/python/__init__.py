"""What only Python's own syntax tree shows: names in full, and what a ``conftest.py`` replaces."""
