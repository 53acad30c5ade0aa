"""A page for each path language, with paths that are tried on an example when the page is written."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from assay.formats import json_paths
from assay.formats.fhirpath.evaluate import evaluate
from assay.formats.file_content.rules import FORMATS
from assay.formats.hl7 import path as hl7_path
from assay.formats.hl7.find import texts
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path as hl7_paths
from assay.formats.x12.loops import place_sets
from assay.formats.x12.path import parse_path as x12_paths
from assay.formats.x12.select import select
from assay.formats.x12.tokenize import tokenize
from docs.markdown import table

Find = Callable[[str], Sequence[Any]]


class Language(NamedTuple):
    """A language: its name, where it is used, an example, paths with their meaning, and how they are found."""

    title: str
    used: str
    example: str
    paths: dict[str, str]
    find: Find
    more: str = ""


_VISIT: Final = {
    "status": "booked",
    "patient": {"mrn": "00412", "name": "Rivera"},
    "slots": [{"day": "2025-06-05", "free": False}, {"day": "2025-06-06", "free": True}],
}
_PATIENT: Final = {
    "resourceType": "Patient",
    "birthDate": "1974-12-25",
    "active": True,
    "name": [
        {"use": "official", "family": "Rivera", "given": ["Ana", "Maria"]},
        {"use": "usual", "given": ["Ani"]},
    ],
    "identifier": [{"system": "urn:mrn", "value": "00412"}],
}
_MESSAGE: Final = (
    "MSH|^~\\&|CLINIC|A|LAB|B|20250605||ORU^R01|7|P|2.5\r"
    "PID|1||00412^^^A^PI~777^^^B^MR||Rivera^Ana\r"
    "OBX|1|NM|8480-6^Systolic||120|mm[Hg]\r"
    "OBX|2|NM|8462-4^Diastolic||80|mm[Hg]\r"
)
_RESPONSE: Final = """\
ISA*00*          *00*          *ZZ*PAYER          *ZZ*CLINIC         *250605*1200*^*00501*000000001*0*P*:~
GS*HB*PAYER*CLINIC*20250605*1200*1*X*005010X279A1~
ST*271*0001*005010X279A1~
BHT*0022*11*T1*20250605*1200~
HL*1**20*1~
NM1*PR*2*PAYER*****PI*9~
HL*2*1*21*1~
NM1*1P*2*CLINIC*****XX*1~
HL*3*2*22*0~
TRN*2*98175*9PAYER~
NM1*IL*1*RIVERA*ANA****MI*M1~
EB*1**30~
EB*C*IND*30***23*500~
EB*B**98***27*25~
SE*13*0001~
GE*1*1~
IEA*1*000000001~
"""
_CSV: Final = "claim,amount\nC1,100.00\nC2,40.50\n"
_TEXT: Final = "first line\nsecond line\n"
_XML: Final = (
    '<ClinicalDocument><id root="1.2.3"/><patient><given>Ana</given><given>Maria</given></patient>'
    '<code code="8480-6"/></ClinicalDocument>'
)


def _in_message(path: str) -> Sequence[Any]:
    return texts(hl7_paths(path), parse(_MESSAGE).messages[0])


def _in_response(path: str) -> Sequence[Any]:
    [placed] = place_sets(tokenize(_RESPONSE))
    return [one.text for one in select(x12_paths(path), placed) if one.text is not None]


def _in_file(kind: str, content: str) -> Find:
    return FORMATS[kind].reader.open_content(content.encode())


LANGUAGES: Final = {
    "dotted": Language(
        "Dotted paths",
        "`path` in `portal-state-match`, `fhir-resource-state` and files of JSON",
        json.dumps(_VISIT, indent=2),
        {
            "status": "A member.",
            "patient.mrn": "A member of a member.",
            "slots.1.day": "An index counts from 0.",
            "slots": "A whole list.",
            "slots.5": "Nothing is there, which is not the same as null.",
        },
        lambda path: json_paths.find(path, _VISIT),
        "A dotted path has one value at most. A name with a dot in it needs JSONPath.",
    ),
    "jsonpath": Language(
        "JSONPath",
        "`path` in `portal-state-match` and files of JSON, if it begins with `$` (RFC 9535)",
        json.dumps(_VISIT, indent=2),
        {
            "$.patient.mrn": "A member of a member.",
            "$['patient']['mrn']": "The same. Any name can be in quotes.",
            "$.slots[0].day": "An index counts from 0.",
            "$.slots[-1].day": "The last.",
            "$.slots[*].day": "All of them.",
            "$.slots[?@.free == true].day": "Those that fulfil a condition.",
            "$..day": "At any depth.",
            "$.slots[?match(@.day, '2025-06-.*')].free": "With a pattern for the whole text; `search` for a part.",
        },
        lambda path: json_paths.find(path, _VISIT),
    ),
    "fhirpath": Language(
        "FHIRPath",
        "`fhirpath` and `where` in `fhir-resource-state`",
        json.dumps(_PATIENT, indent=2),
        {
            "birthDate": "An element.",
            "name.given": "An element of all that are there.",
            "name[0].given.first()": "An index counts from 0.",
            "name.where(use = 'official').family": "Those that fulfil a condition.",
            "identifier.where(system = 'urn:mrn').value": "By its system.",
            "name.exists(use = 'usual')": "A condition, for `where`.",
            "birthDate < @1980-01-01": "Dates are written with an @.",
            "name.given.count()": "How many.",
            "name.family & ', ' & name.given.first()": "Texts put together.",
            "multipleBirth.exists()": "A choice has one name: `value`, not `valueQuantity`.",
        },
        lambda path: evaluate(path, _PATIENT),
        "Elements that the version of FHIR doesn't have are refused. Units of quantities are not converted.",
    ),
    "hl7": Language(
        "HL7 v2 paths",
        "`fields` and `correlate_by` in `hl7-structural`, and files of HL7",
        _MESSAGE.replace("\r", "\n"),
        {
            "PID-5.1": "Field 5, component 1. `PID.5.1` is the same.",
            "PID-3.1": "Of the first repetition, when it compares; of any, when it correlates.",
            "PID-3[2].1": "Of the second repetition.",
            "PID-3[*].1": "Of every repetition.",
            "PID-3[5=MR].1": "Of the repetitions whose component 5 is MR.",
            "OBX[2]-5": "Of the second OBX.",
            "OBX[*]-5": "Of every OBX.",
            "OBX[3.1=8480-6]-5": "Of every OBX whose field 3, component 1, is 8480-6.",
            "OBX[3.1=8480-6,2=NM]-5": "Both must hold. `[3.1=8480-6][2=NM]` is the same.",
            'OBX[3.1="8480-6"]-5': "A value with any of `[`, `]`, `,`, `=` or a quote in it must be in quotes.",
            "MSH-9.2": "MSH-1 is the separator itself.",
            "PID-6": "Nothing is there: the segment ends before it.",
        },
        _in_message,
        (hl7_path.__doc__ or "").rpartition("=\n\n")[2].strip().replace("``", "`"),
    ),
    "x12": Language(
        "X12 paths",
        "`fields` and `correlate_by` in `x12-response`, and files of X12",
        _RESPONSE,
        {
            "TRN02": "Element 2 of every TRN. `TRN-2` and `TRN.2` are the same.",
            "EB[01=B]07": "Of every EB whose first element is B.",
            "EB[01=C,06=23]07": "Both must hold. `[01=C][06=23]` is the same.",
            'EB[01="B"]07': (
                "A value with `[`, `]`, `,`, `=` or a quote in it, or a blank at either end, must be in quotes."
            ),
            "EB[2]06": "Of the second EB.",
            "2110C/EB01": "Of every EB in loop 2110C.",
            "2100C/NM109": "The loop says whose name it is.",
            "ISA06": "Of the envelopes, without the blanks that pad it.",
            "HL[03=22]01": "Of the level of the subscriber.",
            "EB13": "Nothing is there: the segments end before it.",
        },
        _in_response,
        "A composite's component stands behind a hyphen: `STC01-1`. Loops are known for "
        "270, 271, 275, 276, 277, 277CA, 278, 835, 837, 997 and 999.",
    ),
    "csv": Language(
        "CSV paths",
        "`fields` in `sftp-file-present` with `format: csv`",
        _CSV,
        {
            "amount": "A column of all rows. `*.amount` is the same.",
            "2.claim": "Of the second row behind the names.",
            "total": "There is no such column.",
        },
        _in_file("csv", _CSV),
    ),
    "text": Language(
        "Text paths",
        "`fields` in `sftp-file-present` with `format: text`",
        _TEXT,
        {"content": "Everything.", "line.2": "The second line.", "line.*": "Every line."},
        _in_file("text", _TEXT),
    ),
    "xml": Language(
        "XML paths",
        "`fields` in `sftp-file-present` with `format: xml`",
        _XML,
        {
            "ClinicalDocument/id/@root": "An attribute. Names come without their namespaces.",
            "**/given": "At any depth.",
            "ClinicalDocument/patient/given[2]": "The second of its name, counted from 1.",
            'ClinicalDocument/code[@code="8480-6"]/@code': "By an attribute.",
        },
        _in_file("xml", _XML),
    ),
}


def paths_pages() -> dict[str, Iterator[str]]:
    """Every page, by its path below docs/reference."""
    return {f"paths-{name}.md": _page(language) for name, language in LANGUAGES.items()}


def path_links() -> str:
    """A sentence with a link to each page."""
    links = (f"[{one.title}](paths-{name}.md)" for name, one in LANGUAGES.items())
    return f"Each path language has a page: {', '.join(links)}."


def _page(language: Language) -> Iterator[str]:
    yield f"# {language.title}"
    yield f"Used for {language.used}. The paths below are tried on this example whenever the page is written:"
    yield f"```text\n{language.example.rstrip()}\n```"
    rows = [(f"`{path}`", _shown(language.find(path)), why) for path, why in language.paths.items()]
    yield table(("path", "finds", "meaning"), rows)
    if language.more:
        yield language.more


def _shown(found: Sequence[Any]) -> str:
    return ", ".join(f"`{json.dumps(one, ensure_ascii=False)}`" for one in found) or "nothing"
