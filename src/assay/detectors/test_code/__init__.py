"""Test code in many languages as values: which tests there are, what skips them, what they assert."""
