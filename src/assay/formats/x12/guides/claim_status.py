"""Claim status: request (276), response (277), both 005010X212, and claim acknowledgment (277CA, 005010X214)."""

from assay.formats.x12.guide import read_guide

REQUEST = read_guide(
    "276",
    "005010X212",
    """
    SET    -      ST           BHT | SE
    2000A  SET    HL[03=20]
    2100A  2000A  NM1[01=PR]
    2000B  2000A  HL[03=21]
    2100B  2000B  NM1[01=41]
    2000C  2000B  HL[03=19]
    2100C  2000C  NM1[01=1P]
    2000D  2000C  HL[03=22]    DMG
    2100D  2000D  NM1[01=IL]
    2200D  2000D  TRN          REF AMT DTP
    2210D  2200D  SVC          REF DTP
    2000E  2000D  HL[03=23]    DMG
    2100E  2000E  NM1[01=QC]
    2200E  2000E  TRN          REF AMT DTP
    2210E  2200E  SVC          REF DTP
    """,
)

RESPONSE = read_guide(
    "277",
    "005010X212",
    """
    SET    -      ST           BHT | SE
    2000A  SET    HL[03=20]
    2100A  2000A  NM1[01=PR]   PER
    2000B  2000A  HL[03=21]
    2100B  2000B  NM1[01=41]
    2200B  2000B  TRN          STC
    2000C  2000B  HL[03=19]
    2100C  2000C  NM1[01=1P]
    2200C  2000C  TRN          STC
    2000D  2000C  HL[03=22]
    2100D  2000D  NM1[01=IL]
    2200D  2000D  TRN          STC REF DTP
    2220D  2200D  SVC          STC REF DTP
    2000E  2000D  HL[03=23]
    2100E  2000E  NM1[01=QC]
    2200E  2000E  TRN          STC REF DTP
    2220E  2200E  SVC          STC REF DTP
    """,
)

ACKNOWLEDGMENT = read_guide(
    "277CA",
    "005010X214",
    """
    SET    -      ST             BHT | SE
    2000A  SET    HL[03=20]
    2100A  2000A  NM1[01=AY,PR]
    2200A  2000A  TRN            DTP
    2000B  2000A  HL[03=21]
    2100B  2000B  NM1[01=41]
    2200B  2000B  TRN            STC QTY AMT
    2000C  2000B  HL[03=19]
    2100C  2000C  NM1[01=85]
    2200C  2000C  TRN            STC REF QTY AMT
    2000D  2000C  HL[03=PT]
    2100D  2000D  NM1[01=QC]
    2200D  2000D  TRN            STC REF DTP
    2220D  2200D  SVC            STC REF DTP
    """,
)
