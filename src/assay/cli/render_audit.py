"""An audit as JSON or as lines for people."""

import json
from collections.abc import Iterator
from typing import Any

from assay.cli.json_values import without_nan
from assay.cli.table import clean
from assay.engine.audit import Audit
from assay.engine.finding import Finding, Standing

VALUE_SHOWN = 160

_SIGNS = {
    Standing.SAME: "ok",
    Standing.SAME_BUT_FOR_ORDER: "ok except for the order of trials",
    Standing.TAKEN: "taken as recorded",
    Standing.DIFFERS: "DIFFERS",
}


def as_json(audit: Audit) -> dict[str, Any]:
    """The audit as plain values."""
    findings = [_finding(finding) for finding in audit.findings]
    return {
        "job": audit.job,
        "consistent": audit.consistent,
        "identical": audit.identical,
        "finished": audit.finished,
        "findings": findings,
        "notes": audit.notes,
        "version": audit.version,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    values = {"recorded": finding.recorded, "derived": finding.derived}
    return {"field": finding.field, "standing": finding.standing.value, **without_nan(values)}


def as_text(audit: Audit, *, quiet: bool) -> str:
    """One line per field, differences in full, and the verdict last."""
    return "\n".join(_lines(audit, quiet))


def _lines(audit: Audit, quiet: bool) -> Iterator[str]:
    shown = [f for f in audit.findings if not quiet or f.standing is Standing.DIFFERS]
    width = max((len(clean(finding.field)) for finding in shown), default=0)
    for finding in shown:
        yield f"  {clean(finding.field):<{width}}  {_SIGNS[finding.standing]}"
        if finding.standing is Standing.DIFFERS:
            yield f"    recorded  {_value(finding, 'recorded')}"
            yield f"    derived   {_value(finding, 'derived')}"
    for note in audit.notes:
        yield f"  note: {clean(note)}"
    yield _verdict(audit)


def _verdict(audit: Audit) -> str:
    differing = sum(finding.standing is Standing.DIFFERS for finding in audit.findings)
    name = clean(audit.job)
    if differing:
        return f"{name}: {differing} of {len(audit.findings)} fields don't follow from the trials"
    detail = "byte for byte" if audit.identical else "field by field"
    unfinished = "" if audit.finished else " (the job did not finish)"
    return f"{name}: consistent, {detail}{unfinished}"


def _value(finding: Finding, side: str) -> str:
    text = json.dumps(getattr(finding, side), ensure_ascii=False, default=repr)
    return clean(text if len(text) <= VALUE_SHOWN else f"{text[:VALUE_SHOWN]}… ({len(text)} characters)")
