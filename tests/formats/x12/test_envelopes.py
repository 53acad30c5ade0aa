"""Interchanges, groups and transaction sets, and what is said of wrong ones."""

import pytest

from assay.formats.x12.model import X12Finding, X12Mistake
from assay.formats.x12.tokenize import tokenize
from tests.formats.x12.messages import SAMPLES, isa, kinds, message, where

GS = "GS*HB*A*B*20240101*1200*1*X*005010X279A1~"
ST = "ST*271*0001~BHT*0022*11~"
END = "SE*3*0001~GE*1*1~IEA*1*000000001~"
RIGHT = isa() + GS + ST + END


def finding(text: str) -> X12Finding:
    (only,) = tokenize(text).findings
    return only


def test_a_right_file_has_no_findings() -> None:
    document = tokenize(RIGHT)
    (interchange,) = document.interchanges
    (group,) = interchange.groups
    (one,) = group.sets
    assert document.findings == ()
    assert [segment.id for segment in one.segments] == ["ST", "BHT", "SE"]
    assert (interchange.header.id, group.header and group.header.id) == ("ISA", "GS")
    assert [part and part.id for part in (one.trailer, group.trailer, interchange.trailer)] == ["SE", "GE", "IEA"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("SE*3*0001", "SE*3*0002", (X12Mistake.CONTROL_NUMBER, 1, 1, 3), "ST02 is '0001', but SE02 is '0002'"),
        ("SE*3*0001", "SE*3*1", (X12Mistake.CONTROL_NUMBER, 1, 1, 3), "ST02 is '0001', but SE02 is '1'"),
        ("SE*3*0001", "SE*3", (X12Mistake.CONTROL_NUMBER, 1, 1, 3), "ST02 is '0001', but SE02 is ''"),
        ("GE*1*1", "GE*1*7", (X12Mistake.CONTROL_NUMBER, 1, None, 6), "GS06 is '1', but GE02 is '7'"),
        (
            "*000000001~",
            "*000000002~",
            (X12Mistake.CONTROL_NUMBER, 1, None, 7),
            "ISA13 is '000000001', but IEA02 is",
        ),
        (
            "*000000001~",
            "*ONE~",
            (X12Mistake.CONTROL_NUMBER, 1, None, 7),
            "ISA13 is '000000001', but IEA02 is 'ONE'",
        ),
        ("SE*3", "SE*4", (X12Mistake.COUNT, 1, 1, 3), "SE01 is 4, but the number of segments from ST to SE is 3"),
        ("SE*3", "SE*", (X12Mistake.COUNT, 1, 1, 3), "SE01 is ''; it must be the number of segments"),
        ("SE*3", "SE*III", (X12Mistake.COUNT, 1, 1, 3), "SE01 is 'III'; it must be"),
        ("SE*3", f"SE*{'9' * 5000}", (X12Mistake.COUNT, 1, 1, 3), "SE01 is '99999999999999999999…'; it must be"),
        ("SE*3", "SE*³", (X12Mistake.COUNT, 1, 1, 3), "SE01 is '³'; it must be"),
        ("GE*1", "GE*2", (X12Mistake.COUNT, 1, None, 6), "GE01 is 2, but the number of transaction sets is 1"),
        ("IEA*1", "IEA*0", (X12Mistake.COUNT, 1, None, 7), "IEA01 is 0, but the number of functional groups is 1"),
        ("SE*3*0001~", "", (X12Mistake.MISSING_TRAILER, 1, 1, 2), "the transaction set '0001' has no SE"),
        ("GE*1*1~", "", (X12Mistake.MISSING_TRAILER, 1, None, 2), "the group '1' has no GE"),
        ("IEA*1*000000001~", "", (X12Mistake.MISSING_TRAILER, 1, None, None), "the interchange has no IEA"),
        ("ST*271*0001~BHT*0022*11~SE*3*0001~", "", (X12Mistake.COUNT, 1, None, 3), "GE01 is 1, but"),
        (
            "ST*271*0001~",
            "ST*271*0001*005010X212~",
            (X12Mistake.VERSION, 1, 1, 1),
            "ST03 is '005010X212', but GS08 is",
        ),
        ("BHT*", "bht*", (X12Mistake.SEGMENT_ID, 1, 1, 2), "'bht' is not a segment name"),
        ("BHT*", "BENEFIT*", (X12Mistake.SEGMENT_ID, 1, 1, 2), "'BEN…' is not a segment name"),
        ("GS*HB", "LX*1~GS*HB", (X12Mistake.STRAY_SEGMENT, 1, None, 2), "'LX' is outside any transaction set"),
        ("GE*1*1~", "GE*1*1~NM1*IL~", (X12Mistake.STRAY_SEGMENT, 1, None, 7), "'NM1' is outside any"),
        (
            "IEA*1*000000001~",
            "IEA*1*000000001~junk",
            (X12Mistake.JUNK, 1, None, 8),
            "after the end of the interchange",
        ),
    ],
)
def test_what_is_wrong_is_a_finding(old: str, new: str, place: tuple[object, ...], message: str) -> None:
    assert RIGHT.count(old) == 1 or old == "*000000001~"
    head, found, tail = RIGHT.rpartition(old)
    findings = [one for one in tokenize(head + new + tail).findings if one.kind is not X12Mistake.UNTERMINATED]
    assert found
    assert [where(one) for one in findings] == [place]
    assert message in findings[0].message


