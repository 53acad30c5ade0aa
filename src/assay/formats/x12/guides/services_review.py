"""Services review, which is prior authorisation (278): request and response, 005010X217.

The patient event stands inside the dependent if there is one, else inside the subscriber. Its providers come with
many qualifiers, so that loop takes every name that no other loop takes.
"""

from assay.formats.x12.guide import read_guide

REQUEST = read_guide(
    "278 request",
    "005010X217",
    """
    SET     -            ST                       BHT | SE
    2000A   SET          HL[03=20]
    2010A   2000A        NM1
    2000B   2000A        HL[03=21]
    2010B   2000B        NM1                      REF N3 N4 PER PRV
    2000C   2000B        HL[03=22]
    2010C   2000C        NM1[01=IL]               REF N3 N4 DMG INS
    2000D   2000C        HL[03=23]
    2010D   2000D        NM1[01=QC]               REF N3 N4 DMG INS
    2000E   2000C,2000D  HL[03=EV]                TRN UM REF DTP HI HSD CRC CL1 CR1 CR2 CR5 CR6 PWK MSG
    2010EA  2000E        NM1                      REF N3 N4 PER PRV
    2010EB  2000E        NM1[01=45,FS,ND,PW,R3]   N3 N4
    2000F   2000E        HL[03=SS]                TRN UM REF DTP SV1 SV2 SV3 TOO HSD PWK MSG
    2010F   2000F        NM1                      REF N3 N4 PER PRV
    """,
)

RESPONSE = read_guide(
    "278 response",
    "005010X217",
    """
    SET     -            ST                       BHT | SE
    2000A   SET          HL[03=20]                AAA
    2010A   2000A        NM1                      PER AAA
    2000B   2000A        HL[03=21]
    2010B   2000B        NM1                      REF AAA PRV
    2000C   2000B        HL[03=22]
    2010C   2000C        NM1[01=IL]               REF N3 N4 AAA DMG INS
    2000D   2000C        HL[03=23]
    2010D   2000D        NM1[01=QC]               REF N3 N4 AAA DMG INS
    2000E   2000C,2000D  HL[03=EV]                TRN AAA UM HCR REF DTP HI HSD CL1 CR1 CR2 CR5 CR6 PWK MSG
    2010EA  2000E        NM1                      REF N3 N4 PER AAA PRV
    2010EB  2000E        NM1[01=L5]               N3 N4 PER
    2010EC  2000E        NM1[01=45,FS,ND,PW,R3]   N3 N4 AAA
    2000F   2000E        HL[03=SS]                TRN AAA UM HCR REF DTP HI SV1 SV2 SV3 TOO HSD PWK MSG
    2010FA  2000F        NM1                      REF N3 N4 PER AAA PRV
    2010FB  2000F        NM1[01=L5]               N3 N4 PER
    """,
)
