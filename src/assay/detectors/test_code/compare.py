"""Test code before and after a change: which tests no longer run, and which demand less."""

from assay.detectors.test_code.findings import Comparison, FilePair, Finding
from assay.detectors.test_code.new_skips import compare_skips
from assay.detectors.test_code.weakening import compare_assertions

__all__ = ["Comparison", "FilePair", "Finding", "compare_assertions", "compare_skips"]
