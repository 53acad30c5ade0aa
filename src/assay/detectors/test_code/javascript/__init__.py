"""Tests in JavaScript and TypeScript: Jest, Vitest, Mocha, Jasmine, node:test, AVA, tape, QUnit and Playwright."""

from assay.detectors.test_code.javascript.reader import read_javascript, read_typescript

__all__ = ["read_javascript", "read_typescript"]
