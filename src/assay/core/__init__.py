"""Shared by every dialect: outcomes, how they count, and the arithmetic.

Pure functions and the standard library only. The core knows no files, no wire names and no documents. You can read
it in ten minutes; start with ``outcome``.
"""
