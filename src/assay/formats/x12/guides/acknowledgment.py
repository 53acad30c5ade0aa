"""Acknowledgments: functional (997, 005010) and implementation (999, 005010X231A1).

The loops of a 997 have no numbers; they are called by the segment that begins them.
"""

from assay.formats.x12.guide import read_guide

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
