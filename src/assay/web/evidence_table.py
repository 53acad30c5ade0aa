"""The evidence of criterion runs as a table: each path with what was expected and found.

The evidence keys differ from check to check, as the criteria document has them; a page shows all of them in the
same kind of table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.dialects.criteria.models import CriterionRun

RESULT_KEYS: Final = ("fieldResults", "field_results", "assertionResults")
PHRASES: Final = "phraseResults"
HL7, X12 = "hl7-structural", "x12-response"


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One rule: where it looked, what must be there and what was. ``more`` has whatever else the evidence says."""

    path: str
    expected: Any
    actual: Any
    passed: bool
    operator: str | None = None
    absent: bool = False
    more: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """One criterion's rows for one message or set. ``identity`` is the control id or number of that."""

    label: str
    kind: str
    identity: str
    rows: tuple[EvidenceRow, ...]


def evidence_rows(evidence: Mapping[str, Any]) -> tuple[EvidenceRow, ...]:
    """The rows of the evidence of any check."""
    return tuple(_rows(evidence))


def evidence_rest(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence beside its rows, without empty values."""
    known = (*RESULT_KEYS, PHRASES)
    return {name: one for name, one in evidence.items() if name not in known and one not in (None, [], {}, "")}


def looked_at(runs: Sequence[CriterionRun]) -> list[Looked]:
    """The evidence of criteria about messages. One that found no message isn't here."""
    found = []
    for run in runs:
        identity = run.evidence.get({HL7: "message", X12: "set"}.get(run.assert_ or "", ""))
        if isinstance(identity, str):
            found.append(Looked(run.label, run.assert_ or "", identity, evidence_rows(run.evidence)))
    return found


def _rows(evidence: Mapping[str, Any]) -> Iterator[EvidenceRow]:
    for key in RESULT_KEYS:
        for one in _objects(evidence.get(key)):
            yield _row(one)
    for one in _objects(evidence.get(PHRASES)):
        yield _phrase(one)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _row(one: Mapping[str, Any]) -> EvidenceRow:
    known = ("path", "expected", "actual", "passed", "operator", "absent")
    return EvidenceRow(
        str(one.get("path", "")),
        one.get("expected"),
        one.get("actual"),
        one.get("passed") is True,
        None if one.get("operator") is None else str(one["operator"]),
        one.get("absent") is True,
        {name: value for name, value in one.items() if name not in known},
    )


def _phrase(one: Mapping[str, Any]) -> EvidenceRow:
    """A phrase is a rule about the call: it must be said, or it must not."""
    known = ("phrase", "found", "turn", "forbidden")
    phrase, found, turn = one.get("phrase"), one.get("found") is True, one.get("turn")
    forbidden = one.get("forbidden") is True
    said = "not said" if not found else "said" if turn is None else f"said in turn {turn}"
    return EvidenceRow(
        " or ".join(map(str, phrase)) if isinstance(phrase, list) else str(phrase),
        "not said" if forbidden else "said",
        said,
        found is not forbidden and "error" not in one,
        more={name: value for name, value in one.items() if name not in known},
    )
