"""Tests in Ruby: RSpec, Minitest and Test::Unit."""

from assay.detectors.test_code.ruby.reader import read_ruby

__all__ = ["read_ruby"]
