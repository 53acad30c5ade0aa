"""The loop tables of the known transaction sets, and the choice of one for a set."""

from typing import Final

from assay.formats.x12.guide import Guide, read_guide
from assay.formats.x12.model import Segment, TransactionSet

# Eligibility: inquiry (270) and response (271), 005010X279A1.
ELIGIBILITY_INQUIRY = read_guide(
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

ELIGIBILITY_RESPONSE = read_guide(
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

# Claim status: request (276), response (277), both 005010X212, and claim acknowledgment (277CA, 005010X214).
STATUS_REQUEST = read_guide(
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

STATUS_RESPONSE = read_guide(
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

CLAIM_ACKNOWLEDGMENT = read_guide(
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

# Services review, which is prior authorisation (278): request and response, 005010X217.
# The patient event is inside the dependent if there is one, else inside the subscriber. Its providers come with
# many qualifiers, so that loop takes every name that no other loop takes.
REVIEW_REQUEST = read_guide(
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

REVIEW_RESPONSE = read_guide(
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

# Claim payment and remittance advice (835), 005010X221A1.
PAYMENT = read_guide(
    "835",
    "005010X221A1",
    """
    SET    -     ST         BPR TRN CUR REF DTM | PLB SE
    1000A  SET   N1[01=PR]  N3 N4 REF PER
    1000B  SET   N1[01=PE]  N3 N4 REF RDM
    2000   SET   LX         TS3 TS2
    2100   2000  CLP        CAS NM1 MIA MOA REF DTM PER AMT QTY
    2110   2100  SVC        DTM CAS REF AMT QTY LQ
    """,
)

# Health care claims (837): professional (005010X222A1), institutional (X223A2) and dental (X224A2).
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

# Additional information to support a claim (275), 005010X210; 006020X314 has the same loops with BDS for BIN.
ATTACHMENT = read_guide(
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

# Acknowledgments: functional (997, 005010) and implementation (999, 005010X231A1).
# The loops of a 997 have no numbers; they are called by the segment that begins them.
FUNCTIONAL = read_guide(
    "997",
    "005010",
    """
    SET  -    ST   AK1 | AK9 SE
    AK2  SET  AK2  | AK5
    AK3  AK2  AK3  AK4
    """,
)

IMPLEMENTATION = read_guide(
    "999",
    "005010X231A1",
    """
    SET   -     ST   AK1 | AK9 SE
    2000  SET   AK2  | IK5
    2100  2000  IK3  CTX
    2110  2100  IK4  CTX
    """,
)

GUIDES = (
    ELIGIBILITY_INQUIRY,
    ELIGIBILITY_RESPONSE,
    STATUS_REQUEST,
    STATUS_RESPONSE,
    CLAIM_ACKNOWLEDGMENT,
    REVIEW_REQUEST,
    REVIEW_RESPONSE,
    PAYMENT,
    PROFESSIONAL,
    INSTITUTIONAL,
    DENTAL,
    ATTACHMENT,
    FUNCTIONAL,
    IMPLEMENTATION,
)

_CLAIMS = {"SV1": PROFESSIONAL, "SV2": INSTITUTIONAL, "SV3": DENTAL}
_BY_SET = {guide.name: guide for guide in GUIDES}


def version_of(transaction_set: TransactionSet, group: Segment | None) -> str:
    """The guide that a set says it follows: ST03, or GS08 where that is missing."""
    return transaction_set.header.text(3) or (group.text(8) if group else "")


def guide_for(transaction_set: TransactionSet, version: str) -> Guide | None:
    """The table for a set, or None if there is none."""
    name = transaction_set.header.text(1)
    first = transaction_set.segments[1] if len(transaction_set.segments) > 1 else None
    begins = first if first is not None and first.id == "BHT" else None
    if name == "277":
        return CLAIM_ACKNOWLEDGMENT if _acknowledges(version, begins) else STATUS_RESPONSE
    if name == "278":
        responds = begins is not None and begins.text(2) == "11"
        return REVIEW_RESPONSE if responds else REVIEW_REQUEST
    if name == "837":
        return _claim(transaction_set, version)
    return _BY_SET.get(name)


def _claim(transaction_set: TransactionSet, version: str) -> Guide:
    """By the version, or by the segment that its services have."""
    for guide in _CLAIMS.values():
        if version.startswith(guide.version[:10]):
            return guide
    services = (_CLAIMS[one.id] for one in transaction_set.segments if one.id in _CLAIMS)
    return next(services, PROFESSIONAL)


def follows(version: str, guide: Guide) -> bool:
    """Whether a version is that of a guide, with or without its errata."""
    return not version or version.startswith(guide.version[:10])


def _acknowledges(version: str, begins: Segment | None) -> bool:
    """A 277 acknowledges claims by its version, or by its structure code where it names no guide."""
    if "X2" in version:
        return version.startswith("005010X214")
    return begins is not None and begins.text(1) == "0085"
