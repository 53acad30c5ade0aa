"""Criteria: check them against a playground, and find mistakes in them."""
