"""Numbers with what they count."""

import pytest

from assay.formats.counting import counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_one_is_not_many(number: int, text: str) -> None:
    assert counted(number, "file") == text
