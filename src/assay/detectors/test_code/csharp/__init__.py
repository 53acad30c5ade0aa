"""Tests in C#: xUnit, NUnit and MSTest, with FluentAssertions, Shouldly, Moq and NSubstitute."""

from assay.detectors.test_code.csharp.reader import read_csharp

__all__ = ["read_csharp"]
