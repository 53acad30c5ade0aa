"""Sandboxes in containers."""
