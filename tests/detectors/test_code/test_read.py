"""Any file of tests by the reader of its language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.test_code.paths import language_of
from assay.detectors.test_code.read import read_test_code
from assay.evidence.workspace import read_here
from tests.sampling import examples

SAMPLES = {
    "test_a.py": "def test_a():\n    assert add(1, 2) == 3\n",
    "a.test.js": 'test("a", () => { expect(add(1, 2)).toBe(3); });\n',
    "a.test.ts": 'test("a", () => { expect(add(1, 2) as number).toBe(3); });\n',
    "a.test.tsx": 'test("a", () => { expect(<A/>).toBe(3); });\n',
    "a_test.go": 'package a\nfunc TestA(t *testing.T) { if add(1, 2) != 3 { t.Error("no") } }\n',
    "ATest.java": "class ATest { @Test void a() { assertEquals(3, add(1, 2)); } }\n",
    "tests/a.rs": "#[test]\nfn a() { assert_eq!(add(1, 2), 3); }\n",
    "a_spec.rb": 'describe "a" do\n  it "adds" do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n',
    "ATests.cs": "public class ATests { [Fact] public void A() { Assert.Equal(3, Add(1, 2)); } }\n",
}


@pytest.mark.parametrize("path", SAMPLES)
def test_each_language_has_a_reader(path: str) -> None:
    code = read_test_code(path, SAMPLES[path].encode(), read_here)
    assert code is not None
    assert (code.language, code.problems, len(code.tests)) == (language_of(path), (), 1)
    assert (code.tests[0].collected, len(code.tests[0].assertions)) == (True, 1)


def test_a_language_without_a_reader() -> None:
    assert read_test_code("tests/a.scala", b"<?php", read_here) is None


def test_a_file_that_no_runner_looks_into_has_no_collected_tests() -> None:
    code = read_test_code("tests/checks.py", SAMPLES["test_a.py"].encode(), read_here)
    assert code is not None
    assert [test.collected for test in code.tests] == [False]


@pytest.mark.parametrize(
    ("data", "clean"),
    [
        ("def test_a(): assert f() == 'ä'\n".encode(), True),
        ("\ufeffdef test_a(): assert f() == 'ä'\n".encode(), True),
        ("# -*- coding: latin-1 -*-\ndef test_a(): assert f() == 'ä'\n".encode("latin-1"), True),
        ("def test_a(): assert f() == 'ä'\r\n".encode(), True),
        ("def test_a(): assert f() == 'ä'\n".encode("latin-1"), False),
        (b"# coding: utf-7\ndef test_a(): assert f() == 1\n", False),
        (b"# coding: no-such-codec\ndef test_a(): assert f() == 1\n", False),
    ],
)
def test_encodings(data: bytes, clean: bool) -> None:
    code = read_test_code("test_a.py", data, read_here)
    assert code is not None
    assert (code.problems == ()) is clean
    assert len(code.tests) == 1


def test_a_huge_file_is_not_parsed() -> None:
    code = read_test_code("test_a.py", b"#" * 2_000_001, read_here)
    assert code is not None
    assert (code.tests, len(code.problems)) == ((), 1)


@examples(40)
@given(st.sampled_from(sorted(SAMPLES)), st.binary(max_size=200))
def test_no_bytes_make_a_reader_raise(path: str, data: bytes) -> None:
    code = read_test_code(path, data, read_here)
    assert code is not None
    assert code.language == language_of(path)
