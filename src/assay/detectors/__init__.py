"""Suspicious changes: test code that checks less, settings of runners, signs in source, secrets."""
