"""HL7 messages and X12 responses of a usual size, with rules about their fields that hold."""

from datetime import UTC, datetime
from typing import Any

from assay.evidence.playground import Event

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
RESULTS = 12
BENEFITS = 10

_HEADER = (
    "MSH|^~\\&|LAB|NORTH^1.2.3^ISO|EHR|SOUTH|20260301120000+0000||ORU^R01^ORU_R01|M{n:06}|P|2.5.1|||AL|NE",
    "PID|1||MRN{n:06}^^^NORTH^MR~S{n:08}^^^SSA^SS||DOE{n}^JANE^Q^^DR.||19800517|F|||12 ELM ST^^PARIS^IL^61944",
    "PV1|1|O|CLINIC^ROOM 4^^NORTH||||1234567893^SMITH^ANNA^^^^MD||||||||||||V{n:06}",
    "ORC|RE|P{n:06}^EHR|F{n:06}^LAB||CM||||20260301113000",
    "OBR|1|P{n:06}^EHR|F{n:06}^LAB|24323-8^Metabolic panel^LN|||20260301110000||||||||1234567893^SMITH",
)
_RESULT = "OBX|{i}|NM|{code}-{i}^Analyte {i} \\T\\ more^LN||{value}|mg/dL^^UCUM|70-100|N|||F|||20260301113000"
_SET = (
    "ST*271*{n:04}*005010X279A1",
    "BHT*0022*11*T{n:06}*20260301*1200",
    "HL*1**20*1",
    "NM1*PR*2*ACME HEALTH*****PI*12345",
    "HL*2*1*21*1",
    "NM1*1P*2*NORTH CLINIC*****XX*1234567893",
    "HL*3*2*22*0",
    "TRN*2*TRACE{n:06}*9ACME",
    "NM1*IL*1*DOE{n}*JANE*Q***MI*MEM{n:06}",
    "N3*12 ELM ST",
    "N4*SPRINGFIELD*IL*62701",
    "DMG*D8*19800517*F",
    "DTP*346*D8*20260101",
)
_KINDS = ("1", "A", "B", "C", "G")


def hl7_event(n: int) -> Event:
    """A laboratory report."""
    results = (_RESULT.format(i=i, code=2000 + i, value=70 + (n + i) % 30) for i in range(1, RESULTS + 1))
    text = "\r".join([*(line.format(n=n) for line in _HEADER), *results, ""])
    return Event(f"hl7-{n}", "hl7_outbound", text.encode(), NOW)


def hl7_rules(n: int) -> list[dict[str, Any]]:
    """What holds for the report of that number: names, numbers, codes, dates and every result."""
    results = [
        {"path": f"OBX[3.1={2000 + i}-{i}]-5", "expected": str(70 + (n + i) % 30)} for i in range(1, RESULTS + 1)
    ]
    return [
        {"path": "PID-5.1", "expected": f"DOE{n}"},
        {"path": "PID.5.2", "expected": "JANE"},
        {"path": "PID-3[5=SS].1", "expected": f"S{n:08}"},
        {"path": "PID-7", "expected": "1980-05-17", "operator": "dateWithin", "tolerance": "1 day"},
        {"path": "PID-8", "expected": ["F", "M"], "operator": "in"},
        {"path": "PV1-19", "operator": "notEmpty"},
        {"path": "OBR-4.1", "expected": "24323-8"},
        {"path": "OBX[*]-5", "expected": [70, 100], "operator": "between", "match": "all"},
        {"path": "OBX[2]-3.2", "expected": "Analyte 2 & more"},
        {"path": "NTE-3", "operator": "notExists"},
        *results,
    ]


def x12_event(n: int) -> Event:
    """An answer about what a member is covered for."""
    lines = [line.format(n=n) for line in _SET]
    for i in range(BENEFITS):
        lines += [f"EB*{_KINDS[i % 5]}*IND*30^{i + 1}*HM*GOLD*27*{10 + i}", "REF*18*GRP1"]
    lines += [f"SE*{len(lines) + 1}*{n:04}", f"GE*1*{n}", f"IEA*1*{n:09}"]
    isa = f"ISA*00*          *00*          *ZZ*ACME           *ZZ*NORTH          *260301*1200*^*00501*{n:09}*0*P*:"
    text = "~".join([isa, f"GS*HB*ACME*NORTH*20260301*1200*{n}*X*005010X279A1", *lines, ""])
    return Event(f"x12-{n}", "x12", text.encode(), NOW)


def x12_rules(n: int) -> list[dict[str, Any]]:
    """What holds for the answer of that number."""
    benefits = [{"path": f"2110C/EB[03={i + 1}]07", "expected": str(10 + i)} for i in range(BENEFITS)]
    return [
        {"path": "2100C/NM1[01=IL]09", "expected": f"MEM{n:06}"},
        {"path": "NM1[01=PR]03", "expected": "ACME HEALTH"},
        {"path": "2000C/TRN02", "expected": f"TRACE{n:06}"},
        {"path": "2100C/DMG02", "expected": "1980-05-17", "operator": "dateWithin", "tolerance": "1 day"},
        {"path": "DTP[01=346]03", "expected": "20260101"},
        {"path": "2110C/EB[01=B]07", "expected": "12"},
        {"path": "EB03[1]", "expected": "30", "match": "all"},
        {"path": "ISA06", "expected": "ACME"},
        {"path": "2110C/AAA03", "operator": "notExists"},
        *benefits,
    ]
