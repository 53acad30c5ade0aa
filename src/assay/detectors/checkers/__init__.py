"""Linters and type checkers that a change switches off, in code, in settings or in commands."""
