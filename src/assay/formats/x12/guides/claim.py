"""Health care claims (837): professional (005010X222A1), institutional (X223A2) and dental (X224A2)."""

from typing import Final

from assay.formats.x12.guide import Guide, read_guide

_PARTIES: Final = """
    SET     -            ST                 BHT | SE
    1000A   SET          NM1[01=41]         PER
    1000B   SET          NM1[01=40]
    2000A   SET          HL[03=20]          PRV CUR
    2010AA  2000A        NM1[01=85]         N3 N4 REF PER
    2010AB  2000A        NM1[01=87]         N3 N4
    2010AC  2000A        NM1[01=PE]         N3 N4 REF
    2000B   2000A        HL[03=22]          SBR PAT
    2010BA  2000B        NM1[01=IL]         N3 N4 DMG REF PER
    2010BB  2000B        NM1[01=PR]         N3 N4 REF
    2000C   2000B        HL[03=23]          PAT
    2010CA  2000C        NM1[01=QC]         N3 N4 DMG REF PER
"""


def _guide(name: str, version: str, claim: str) -> Guide:
    """All three have the same parties around the claim."""
    return read_guide(name, version, f"{_PARTIES.rstrip()}\n{claim.strip()}")


PROFESSIONAL = _guide(
    "837P",
    "005010X222A1",
    """
    2300    2000B,2000C  CLM                DTP PWK CN1 AMT REF K3 NTE CR1 CR2 CRC HI HCP
    2310A   2300         NM1[01=DN,P3]      REF
    2310B   2300         NM1[01=82]         PRV REF
    2310C   2300         NM1[01=77]         N3 N4 REF PER
    2310D   2300         NM1[01=DQ]         REF
    2310E   2300         NM1[01=PW]         N3 N4
    2310F   2300         NM1[01=45]         N3 N4
    2320    2300         SBR                CAS AMT OI MOA
    2330A   2320         NM1[01=IL]         N3 N4 REF
    2330B   2320         NM1[01=PR]         N3 N4 DTP REF
    2330C   2320         NM1[01=DN,P3]      REF
    2330D   2320         NM1[01=82]         REF
    2330E   2320         NM1[01=77]         REF
    2330F   2320         NM1[01=DQ]         REF
    2330G   2320         NM1[01=85]         REF
    2400    2300         LX                 SV1 SV5 PWK CR1 CR3 CRC DTP QTY MEA CN1 REF AMT K3 NTE PS1 HCP
    2410    2400         LIN                CTP REF
    2420A   2400         NM1[01=82]         PRV REF
    2420B   2400         NM1[01=QB]         REF
    2420C   2400         NM1[01=77]         N3 N4 REF
    2420D   2400         NM1[01=DQ]         REF
    2420E   2400         NM1[01=DK]         N3 N4 REF PER
    2420F   2400         NM1[01=DN,P3]      REF
    2420G   2400         NM1[01=PW]         N3 N4
    2420H   2400         NM1[01=45]         N3 N4
    2430    2400         SVD                CAS DTP AMT
    2440    2400         LQ                 FRM
    """,
)

INSTITUTIONAL = _guide(
    "837I",
    "005010X223A2",
    """
    2300    2000B,2000C  CLM                DTP CL1 PWK CN1 AMT REF K3 NTE CRC HI HCP
    2310A   2300         NM1[01=71]         PRV REF
    2310B   2300         NM1[01=72]         REF
    2310C   2300         NM1[01=ZZ]         REF
    2310D   2300         NM1[01=82]         REF
    2310E   2300         NM1[01=77]         N3 N4 REF
    2310F   2300         NM1[01=DN]         REF
    2320    2300         SBR                CAS AMT OI MIA MOA
    2330A   2320         NM1[01=IL]         N3 N4 REF
    2330B   2320         NM1[01=PR]         N3 N4 DTP REF
    2330C   2320         NM1[01=71]         REF
    2330D   2320         NM1[01=72]         REF
    2330E   2320         NM1[01=ZZ]         REF
    2330F   2320         NM1[01=77]         REF
    2330G   2320         NM1[01=82]         REF
    2330H   2320         NM1[01=DN]         REF
    2330I   2320         NM1[01=85]         REF
    2400    2300         LX                 SV2 PWK DTP REF AMT NTE HCP
    2410    2400         LIN                CTP REF
    2420A   2400         NM1[01=72]         REF
    2420B   2400         NM1[01=ZZ]         REF
    2420C   2400         NM1[01=82]         REF
    2420D   2400         NM1[01=DN]         REF
    2430    2400         SVD                CAS DTP AMT
    """,
)

DENTAL = _guide(
    "837D",
    "005010X224A2",
    """
    2300    2000B,2000C  CLM                DTP DN1 DN2 PWK CN1 AMT REF K3 NTE HI HCP
    2310A   2300         NM1[01=DN,P3]      PRV REF
    2310B   2300         NM1[01=82]         PRV REF
    2310C   2300         NM1[01=77]         N3 N4 REF
    2310D   2300         NM1[01=DD]         PRV REF
    2310E   2300         NM1[01=DQ]         REF
    2320    2300         SBR                CAS AMT OI MOA
    2330A   2320         NM1[01=IL]         N3 N4 REF
    2330B   2320         NM1[01=PR]         N3 N4 DTP REF
    2330C   2320         NM1[01=DN,P3]      REF
    2330D   2320         NM1[01=82]         REF
    2330E   2320         NM1[01=DQ]         REF
    2330F   2320         NM1[01=85]         REF
    2330G   2320         NM1[01=77]         REF
    2330H   2320         NM1[01=DD]         REF
    2400    2300         LX                 SV3 TOO DTP CN1 REF AMT K3 HCP
    2420A   2400         NM1[01=82]         PRV REF
    2420B   2400         NM1[01=DD]         PRV REF
    2420C   2400         NM1[01=DQ]         REF
    2420D   2400         NM1[01=77]         N3 N4 REF
    2430    2400         SVD                CAS DTP AMT
    """,
)
