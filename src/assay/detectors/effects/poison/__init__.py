"""Tests of the project that are made to fail, to see whether the report says so."""
