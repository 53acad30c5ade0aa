"""JUnit XML, as test runners write it and as an agent would like it to be."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.test_reports import read as reading
from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.read import read_report
from tests.builders import within

P, S, F = Ended.PASSED, Ended.SKIPPED, Ended.FAILED

SUITE = """
import pytest, unittest

def test_passes(): pass
def test_fails(): assert False
def test_skips(): pytest.skip("x")
@pytest.mark.xfail
def test_is_expected_to_fail(): assert False
@pytest.mark.xfail
def test_passes_unexpectedly(): pass
@pytest.fixture
def broken(): raise ValueError
def test_has_a_broken_fixture(broken): pass
@pytest.fixture
def late():
    yield
    raise ValueError
def test_breaks_at_its_end(late): pass
@pytest.mark.parametrize("x", ["a b", "<&>", "ü/::"])
def test_many(x): pass
class TestOld(unittest.TestCase):
    def test_method(self): self.assertTrue(True)
    @unittest.skip("x")
    def test_skipped(self): pass
"""


def read(text: str | bytes) -> dict[str, Ended]:
    return read_report("junit", text.encode() if isinstance(text, str) else text).tests


def test_a_report_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    options = ["-q", "-p", "no:cacheprovider", "--junitxml=report.xml", "--rootdir=."]
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, check=False)
    assert read((tmp_path / "report.xml").read_bytes()) == {
        "test_suite::test_passes": P,
        "test_suite::test_fails": F,
        "test_suite::test_skips": S,
        "test_suite::test_is_expected_to_fail": S,
        "test_suite::test_passes_unexpectedly": P,
        "test_suite::test_has_a_broken_fixture": F,
        "test_suite::test_breaks_at_its_end": F,
        "test_suite::test_many[a b]": P,
        "test_suite::test_many[<&>]": P,
        "test_suite::test_many[\\xfc/::]": P,
        "test_suite.TestOld::test_method": P,
        "test_suite.TestOld::test_skipped": S,
    }


def test_a_report_of_nodes_runner() -> None:
    report = """<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testsuite name="cart" time="0.014" disabled="0" errors="0" tests="4" failures="1" skipped="2" hostname="h">
		<testcase name="adds" time="0.001" classname="test"/>
		<testcase name="breaks" time="0.006" classname="test" failure="1 == 2">
			<failure type="testCodeFailure" message="1 == 2">Error [ERR_TEST_FAILURE]: 1 == 2</failure>
		</testcase>
		<testcase name="later" time="0.000" classname="test"><skipped type="skipped" message="true"/></testcase>
		<testcase name="some day" time="0.000" classname="test"><skipped type="todo" message="true"/></testcase>
	</testsuite>
	<!-- tests 4 -->
</testsuites>
"""
    assert read(report) == {"test::adds": P, "test::breaks": F, "test::later": S, "test::some day": S}


@pytest.mark.parametrize(
    ("cases", "tests"),
    [
        ("", {}),
        ('<testcase name="x"/>', {"x": P}),
        ('<testsuite><testcase classname="a.B" name="x"/></testsuite>', {"a.B::x": P}),
        ('<testcase name="x"><system-out>ok</system-out><failure/></testcase>', {"x": F}),
        ('<testcase name="x"><skipped/><error/></testcase>', {"x": F}),
        # What a page or a test printed is no document type.
        ("<testcase name='x'><system-out><![CDATA[<!DOCTYPE html>]]></system-out></testcase>", {"x": P}),
        ("<!-- <!DOCTYPE x> --><testcase name='x'/>", {"x": P}),
    ],
)
def test_shapes_of_other_runners(cases: str, tests: dict[str, Ended]) -> None:
    assert read(f"<testsuite>{cases}</testsuite>") == tests
    assert read(f"<testsuites><testsuite>{cases}</testsuite></testsuites>") == tests


@pytest.mark.parametrize(
    ("report", "tests"),
    [
        ('<testsuite name="s" failures="1"><testcase name="x"/></testsuite>', {"x": P, "s": F}),
        ('<testsuite name="s" errors="01"><testcase name="x"/></testsuite>', {"x": P, "s": F}),
        ('<testsuite><testcase name="x"/><error>it broke at its end</error></testsuite>', {"x": P, "suite": F}),
        ('<testsuite name="s" failures="0" errors="0"><testcase name="x"/></testsuite>', {"x": P}),
        ('<testsuite name="s" failures="1"><testcase name="x"><failure/></testcase></testsuite>', {"x": F}),
        (
            '<testsuite name="s" failures="1"><testsuite name="t"><testcase name="x"><failure/></testcase>'
            "</testsuite></testsuite>",
            {"x": F},
        ),
    ],
)
def test_a_suite_that_failed_by_itself(report: str, tests: dict[str, Ended]) -> None:
    assert read(report) == tests


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><testsuite><testcase name="&l9;"/></testsuite>'
FILE = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&f;"/></testsuite>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("report", [BOMB, FILE, "<!DOCTYPE x><testsuite/>", "<!DOCTYPE x []><testsuite/>"])
def test_a_document_type_is_refused_in_any_encoding(report: str, encoding: str) -> None:
    with within(60), pytest.raises(ValueError, match="must not declare a document type"):
        read(f'<?xml version="1.0" encoding="{encoding}"?>{report}'.encode(encoding))


@pytest.mark.parametrize(
    "report", [b"", b"ok", b"<a>", b"<a></b>", b"\0", b"<a>&#0;</a>", b'<?xml version="1.0" encoding="none"?><a/>']
)
def test_what_is_no_report(report: bytes) -> None:
    with pytest.raises(ValueError, match="the report must be XML"):
        read(report)


def test_a_deep_report_is_no_trouble() -> None:
    deep = 50_000
    assert read("<a>" * deep + "<testcase name='x'/>" + "</a>" * deep) == {"x": P}


@given(st.binary(max_size=200) | st.text(st.sampled_from("<>/testcase\"'=&;![]-? n"), max_size=80).map(str.encode))
def test_no_bytes_raise_anything_but_value_error(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert set(read(data).values()) <= set(Ended)


@pytest.mark.parametrize(
    ("attributes", "ended"),
    [
        ("", P),
        ('status="run" result="completed"', P),
        ('status="passed"', P),
        ('status="notrun"', S),
        ('status="notrun" result="suppressed"', S),
        ('status="run" result="skipped"', S),
        ('status="DISABLED"', S),
        ('status="fail"', F),
        ('status="run" result="failed"', F),
    ],
)
def test_what_a_runner_says_in_an_attribute(attributes: str, ended: Ended) -> None:
    assert read(f'<testsuite><testcase name="a" {attributes}/></testsuite>') == {"a": ended}


def test_a_nested_suite_knows_of_its_own_tests_only() -> None:
    inner = '<testsuite name="b" failures="1"><testcase name="y"/></testsuite>'
    outer = f'<testsuite name="a" failures="1"><testcase name="x"><failure/></testcase>{inner}</testsuite>'
    assert read(f"<testsuites>{outer}</testsuites>") == {"x": F, "y": P, "b": F}


@pytest.mark.parametrize("text", ["<a>" * 40 + "</a>" * 40, "<r>" + "<a/>" * 60 + "</r>"], ids=["deep", "wide"])
def test_a_report_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(reading, "MAX_ELEMENTS", 50)
    monkeypatch.setattr(reading, "MAX_DEPTH", 20)
    with pytest.raises(ValueError, match=r"must have at most \d+ elements and \d+ levels"):
        read(text)
