"""Paths that find nothing in any set of a guide, which an author should learn before a run."""

import pytest

from assay.formats.x12.guides import GUIDES
from assay.formats.x12.parse_path import parse_path, why_never

BY_NAME = {guide.name: guide for guide in GUIDES}


@pytest.mark.parametrize(
    ("path", "guide"),
    [
        ("2110C/EB[01=B]07", "271"),
        ("2000C/2100C/2110C/EB01", "271"),
        ("2000A/2120D/NM103", "271"),
        ("*/EB01", "271"),
        ("2000C/*/EB01", "271"),
        ("EB01", "271"),
        ("ISA06", "271"),
        ("ST01", "835"),
        ("SET/PLB03", "835"),
        ("2000D/2000E/UM01", "278 request"),
        ("2000C/2000E/UM01", "278 response"),
        ("AK2/AK3/AK401", "997"),
    ],
)
def test_a_path_that_may_find_something(path: str, guide: str) -> None:
    assert why_never(parse_path(path), BY_NAME[guide]) is None


@pytest.mark.parametrize(
    ("path", "guide", "reason"),
    [
        ("2110C/SVC01", "835", "835 has no loop 2110C; it has SET, 1000A, 1000B, 2000, 2100, 2110"),
        ("EB01", "835", "835 has no segment EB"),
        ("2000C/EB01", "271", "EB is not in loop 2000C of 271; it is in 2110C, 2110D"),
        ("2110C/2000C/TRN02", "271", "2000C is not in 2110C; it is in 2000A, 2000B, SET"),
        ("2000D/2110C/EB01", "271", "2110C is not in 2000D; it is in 2000A, 2000B, 2000C, 2100C, SET"),
        ("HCR01", "278 request", "278 request has no segment HCR"),
    ],
)
def test_a_path_that_never_finds_anything(path: str, guide: str, reason: str) -> None:
    assert why_never(parse_path(path), BY_NAME[guide]) == reason
