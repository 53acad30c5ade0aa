"""Expressions of test code: words, chains, conditions, literals."""
