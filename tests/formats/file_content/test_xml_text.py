"""What paths find in XML, and which files are not read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.file_content.text import FileFormatError
from assay.formats.file_content.xml_text import check_path, open_content

DOCUMENT = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment --><ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:s="urn:other">
  <id root="1.2" extension="A"/><id root="1.3" s:extension="B"/>
  <name><given>Ana</given> <given>M.</given><family> Rivera </family></name>
  <component><entry><value value="120" unit="mm[Hg]"/><code code="8480-6"/></entry>
    <entry><code code="8462-4">deep &amp; <b>bold</b></code></entry></component>
  <empty/>
</ClinicalDocument>"""


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("ClinicalDocument/id/@root", ["1.2", "1.3"]),
        ("ClinicalDocument/id[2]/@root", ["1.3"]),
        ("ClinicalDocument/id[@root=1.3]/@extension", ["B"]),
        ('ClinicalDocument/id[@root="1.2"]/@extension', ["A"]),
        ("ClinicalDocument/id[3]/@root", []),
        ('ClinicalDocument/id[@root="1.2",@extension=A]/@root', ["1.2"]),
        ("ClinicalDocument/id[@root=1.2, @extension=B]/@root", []),
        ("ClinicalDocument/name/given", ["Ana", "M."]),
        ("ClinicalDocument/name/family", ["Rivera"]),
        ("ClinicalDocument/name", ["Ana M. Rivera"]),
        ("**/given", ["Ana", "M."]),
        ("**/given[2]", ["M."]),
        ("ClinicalDocument/**/code/@code", ["8480-6", "8462-4"]),
        ('**/entry/code[@code="8462-4"]', ["deep & bold"]),
        ("ClinicalDocument/*/entry/value/@unit", ["mm[Hg]"]),
        ("ClinicalDocument/empty", [""]),
        ("ClinicalDocument/empty/@a", []),
        ("id/@root", []),
        ("clinicaldocument/id/@root", []),
    ],
)
def test_what_is_found(path: str, values: list[str]) -> None:
    check_path(path)
    assert open_content(DOCUMENT)(path) == values


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        "@a",
        "a[0]",
        "a[",
        "a[b]",
        "a/@",
        "a/@b/c",
        "**",
        "a b",
        "a[@b=c,d]",
        "a[@b=c=d]",
        "a[@b=c,]",
        "a[-1]",
        "a\n",
    ],
)
def test_a_path_that_is_none(path: str) -> None:
    with pytest.raises(ValueError, match="a path into XML must be like"):
        check_path(path)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not XML"),
        (b"<a>", "not XML"),
        (b"<a/><b/>", "not XML"),
        (b"{}", "not XML"),
        (b"<a>&undefined;</a>", "not XML"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "not XML"),
        (b"<!DOCTYPE a><a/>", "DOCTYPE"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "DOCTYPE"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "DOCTYPE"),
        ("<!DOCTYPE a><a/>".encode("utf-16"), "DOCTYPE"),
    ],
)
def test_what_is_not_read(data: bytes, says: str) -> None:
    with pytest.raises(FileFormatError, match=says):
        open_content(data)


def test_depth_costs_no_recursion() -> None:
    deep = b"<a>" * 100_000 + b"x" + b"</a>" * 100_000
    assert len(open_content(deep)("a/a/a")) == 1


@given(st.binary(max_size=100))
def test_no_bytes_break_it(data: bytes) -> None:
    for text in (data, b"<a>" + data + b"</a>", b"<a " + data + b"/>"):
        try:
            open_content(text)("**/a/@b")
        except FileFormatError:
            continue