@pytest.mark.parametrize(
    ("old", "new"),
    [("GE*1*1", "GE*01*0001"), ("IEA*1*000000001", "IEA*1*1"), ("SE*3*", "SE*0003*"), ("GE*1*1~", "GE*1*1 ~")],
)
def test_leading_zeros_of_numbers_make_no_difference(old: str, new: str) -> None:
    assert tokenize(RIGHT.replace(old, new)).findings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (isa() + ST + "SE*3*0001~IEA*0*000000001~", [X12Mistake.MISSING_HEADER]),
        (isa() + GS + "SE*3*0001~GE*0*1~IEA*1*000000001~", [X12Mistake.MISSING_HEADER]),
        (isa() + "GE*0*1~IEA*0*000000001~", [X12Mistake.MISSING_HEADER]),
        (
            isa() + GS + ST + ST + END,
            [X12Mistake.MISSING_TRAILER, X12Mistake.DUPLICATE_CONTROL_NUMBER, X12Mistake.COUNT],
        ),
        (
            isa() + GS + GS + ST + END,
            [X12Mistake.MISSING_TRAILER, X12Mistake.DUPLICATE_CONTROL_NUMBER, X12Mistake.COUNT],
        ),
        (isa() + GS + ST, [X12Mistake.MISSING_TRAILER] * 3),
        (isa() + GS + ST + "~~" + END, [X12Mistake.EMPTY_SEGMENT] * 2 + [X12Mistake.COUNT]),
        (isa() + "TA1*000000001*240101*1200*A*000~IEA*0*000000001~", []),
        (isa() + GS + "TA1*1~" + ST + END, [X12Mistake.STRAY_SEGMENT]),
        (RIGHT[:-1], [X12Mistake.UNTERMINATED]),
        ("From: a@b.c\n\n" + RIGHT, [X12Mistake.JUNK]),
        ("\ufeff \r\n" + RIGHT, []),
        (RIGHT + "\r\n \n", []),
        (RIGHT.replace("BHT*0022", "BHT*00\n22"), [X12Mistake.LINE_BREAK]),
    ],
    ids=[
        "no GS",
        "SE without ST",
        "GE without GS",
        "ST twice",
        "GS twice",
        "no trailers",
        "empty segments",
        "TA1 alone",
        "TA1 in a group",
        "no last terminator",
        "junk before",
        "white space before",
        "white space behind",
        "a line break in a segment",
    ],
)
def test_kinds_of_wrong_envelopes(text: str, expected: list[X12Mistake]) -> None:
    assert kinds(tokenize(text)) == expected


def test_sets_outside_of_groups_are_kept() -> None:
    (interchange,) = tokenize(isa() + ST + "SE*3*0001~ST*271*0002~SE*2*0002~IEA*0*000000001~").interchanges
    (group,) = interchange.groups
    assert group.header is None
    assert [one.header.text(2) for one in group.sets] == ["0001", "0002"]


def test_interchange_acknowledgments_stand_beside_groups() -> None:
    (interchange,) = tokenize(SAMPLES["implementation-acknowledgment.999"].read_bytes()).interchanges
    assert [segment.elements[0] for segment in interchange.acknowledgments] == ["000000011"]


