"""What a path finds."""

import pytest

from assay.formats.x12.loops import place_sets
from assay.formats.x12.path import parse_path
from assay.formats.x12.select import X12Place, X12Value, select, select_all
from assay.formats.x12.tokenize import tokenize
from tests.formats.x12.messages import isa, message, only_set, sample

MEMBERS = "several-members.271"
CLAIMS = "managed-care.835"


def texts(path: str, name: str) -> list[str | None]:
    return [found.text for found in select(parse_path(path), sample(name))]


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("2110D/EB[01=B]07", "dependent-health-benefit-check.271", ["10.00", "30.00"]),
        ("2110C/EB[01=B]07", "subscriber-health-benefit-check.271", ["10.00", "30.00"]),
        ("2110C/EB[01=B]-7", "subscriber-health-benefit-check.271", ["10.00", "30.00"]),
        ("2110C/EB[01=B][12=N]07", "subscriber-health-benefit-check.271", ["30.00"]),
        ("2110C/EB[03=MH]01", "subscriber-health-benefit-check.271", ["1", "B", "B"]),
        ("2110C/EB[3]03[2]", "subscriber-health-benefit-check.271", ["33"]),
        ("EB.1", "subscriber-health-benefit-check.271", ["1", "L", "1", "B", "B"]),
        ("EB[2]", "subscriber-health-benefit-check.271", ["EB*L"]),
        ("2100C/NM1[01=IL][08=MI]09", "subscriber-health-benefit-check.271", ["123456789"]),
        ("NM1[01=IL]03", "subscriber-health-benefit-check.271", ["SMITH"]),
        ("AAA03", "subscriber-health-benefit-check-error.271", ["50"]),
        ("STC01-1", "claim-level-status.277", ["P3", "F0", "F2", "F2"]),
        ("2200D/STC01-2", "claim-level-status.277", ["317", "3"]),
        ("2200D/STC[01-1=P3]04", "claim-level-status.277", ["8513.88"]),
        ("STC01-4", "claim-level-status-ncpdp.277", ["RX"]),
        ("STC01-3", "claim-level-status-ncpdp.277", [""]),
        ("STC01-5", "claim-level-status-ncpdp.277", [None]),
        ("CLP[2]04", CLAIMS, ["495.00"]),
        ("CLP[*]04", CLAIMS, ["450.00", "495.00"]),
        ("CLP04", CLAIMS, ["450.00", "495.00"]),
        ("CLP[3]04", CLAIMS, []),
        ("CLP[01=8765432112]05", CLAIMS, ["600.00"]),
        ("2100/CAS03", CLAIMS, ["50.00", "55.00"]),
        ("2110/CAS03", CLAIMS, ["300.00", "600.00", "50.00"]),
        ("2100[2]/2110/CAS03", CLAIMS, ["600.00", "50.00"]),
        ("2100[2]/2110/CAS[2]03", CLAIMS, ["50.00"]),
        ("2110[2]/SVC01-2", CLAIMS, ["93555"]),
        ("2100[3]/CLP01", CLAIMS, []),
        ("SET/TRN02", CLAIMS, ["7170066655"]),
        ("2000/TRN02", CLAIMS, []),
        ("PLB03-1", "medicare-part-a.835", ["CV"]),
        ("2000C/2100C/2110C/EB01", MEMBERS, ["1", "C", "A"]),
        ("2000C/EB01", MEMBERS, []),
        ("2000C/2110C/EB01", MEMBERS, ["1", "C", "A"]),
        ("2110C/2000C/EB01", MEMBERS, []),
        ("2000D/*/EB01", MEMBERS, ["1", "B"]),
        ("*/EB01", MEMBERS, ["1", "C", "A", "1", "B"]),
        ("2000C[2]/2000D/2100D/NM104", MEMBERS, ["LIV", "OLE"]),
        ("2000C[2]/2000D[2]/2100D/NM104", MEMBERS, ["OLE"]),
        ("2000C[1]/2100D/NM104", MEMBERS, []),
        ("2000C[2]/*/EB01", MEMBERS, ["1", "B"]),
        ("2120C/NM1[2]01", MEMBERS, ["VN"]),
        ("2120C[2]/NM101", MEMBERS, ["VN"]),
        ("2115C/III02", MEMBERS, ["11", "22"]),
        ("2110C/REF02", MEMBERS, ["PLAN-2"]),
        ("2100C/REF02", MEMBERS, ["GROUP-8"]),
        ("HL[03=23]02", MEMBERS, ["4", "4"]),
        ("2000C/TRN02", MEMBERS, ["TRACE-1"]),
        ("2000E/HCR02", "services-review-response.278", ["AUTH778812"]),
        ("2000F/HCR02", "services-review-response.278", [""]),
        ("2000E/HI01-2", "services-review-request.278", ["J4520"]),
        ("2000D/2000E/UM02", "services-review-request.278", ["I"]),
        ("2000C/2000E/UM02", "services-review-response.278", ["I"]),
        ("AK2/AK3/AK403", "functional-acknowledgment.997", ["1", "7"]),
        ("AK2[2]/AK501", "functional-acknowledgment.997", ["R"]),
        ("2000/2100/2110/IK403", "implementation-acknowledgment.999", ["I9", "1"]),
        ("2000[2]/IK501", "implementation-acknowledgment.999", ["R"]),
        ("TA104", "implementation-acknowledgment.999", ["A"]),
        ("ISA06", MEMBERS, ["PAYER"]),
        ("ISA02", MEMBERS, [""]),
        ("ISA11", MEMBERS, ["^"]),
        ("ISA16", MEMBERS, [":"]),
        ("ISA17", MEMBERS, [None]),
        ("ISA[06=PAYER]13", MEMBERS, ["000000017"]),
        ("GS08", MEMBERS, ["005010X279A1"]),
        ("GE01", MEMBERS, ["1"]),
        ("IEA02", MEMBERS, ["000000017"]),
        ("ST01", MEMBERS, ["271"]),
        ("SE01", MEMBERS, ["45"]),
        ("TA101", MEMBERS, []),
        ("ZZZ01", MEMBERS, []),
    ],
)
def test_values(path: str, name: str, expected: list[str | None]) -> None:
    assert texts(path, name) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("REF01", ["A", ""]),
        ("REF02", ["", None]),
        ("REF03", [None, None]),
        ("REF02-1", ["", None]),
        ("REF02-2", [None, None]),
        ("REF[02=]01", ["A"]),
        ("NM103", [""]),
        ("NM104", [""]),
        ("NM105", [None]),
        ("DTP01", [None]),
        ("SVC01-1", ["HC"]),
        ("SVC01-2", [""]),
        ("SVC01-3", ["26"]),
        ("SVC02", ["1", "", "2"]),
        ("SVC02[3]", ["2"]),
        ("SVC02[4]", [None]),
        ("SVC03-2", ["b", None, "d"]),
    ],
)
def test_an_empty_element_is_not_one_that_is_not_there(path: str, expected: list[str | None]) -> None:
    found = only_set(message("850", "REF*A*", "REF*", "NM1*IL*1**", "DTP", "SVC*HC::26*1^^2*a:b^c^:d"))
    assert [one.text for one in select(parse_path(path), found)] == expected


