"""Tests in Go: the testing package, testify, gomega with Ginkgo, and gocheck."""

from assay.detectors.test_code.go.reader import read_go

__all__ = ["read_go"]