@pytest.mark.parametrize("between", ["", "\n", "\r\n\r\n", "~"])
def test_several_interchanges_each_with_its_own_separators(between: str) -> None:
    other = message("835", "BPR*I*5").translate(str.maketrans("*:~^", "|>'%"))
    document = tokenize(RIGHT + between + other + RIGHT)
    assert [one.separators.element for one in document.interchanges] == ["*", "|", "*"]
    assert [one.groups[0].sets[0].header.text(1) for one in document.interchanges] == ["271", "835", "271"]
    assert [one.number for one in document.interchanges] == [1, 2, 3]


def test_the_next_interchange_begins_even_where_the_last_was_cut_off() -> None:
    document = tokenize(isa() + GS + "ST*271*0001\n" + RIGHT)
    assert len(document.interchanges) == 2
    assert document.interchanges[1].groups[0].sets[0].header.text(1) == "271"
    assert {one.interchange for one in document.findings} == {1}


def test_a_first_interchange_with_a_wrong_header_is_not_taken_for_junk() -> None:
    unpadded = "ISA*00**00**ZZ*A*ZZ*B*240101*1200*^*00501*000000001*0*T*:~" + GS + ST + END
    assert len(tokenize(f"\n{unpadded}{RIGHT}").interchanges) == 2
    assert len(tokenize(f"Dear payer, our ISA*00* follows:\n{RIGHT}").interchanges) == 1


@pytest.mark.parametrize("cut", ["ISA*00*~", "ISA*00*\n", "ISA*00**00*\n", "ISA*00**00**ZZ*A*ZZ*B*240101~\n"])
def test_a_header_that_was_cut_off_takes_nothing_from_what_follows(cut: str) -> None:
    first, second = tokenize(cut + RIGHT).interchanges
    assert [segment.id for segment in first.segments] == ["ISA"]
    assert [one.header.text(1) for one in second.groups[0].sets] == ["271"]
    (only,) = tokenize(cut + (ST + "SE*3*0001~").replace("~", cut[-1] if cut[-2] != "~" else "~")).interchanges
    assert [segment.id for segment in only.segments] == ["ISA", "ST", "BHT", "SE"]


def test_a_header_inside_an_element_begins_nothing() -> None:
    hidden = isa().translate(str.maketrans("*~", "|'"))
    document = tokenize(message("271", f"MSG*see {hidden}ST|999'", "NM1*IL"))
    assert len(document.interchanges) == 1
    assert [one.id for one in document.interchanges[0].groups[0].sets[0].segments] == ["ST", "MSG", "NM1", "SE"]


def test_several_groups_and_sets_are_numbered_through_the_interchange() -> None:
    second = GS.replace("*1*X", "*2*X") + "ST*271*0001~SE*2*0001~ST*271*0002~SE*2*0002~GE*2*2~"
    document = tokenize(isa() + GS + ST + "SE*3*0001~GE*1*1~" + second + "IEA*2*000000001~")
    assert document.findings == ()
    assert [one.number for group in document.interchanges[0].groups for one in group.sets] == [1, 2, 3]


def test_of_many_findings_of_a_kind_the_first_are_kept_and_the_others_counted() -> None:
    findings = tokenize(isa() + GS + ST + "~" * 500 + END).findings
    empty = [one.message for one in findings if one.kind is X12Mistake.EMPTY_SEGMENT]
    assert len(empty) == 21
    assert empty[-1] == "and 480 more like the 20 above"


def test_bytes_that_are_not_utf_8_are_read_as_latin_1() -> None:
    document = tokenize(message("271", "NM1*IL*1*MÜLLER").encode("latin-1"))
    assert kinds(document) == [X12Mistake.ENCODING]
    assert document.interchanges[0].groups[0].sets[0].segments[1].element(3) == "MÜLLER"


def test_bytes_in_utf_8() -> None:
    document = tokenize(message("271", "NM1*IL*1*MÜLLER").encode())
    assert document.findings == ()
    assert document.interchanges[0].groups[0].sets[0].segments[1].element(3) == "MÜLLER"


def test_no_message_quotes_a_field() -> None:
    text = message("271", "NM1*IL*1*SECRET", "SECRET*SECRET", "SECRET").replace("~SE*", "~SECRETSECRET~SE*")
    assert all("SECRET" not in one.message for one in tokenize(f"SECRET{text}SECRET").findings)
