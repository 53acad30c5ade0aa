"""A scored run for other programs: JSON, annotations for GitHub, SARIF and JUnit XML."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from assay.cli.output.table import finding_words
from assay.core.errors import InputError
from assay.dialects.scorers.report import Row, RowVerdict, ScorersReport
from assay.version import VERSION

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_OUTPUT = 20_000


@dataclass(frozen=True, slots=True)
class _Finding:
    """One finding of a scorer that failed or broke. ``path`` is None for one that is about no file."""

    row: Row
    text: str
    path: str | None = None
    line: int | None = None


def as_json(report: ScorersReport) -> str:
    return report.model_dump_json(indent=2)


def as_github(report: ScorersReport) -> str:
    """Workflow commands, which GitHub shows at their lines: errors for required scorers, warnings for others."""
    lines = []
    for one in _findings(report):
        level = "error" if one.row.hard_failure else "warning"
        place = {"file": one.path, "line": one.line, "title": f"assay: {one.row.name}"}
        given = ",".join(f"{key}={_property(str(value))}" for key, value in place.items() if value is not None)
        lines.append(f"::{level} {given}::{_message(one.text)}")
    verdict = "none" if report.overall is None else report.overall.headline or report.overall.verdict.value
    lines.append(f"::notice title=assay::{_message(f'OVERALL {verdict}')}")
    return "\n".join(lines)


def as_sarif(report: ScorersReport) -> str:
    """SARIF 2.1.0, for code scanning and editors."""
    findings = list(_findings(report))
    rules = {one.row.name: one.row for one in findings}
    driver = {
        "name": "Assay",
        "version": VERSION,
        "rules": [
            {"id": name, "name": row.type, "shortDescription": {"text": row.type}} for name, row in rules.items()
        ],
    }
    results = [_sarif_result(one) for one in findings]
    properties = report.model_dump(mode="json", include={"overall", "suspicion", "provenance"})
    about = {"columnKind": "utf16CodeUnits", "properties": properties}
    run = {"tool": {"driver": driver}, "results": results, **about}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def as_junit(report: ScorersReport) -> str:
    """JUnit XML, one test case for each scorer. An advisory failure is not a failure there, but in its output."""
    cases = [_case(row) for row in report.scorers]
    counts = {
        "tests": len(report.scorers),
        "failures": sum(row.hard_failure and row.verdict is RowVerdict.FAIL for row in report.scorers),
        "errors": sum(row.hard_failure and row.verdict is RowVerdict.ERROR for row in report.scorers),
        "skipped": sum(row.verdict is RowVerdict.NOT_APPLICABLE for row in report.scorers),
    }
    given = " ".join(f'{key}="{value}"' for key, value in counts.items())
    if report.suspicion is not None:
        said = f'<property name="suspicion" value="{report.suspicion.score:g}"/>'
        cases.insert(0, f"  <properties>{said}</properties>")
    body = "\n".join(cases)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="assay" {given}>\n{body}\n</testsuite>'


FORMATS: Mapping[str, Callable[[ScorersReport], str]] = {
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
    "junit": as_junit,
}


def parse_format(text: str) -> tuple[str, str | None]:
    """``NAME`` for standard output, or ``NAME:FILE``."""
    name, colon, path = text.partition(":")
    if name not in FORMATS or (colon and not path):
        raise InputError(f"--format must be one of {', '.join(FORMATS)}, or such a name with :FILE, got {text!r}")
    return name, path or None


def _findings(report: ScorersReport) -> Iterator[_Finding]:
    for row in report.scorers:
        if row.verdict not in (RowVerdict.FAIL, RowVerdict.ERROR):
            continue
        listed = row.evidence.get("findings")
        findings = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        yield from (_finding(row, one) for one in findings)
        if not findings:
            yield _Finding(row, f"{row.verdict.value}: {row.detail}")


def _finding(row: Row, found: Mapping[str, Any]) -> _Finding:
    said = finding_words(found)
    said += [f"{key}: {found[key]}" for key in ("before", "after") if found.get(key)]
    path, line = found.get("path"), found.get("line")
    return _Finding(
        row,
        "; ".join(said) or row.detail,
        path if isinstance(path, str) else None,
        line if isinstance(line, int) and line > 0 else None,
    )


def _sarif_result(one: _Finding) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": one.row.name,
        "level": "error" if one.row.hard_failure else "warning",
        "message": {"text": one.text},
    }
    if one.path is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(one.path)}}
        if one.line is not None:
            place["region"] = {"startLine": one.line}
        found["locations"] = [{"physicalLocation": place}]
    return found


def _uri(path: str) -> str:
    plain = "-._~/"
    return "".join(
        one
        if one.isascii() and (one.isalnum() or one in plain)
        else "".join(f"%{byte:02X}" for byte in one.encode())
        for one in path
    )


def _case(row: Row) -> str:
    start = f"  <testcase classname={quoteattr(_xml(row.type))} name={quoteattr(_xml(row.name))}>"
    text = escape(_xml("\n".join(filter(None, (row.detail, *_finding_lines(row), (row.output or "")[-_OUTPUT:])))))
    if row.verdict is RowVerdict.NOT_APPLICABLE:
        return f"{start}<skipped message={quoteattr(_xml(row.detail))}/></testcase>"
    if row.hard_failure:
        kind = "failure" if row.verdict is RowVerdict.FAIL else "error"
        return f"{start}<{kind} message={quoteattr(_xml(row.detail))}>{text}</{kind}></testcase>"
    if row.verdict is RowVerdict.PASS:
        return f"{start[:-1]}/>"
    return f"{start}<system-out>advisory {row.verdict.value}: {text}</system-out></testcase>"


def _finding_lines(row: Row) -> Iterator[str]:
    listed = row.evidence.get("findings")
    for found in listed if isinstance(listed, list) else ():
        one = _finding(row, found)
        yield ":".join(str(part) for part in (one.path, one.line, f" {one.text}") if part is not None)


def _xml(text: str) -> str:
    """Text without the characters that XML can't hold, even escaped."""
    return "".join(
        one if one in "\t\n" or (one >= " " and one not in "\ufffe\uffff") else "\ufffd" for one in text
    )


def _message(text: str) -> str:
    """Text of a workflow command. An agent's text must not begin a command of its own on a new line."""
    shown = "".join(one if one.isprintable() or one in "\r\n" else "\ufffd" for one in text)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
