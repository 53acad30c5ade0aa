"""Tests in Rust: the built-in harness, rstest, test_case, proptest and the asynchronous runtimes' attributes."""

from assay.detectors.test_code.rust.reader import read_rust

__all__ = ["read_rust"]
