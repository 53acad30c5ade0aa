"""Additional information to support a claim (275), 005010X210; 006020X314 has the same loops with BDS for BIN."""

from assay.formats.x12.guide import read_guide

INFORMATION = read_guide(
    "275",
    "005010X210",
    """
    SET    -      ST             BGN | SE
    1000A  SET    NM1[01=PR]     PER
    1000B  SET    NM1[01=41]     PER
    1000C  SET    NM1[01=1P,85]  N3 N4 PRV REF
    1000D  SET    NM1[01=QC]     REF DTP DMG
    2000A  SET    LX             TRN STC REF
    2100A  2000A  DTP[01=472]
    2100B  2000A  DTP            CAT
    2110B  2100B  EFI/OOI        EFI BIN BDS
    """,
)
