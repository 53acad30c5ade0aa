"""Eligibility: inquiry (270) and response (271), 005010X279A1."""

from assay.formats.x12.guide import read_guide

INQUIRY = read_guide(
    "270",
    "005010X279A1",
    """
    SET    -      ST                               BHT | SE
    2000A  SET    HL[03=20]
    2100A  2000A  NM1[01=2B,36,GP,P5,PR]
    2000B  2000A  HL[03=21]
    2100B  2000B  NM1[01=1P,2B,36,80,FA,GP,P5,PR]  REF N3 N4 PRV
    2000C  2000B  HL[03=22]                        TRN
    2100C  2000C  NM1[01=IL]                       REF N3 N4 PRV DMG INS HI DTP
    2110C  2100C  EQ/III                           AMT III REF DTP
    2000D  2000C  HL[03=23]                        TRN
    2100D  2000D  NM1[01=03]                       REF N3 N4 PRV DMG INS HI DTP
    2110D  2100D  EQ/III                           AMT III REF DTP
    """,
)

RESPONSE = read_guide(
    "271",
    "005010X279A1",
    """
    SET    -      ST                               BHT | SE
    2000A  SET    HL[03=20]                        AAA
    2100A  2000A  NM1[01=2B,36,GP,P5,PR]           PER AAA
    2000B  2000A  HL[03=21]
    2100B  2000B  NM1[01=1P,2B,36,80,FA,GP,P5,PR]  REF N3 N4 AAA PRV
    2000C  2000B  HL[03=22]                        TRN
    2100C  2000C  NM1[01=IL]                       REF N3 N4 AAA PRV DMG INS HI DTP MPI
    2110C  2100C  EB                               HSD REF DTP AAA MSG | LS LE
    2115C  2110C  III
    2120C  2110C  NM1                              N3 N4 PER PRV
    2000D  2000C  HL[03=23]                        TRN
    2100D  2000D  NM1[01=03]                       REF N3 N4 AAA PRV DMG INS HI DTP MPI
    2110D  2100D  EB                               HSD REF DTP AAA MSG | LS LE
    2115D  2110D  III
    2120D  2110D  NM1                              N3 N4 PER PRV
    """,
)
