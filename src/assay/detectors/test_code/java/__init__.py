"""Tests in Java: JUnit 3, 4 and 5 and TestNG, with AssertJ, Truth, Hamcrest and Mockito."""

from assay.detectors.test_code.java.reader import read_java

__all__ = ["read_java"]