def test_every_value_says_where_it_stands() -> None:
    found = select(parse_path("2110C/EB[01=B]03[2]"), sample("subscriber-health-benefit-check.271"))
    loop = ("2000A", "2000B", "2000C", "2100C", "2110C")
    assert found == [
        X12Value("33", X12Place(1, 1, loop, 20, 3, None, 2)),
        X12Value("33", X12Place(1, 1, loop, 21, 3, None, 2)),
    ]


def test_places_outside_of_sets_count_from_the_header() -> None:
    (found,) = select(parse_path("GS06"), sample(MEMBERS))
    assert found.place == X12Place(1, None, (), 2, 6, None, 1)


def test_all_sets_and_all_envelopes_of_a_document() -> None:
    text = message("271", "BHT*0022*11*ONE") + message("835", "BPR*I*TWO").translate(str.maketrans("*~:^", "|'>%"))
    document = tokenize(text)

    def found(path: str) -> list[tuple[str | None, int, int | None]]:
        return [(one.text, one.place.interchange, one.place.set) for one in select_all(parse_path(path), document)]

    assert found("ST01") == [("271", 1, 1), ("835", 2, 1)]
    assert found("BPR02") == [("TWO", 2, 1)]
    assert found("GS01") == [("HB", 1, None), ("HP", 2, None)]
    assert found("IEA02") == [("000000001", 1, None), ("000000001", 2, None)]


def test_envelopes_of_a_document_without_any_set() -> None:
    document = tokenize(isa() + "TA1*000000007*240101*1200*R*006~IEA*0*000000001~")
    assert [one.text for one in select_all(parse_path("TA105"), document)] == ["006"]
    assert select_all(parse_path("ST01"), document) == []


def test_a_set_finds_only_its_own_envelopes() -> None:
    first = message("271", "BHT*0022")
    group = "GS*HP*C*D*20240101*1200*2*X*005010X221A1~ST*835*0001~SE*2*0001~GE*1*2~"
    text = first.replace("IEA*1", f"{group}IEA*2")
    one, two = place_sets(tokenize(text))
    assert [found.text for found in select(parse_path("GS01"), one)] == ["HB"]
    assert [found.text for found in select(parse_path("GS01"), two)] == ["HP"]
