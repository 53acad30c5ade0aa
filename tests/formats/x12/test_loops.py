"""Which loop a segment belongs to."""

import pytest

from assay.formats.x12.guides import GUIDES, Guide
from assay.formats.x12.model import X12Mistake
from tests.formats.x12.messages import SAMPLES, loops, message, only_set, sample, where, written

HEAD_271 = ("BHT*0022*11", "HL*1**20*1", "NM1*PR*2", "HL*2*1*21*1", "NM1*1P*2")

# No reader that could be asked has these tables, so they are written out.
SERVICES_REVIEW = {
    "services-review-request.278": """
        SET: ST BHT
        2000A: HL  2010A: NM1
        2000B: HL  2010B: NM1 REF N3 N4 PER PRV
        2000C: HL  2010C: NM1 DMG
        2000D: HL  2010D: NM1 DMG INS
        2000E: HL TRN UM DTP HI HSD CRC PWK MSG
        2010EA: NM1 REF PRV  2010EB: NM1 N3 N4
        2000F: HL TRN UM DTP SV1 HSD  2010F: NM1 N3 N4
        SET: SE""",
    "services-review-response.278": """
        SET: ST BHT
        2000A: HL  2010A: NM1 PER
        2000B: HL  2010B: NM1
        2000C: HL  2010C: NM1 DMG
        2000E: HL TRN UM HCR DTP HI HSD MSG
        2010EA: NM1 AAA  2010EB: NM1 N3 PER  2010EC: NM1 N3 N4
        2000F: HL TRN HCR SV1  2010FA: NM1  2010FB: NM1 PER
        SET: SE""",
}


def expand(text: str) -> list[str]:
    found, loop = [], ""
    for word in text.split():
        if word.endswith(":"):
            loop = word
        else:
            found.append(loop + word)
    return found


@pytest.mark.parametrize("name", SERVICES_REVIEW)
def test_services_review(name: str) -> None:
    assert loops(sample(name)) == expand(SERVICES_REVIEW[name])


@pytest.mark.parametrize("name", SAMPLES)
def test_every_segment_of_every_sample_has_a_loop(name: str) -> None:
    found = sample(name)
    assert found.findings == ()
    assert found.guide is not None
    assert len(found.segments) == len(found.set.segments)


@pytest.mark.parametrize(
    ("name", "version", "segments", "guide"),
    [
        ("270", None, (), "270"),
        ("271", None, (), "271"),
        ("276", None, (), "276"),
        ("277", "005010X212", ("BHT*0010*08",), "277"),
        ("277", "005010X214", ("BHT*0085*08",), "277CA"),
        ("277", "005010X214E2", (), "277CA"),
        ("277", "005010", ("BHT*0085*08",), "277CA"),
        ("277", "", ("BHT*0010*08",), "277"),
        ("278", None, ("BHT*0007*13",), "278 request"),
        ("278", None, ("BHT*0007*11",), "278 response"),
        ("278", None, ("BHT*0007*01",), "278 request"),
        ("278", None, (), "278 request"),
        ("835", None, (), "835"),
        ("997", None, (), "997"),
        ("999", None, (), "999"),
        ("850", None, (), None),
    ],
)
def test_the_table_that_a_set_is_read_by(
    name: str, version: str | None, segments: tuple[str, ...], guide: str | None
) -> None:
    found = only_set(message(name, *segments, version=version)).guide
    assert (found.name if found else None) == guide


@pytest.mark.parametrize(
    ("name", "version", "kind"),
    [
        ("271", "005010X279", None),
        ("271", "005010X279A1", None),
        ("271", "", None),
        ("271", "004010X092A1", X12Mistake.VERSION),
        ("997", "005010", None),
        ("997", "004010", X12Mistake.VERSION),
        ("837", "005010X222A1", None),
        ("834", "005010X220A1", X12Mistake.NO_LOOP_TABLE),
    ],
)
def test_a_version_that_the_table_is_not_of_is_a_finding(name: str, version: str, kind: X12Mistake | None) -> None:
    findings = only_set(message(name, version=version)).findings
    assert [where(finding) for finding in findings] == ([(kind, 1, 1, 1)] if kind else [])


