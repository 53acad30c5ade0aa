"""Python test code as values: pytest and unittest."""

from assay.detectors.test_code.python.reader import read_python, read_python_pair

__all__ = ["read_python", "read_python_pair"]
