"""Runs in the store: rows, totals, searches and pages of them."""