def test_without_a_table_every_segment_is_in_the_set_itself() -> None:
    found = only_set(message("850", "BEG*00", "HL*1**S", "PO1*1"))
    assert loops(found) == ["SET:ST", "SET:BEG", "SET:HL", "SET:PO1", "SET:SE"]


def test_levels_stand_in_what_they_name() -> None:
    """The second dependent belongs to the first subscriber, though another subscriber stands between."""
    found = only_set(
        message(
            "271", *HEAD_271, "HL*3*2*22*1", "NM1*IL*1*A", "HL*4*2*22*1", "NM1*IL*1*B", "HL*5*3*23*0", "NM1*03*1*C"
        )
    )
    assert found.findings == ()
    dependent = found.segments[-2].loop
    assert dependent.path == ("SET", "2000A", "2000B", "2000C", "2000D", "2100D")
    assert dependent.parent is not None
    subscriber = dependent.parent.parent
    names = [written(one.segment) for one in found.segments if one.loop.parent is subscriber]
    assert names == ["NM1*IL*1*A", "HL*5*3*23*0"]


@pytest.mark.parametrize(
    ("level", "expected", "problem"),
    [
        ("HL*4*9*23*0", "2000D", "HL02 is '9', which does not exist; 2000D belongs in 2000C"),
        ("HL*4**23*0", "2000D", "HL02 is '', which is a SET; 2000D belongs in 2000C"),
        ("HL*4*2*23*0", "2000D", "HL02 is '2', which is a 2000B; 2000D belongs in 2000C"),
        ("HL*4*4*23*0", "2000D", "HL02 is '4', which does not exist"),
        ("HL*3*3*23*0", "2000D", "HL01 is '3'; it must be a number that no other HL has"),
        ("HL**3*23*0", "2000D", "HL01 is ''; it must be a number that no other HL has"),
        ("HL*4*3*99*0", "2100C", "HL03 is '99'; a 271 has 20, 21, 22, 23"),
        ("HL", "2100C", "HL03 is ''; a 271 has"),
    ],
)
def test_a_level_that_is_wrong_is_a_finding_and_still_has_a_place(level: str, expected: str, problem: str) -> None:
    found = only_set(message("271", *HEAD_271, "HL*3*2*22*1", "NM1*IL*1*A", level))
    assert found.segments[-2].loop.id == expected
    assert found.segments[-2].loop.path[:4] == ("SET", "2000A", "2000B", "2000C")
    assert [where(finding) for finding in found.findings] == [(X12Mistake.HIERARCHY, 1, 1, 9)]
    assert problem in found.findings[0].message


def test_a_level_with_nothing_to_stand_in_begins_in_the_set() -> None:
    found = only_set(message("271", "HL*1**23*0", "NM1*03*1*A"))
    assert loops(found) == ["SET:ST", "2000D:HL", "2100D:NM1", "SET:SE"]
    assert [finding.kind for finding in found.findings] == [X12Mistake.HIERARCHY]


