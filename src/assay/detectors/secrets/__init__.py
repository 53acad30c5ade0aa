"""Secrets in text: known tokens, random values behind telling names, and the disguises of both."""
