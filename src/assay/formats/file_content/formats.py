"""The formats that there are, by name and by the names of files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from assay.formats.file_content import csv_text, hl7_text, json_text, text, x12_text, xml_text
from assay.formats.file_content.model import Finder

MEBI: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Format:
    """How paths are checked, how a file is opened, and how large one may be for its values to be looked at."""

    check_path: Callable[[str], None]
    opened: Callable[[bytes], Finder]
    max_bytes: int = 64 * MEBI


# Messages become many times as large when they are read.
FORMATS: Final[Mapping[str, Format]] = {
    "text": Format(text.check_path, text.opened),
    "json": Format(json_text.check_path, json_text.opened),
    "csv": Format(csv_text.check_path, csv_text.opened),
    "xml": Format(xml_text.check_path, xml_text.opened, 16 * MEBI),
    "hl7": Format(hl7_text.check_path, hl7_text.opened, 16 * MEBI),
    "x12": Format(x12_text.check_path, x12_text.opened, 16 * MEBI),
}
_SETS: Final = ("270", "271", "276", "277", "278", "835", "837", "997", "999")
_ENDINGS: Final = {
    **dict.fromkeys(("json",), "json"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("hl7", "er7"), "hl7"),
    **dict.fromkeys(("x12", "edi", *_SETS), "x12"),
}


def guessed(name: str) -> str:
    """The format that the ending of a name stands for; text where it stands for none."""
    return _ENDINGS.get(name.rpartition(".")[2].lower(), "text") if "." in name else "text"