@pytest.mark.parametrize(
    ("name", "segments", "expected", "misfits"),
    [
        ("271", (*HEAD_271, "HL*3*2*22*0", "NM1*IL", "EB*1", "N3*A"), "2110C:N3", 1),
        ("271", (*HEAD_271, "HL*3*2*22*0", "NM1*IL", "ZZZ*1"), "2100C:ZZZ", 1),
        ("271", (*HEAD_271, "HL*3*2*22*0", "NM1*03"), "2000C:NM1", 1),
        ("271", (*HEAD_271, "HL*3*2*22*0", "NM1"), "2000C:NM1", 1),
        ("271", (*HEAD_271, "HL*3*2*22*1", "NM1*IL", "HL*4*3*23*0", "NM1*IL"), "2000D:NM1", 1),
        ("271", (*HEAD_271, "HL*3*2*22*0", "NM1*IL", "EB*1", "NM1*P3", "LE*2120"), "2110C:LE", 0),
        ("271", (*HEAD_271, "HL*3*2*22*0", "NM1*IL", "EB*1", "III*ZZ", "DTP*1"), "2115C:DTP", 1),
        ("271", (*HEAD_271, "BHT*0022"), "2100B:BHT", 1),
        ("270", ("HL*1**20", "HL*2*1*21", "HL*3*2*22", "NM1*IL", "III*ZZ", "DTP*1"), "2110C:DTP", 0),
        ("270", ("HL*1**20", "HL*2*1*21", "HL*3*2*22", "NM1*IL", "EQ*30", "III*ZZ"), "2110C:III", 0),
        ("835", ("LX*1", "CLP*1", "SVC*1", "CLP*2", "CAS*CO"), "2100:CAS", 0),
        ("835", ("LX*1", "CLP*1", "SVC*1", "CAS*CO"), "2110:CAS", 0),
        ("835", ("LX*1", "CLP*1", "SVC*1", "NM1*QC"), "2110:NM1", 1),
        ("835", ("LX*1", "CLP*1", "SVC*1", "PLB*1"), "SET:PLB", 0),
        ("835", ("LX*1", "CLP*1", "SVC*1", "LX*2", "TS3*1"), "2000:TS3", 0),
        ("835", ("N1*PR", "REF*2U", "N1*PE", "REF*PQ"), "1000B:REF", 0),
        ("835", ("N1*XX",), "SET:N1", 1),
        ("835", ("CLP*1",), "SET:CLP", 1),
        ("835", ("HL*1**20",), "SET:HL", 1),
        ("999", ("AK1*HS", "AK2*270", "IK3*NM1", "IK4*1", "IK5*R"), "2000:IK5", 0),
        ("999", ("AK1*HS", "AK2*270", "IK3*NM1", "IK4*1", "AK9*R"), "SET:AK9", 0),
        ("999", ("AK1*HS", "IK5*R"), "SET:IK5", 1),
        ("997", ("AK1*HS", "AK2*270", "AK3*NM1", "AK4*1", "AK5*R"), "AK2:AK5", 0),
        ("997", ("AK1*HS", "AK2*270", "AK3*NM1", "AK5*R", "AK2*270"), "AK2:AK2", 0),
        ("277", ("HL*1**20", "HL*2*1*21", "HL*3*2*19", "HL*4*3*22", "TRN*2", "SVC*1", "STC*1"), "2220D:STC", 0),
        ("277", ("HL*1**20", "HL*2*1*21", "HL*3*2*19", "HL*4*3*22", "TRN*2", "SVC*1", "TRN*2"), "2200D:TRN", 0),
    ],
)
def test_where_the_last_segment_belongs(name: str, segments: tuple[str, ...], expected: str, misfits: int) -> None:
    found = only_set(message(name, *segments))
    assert loops(found)[-2] == expected
    kinds = [finding.kind for finding in found.findings]
    assert kinds == [X12Mistake.UNPLACED_SEGMENT] * misfits


def test_a_misfit_says_where_it_stands() -> None:
    found = only_set(message("835", "LX*1", "CLP*1", "EB*1"))
    assert [where(finding) for finding in found.findings] == [(X12Mistake.UNPLACED_SEGMENT, 1, 1, 4)]
    assert found.findings[0].message == "'EB' has no place in loop 2100"


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_tables_are_whole(guide: Guide) -> None:
    for loop in guide.loops.values():
        assert all(parent in guide.loops for parent in loop.parents)
        assert loop.parents or loop.id == "SET"
        assert all(begin.codes for begin in loop.begins if begin.segment == "HL")


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_of_two_loops_that_a_segment_may_begin_only_one_takes_all(guide: Guide) -> None:
    for entries in guide.children.values():
        codes = [code for begin, _ in entries for code in begin.codes]
        assert len(codes) == len(set(codes))
        assert sum(not begin.codes for begin, _ in entries) <= 1
