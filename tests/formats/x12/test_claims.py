"""The loops of claims: professional, institutional and dental."""

import pytest

from assay.formats.x12.guides import GUIDES
from assay.formats.x12.loops import PlacedSet, place_sets
from assay.formats.x12.path import parse_path
from assay.formats.x12.select import select
from assay.formats.x12.tokenize import tokenize

PROFESSIONAL, INSTITUTIONAL, DENTAL = (guide for guide in GUIDES if guide.name.startswith("837"))

ISA = "ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"
PARTIES = (
    "BHT*0019*00*1*20260301*1200*CH~NM1*41*2*SENDER*****46*S~PER*IC*JO*TE*1~NM1*40*2*RECEIVER*****46*R~"
    "HL*1**20*1~PRV*BI*PXC*1~NM1*85*2*CLINIC*****XX*1~N3*STREET~N4*CITY*ST*1~REF*EI*2~NM1*87*2~N3*BOX~N4*CITY*ST*1~"
    "HL*2*1*22*1~SBR*P**G1******CI~NM1*IL*1*DOE*JANE****MI*M1~NM1*PR*2*PAYER*****PI*9~"
    "HL*3*2*23*0~PAT*19~NM1*QC*1*DOE*JIM~N3*STREET~N4*CITY*ST*1~DMG*D8*20100101*M~"
)
PRO = (
    "CLM*C1*100***11:B:1*Y*A*Y*Y~DTP*431*D8*20260220~REF*G1*AUTH~HI*ABK:J45~NM1*DN*1*REF*DOC~NM1*82*1*REN*DOC~"
    "PRV*PE*PXC*2~SBR*S*18*******CI~OI***Y***Y~NM1*IL*1*DOE*JANE~NM1*PR*2*OTHER*****PI*8~"
    "LX*1~SV1*HC:99213*60*UN*1***1~DTP*472*D8*20260301~NM1*82*1*LINE*DOC~SVD*8*50*HC:99213**1~CAS*PR*1*10~"
    "LX*2~SV1*HC:85025*40*UN*1***1~DTP*472*D8*20260301~LIN**N4*1~CTP****1*UN~"
)
INST = (
    "CLM*C1*100***11:A:1**A*Y*Y~DTP*434*RD8*20260301-20260302~CL1*1*7*30~HI*ABK:J45~NM1*71*1*ATT*DOC~PRV*AT*PXC*2~"
    "NM1*72*1*OP*DOC~SBR*S*18~AMT*D*5~OI***Y***Y~MIA*1~NM1*IL*1*DOE*JANE~LX*1~SV2*0300*HC:85025*100*UN*1~"
    "DTP*472*D8*20260301~NM1*72*1*LINE*DOC~"
)
DENT = (
    "CLM*C1*100***11:B:1*Y*A*Y*Y~DN1*36~DN2*3*M~NM1*82*1*REN*DOC~PRV*PE*PXC*2~LX*1~SV3*AD:D2150*100****1~"
    "TOO*JP*12*L:O~DTP*472*D8*20260301~NM1*DD*1*ASSIST*DOC~"
)


def claim(body: str, version: str) -> PlacedSet:
    text = f"{ISA}GS*HC*S*R*20260301*1200*1*X*{version}~ST*837*0001*{version}~{PARTIES}{body}"
    [placed] = place_sets(tokenize(f"{text}SE*9*0001~GE*1*1~IEA*1*000000001~"))
    return placed


def found(placed: PlacedSet, path: str) -> list[str | None]:
    return [one.text for one in select(parse_path(path), placed)]


@pytest.mark.parametrize(
    ("body", "version", "guide"),
    [
        (PRO, "005010X222A1", PROFESSIONAL),
        (INST, "005010X223A2", INSTITUTIONAL),
        (DENT, "005010X224A2", DENTAL),
        (PRO, "", PROFESSIONAL),
        (INST, "", INSTITUTIONAL),
        (DENT, "", DENTAL),
    ],
)
def test_every_segment_has_its_loop(body: str, version: str, guide: object) -> None:
    placed = claim(body, version)
    assert placed.guide is guide
    assert placed.findings == ()
    assert guide in GUIDES


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("1000A/NM103", ["SENDER"]),
        ("2010AA/NM103", ["CLINIC"]),
        ("2010AB/N301", ["BOX"]),
        ("2010BA/NM109", ["M1"]),
        ("2010CA/NM104", ["JIM"]),
        ("2300/CLM01", ["C1"]),
        ("2300/REF[01=G1]02", ["AUTH"]),
        ("2310A/NM104", ["DOC"]),
        ("2310B/NM103", ["REN"]),
        ("2310B/PRV03", ["2"]),
        ("2320/SBR01", ["S"]),
        ("2330B/NM103", ["OTHER"]),
        ("2400/SV102", ["60", "40"]),
        ("2420A/NM103", ["LINE"]),
        ("2430/SVD02", ["50"]),
        ("2430/CAS03", ["10"]),
        ("2410/LIN03", ["1"]),
        ("SV101-2", ["99213", "85025"]),
    ],
)
def test_paths_into_a_professional_claim(path: str, values: list[str]) -> None:
    assert found(claim(PRO, "005010X222A1"), path) == values


def test_paths_into_the_others() -> None:
    institutional, dental = claim(INST, "005010X223A2"), claim(DENT, "005010X224A2")
    assert found(institutional, "2310A/NM103") == ["ATT"]
    assert found(institutional, "2400/SV201") == ["0300"]
    assert found(institutional, "2420A/NM103") == ["LINE"]
    assert found(dental, "2400/SV301-2") == ["D2150"]
    assert found(dental, "2420B/NM103") == ["ASSIST"]
