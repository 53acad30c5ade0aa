"""Claim payment and remittance advice (835), 005010X221A1."""

from assay.formats.x12.guide import read_guide

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
