"""Which acknowledgement a sender wants, as it says in MSH-15 and MSH-16 (HL7 table 0155).

Where both are empty, the original mode holds: every message gets one from the application. Otherwise it is the
enhanced mode: MSH-15 says when whoever stores the message is to answer (CA, CE, CR), MSH-16 when the application
is. A listener stores and does no more, so it answers once: as the one who stores if that is wanted, else as the
application. A sender that wants neither gets no answer, and one whose word is not in the table gets every answer.
"""

from typing import Literal

from assay.formats.hl7.acknowledge import AckCode
from assay.formats.hl7.find import find_first
from assay.formats.hl7.model import Message
from assay.formats.hl7.path_parser import parse_path

Result = Literal["A", "E", "R"]
_STORED, _APPLIED = parse_path("MSH-15"), parse_path("MSH-16")
_NEVER = ("", "NE")


def ack_code(message: Message, result: Result) -> AckCode | None:
    """The code to answer with, None where the sender wants no answer."""
    stored, applied = (find_first(path, message).text.strip().upper() for path in (_STORED, _APPLIED))
    if not stored and not applied:
        return _APPLICATION[result]
    if _is_wanted(stored, result):
        return _COMMIT[result]
    return _APPLICATION[result] if _is_wanted(applied, result) else None


def _is_wanted(when: str, result: Result) -> bool:
    if when == "ER":
        return result != "A"
    return result == "A" if when == "SU" else when not in _NEVER


_APPLICATION: dict[Result, AckCode] = {"A": "AA", "E": "AE", "R": "AR"}
_COMMIT: dict[Result, AckCode] = {"A": "CA", "E": "CE", "R": "CR"}
