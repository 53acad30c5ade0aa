"""Binary segments are read by their length, whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.x12.loops import place_sets
from assay.formats.x12.model import X12Mistake
from assay.formats.x12.path import parse_path
from assay.formats.x12.select import select_all
from assay.formats.x12.tokenize import tokenize
from tests.formats.x12.messages import render

ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"
HEAD = "GS*PI*S*R*20260301*1200*1*X*005010X210~ST*275*0001*005010X210~BGN*02*A1*20260301~"
PARTIES = "NM1*PR*2*PAYER~NM1*41*2*SENDER~NM1*1P*2*DOC*****XX*1~NM1*QC*1*DOE*J~REF*EJ*P7~"
DETAIL = "LX*1~TRN*2*CLM1~STC*R4:18842-5::LOI~DTP*472*D8*20260301~DTP*368*D8*20260302~CAT*AE*TX~EFI*05~"
ODD = "a~b*c:d^e\r\nISA*00*x~SE*1*1~GE*1*1~"


def attached(data: str, kind: str = "BIN", length: int | None = None, encoding: str = "utf-8") -> str:
    size = len(data.encode(encoding)) if length is None else length
    binary = f"BIN*{size}*{data}~" if kind == "BIN" else f"BDS*B64*{size}*{data}~"
    body = f"{HEAD}{PARTIES}{DETAIL}{binary}"
    segments = 1 + body.count("~", body.index("ST*"), body.index(kind)) + 1
    return f"{ISA}{body}SE*{segments}*0001~GE*1*1~IEA*1*000000001~"


def found(text: str | bytes, path: str) -> list[str | None]:
    return [one.text for one in select_all(parse_path(path), tokenize(text))]


@pytest.mark.parametrize("data", [ODD, "", "~", "~~~", "plain", "\u00e9\u20ac~\U0001f600"])
@pytest.mark.parametrize(("kind", "path"), [("BIN", "BIN02"), ("BDS", "BDS03")])
def test_data_is_whatever_the_length_covers(data: str, kind: str, path: str) -> None:
    text = attached(data, kind)
    for written in (text, text.encode()):
        document = tokenize(written)
        assert document.findings == ()
        assert found(written, path) == [data]
    assert render(tokenize(text)) == text


def test_old_bytes_are_counted_as_bytes() -> None:
    text = attached("\u00e9~\u00e9", encoding="latin-1").encode("latin-1")
    assert found(text, "BIN02") == ["\u00e9~\u00e9"]


@pytest.mark.parametrize("length", [0, 3, 500, 999_999_999])
def test_a_length_that_is_wrong_is_a_finding_and_the_rest_is_read(length: int) -> None:
    text = attached("four", length=length)
    document = tokenize(text)
    assert [one.message for one in document.findings] == ["the length in BIN is not that of its data"]
    assert document.findings[0].kind is X12Mistake.COUNT
    assert found(text, "BIN02") == ["four"]
    assert found(text, "IEA01") == ["1"]


def test_a_file_that_ends_in_the_data() -> None:
    text = attached("x" * 50)
    cut = tokenize(text[: text.index("xxx") + 10])
    assert {one.kind for one in cut.findings} >= {X12Mistake.COUNT, X12Mistake.UNTERMINATED}


@pytest.mark.parametrize("kind", ["BIN", "BDS"])
def test_several_in_one_file_and_several_files(kind: str) -> None:
    one = attached(ODD, kind)
    document = tokenize(one + "\n" + attached("second", kind))
    assert (len(document.interchanges), document.findings) == (2, ())


@given(st.text("~*:^\r\nISAGEBIN0123 \u00e9", max_size=40), st.sampled_from(["BIN", "BDS"]))
def test_any_data_comes_back(data: str, kind: str) -> None:
    text = attached(data, kind)
    assert found(text, "BIN02" if kind == "BIN" else "BDS03") == [data]
    assert tokenize(text).findings == ()


def test_the_loops_of_an_attachment() -> None:
    [placed] = place_sets(tokenize(attached("data")))
    assert placed.findings == ()
    loops = {one.segment.id: one.loop.path[1:] for one in placed.segments}
    assert loops["BIN"] == ("2000A", "2100B", "2110B")
    assert loops["CAT"] == ("2000A", "2100B")
    assert [one.loop.id for one in placed.by_id["NM1"]] == ["1000A", "1000B", "1000C", "1000D"]
    assert [one.loop.id for one in placed.by_id["DTP"]] == ["2100A", "2100B"]


@pytest.mark.parametrize("first", ["", "\u00e9"])
def test_very_many_lengths_that_are_wrong_are_no_work(first: str) -> None:
    """Each would cost as much as it says, if all of it were looked at."""
    text = f"{ISA}GS*PI*{first}~" + "BIN*7000000*~" * 10_000
    assert tokenize(text).interchanges[0].segments[-1].id == "BIN"
