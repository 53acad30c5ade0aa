"""The checks of criteria: one file for each value of ``assert``, named like it."""
