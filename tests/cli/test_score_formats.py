"""A scored run as annotations, SARIF and JUnit XML, whatever an agent wrote into it."""

import json
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.output.score_formats import FORMATS, as_github, as_junit, as_sarif, parse_format
from assay.core.errors import InputError
from assay.dialects.scorers.report import (
    Judge,
    JudgeState,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
    StatusGate,
)
from assay.evidence.coding_run import RunStatus
from assay.formats.test_reports.model import Ended
from assay.formats.test_reports.read import read_report

FINDING = {"path": "tests/a b.py", "line": 3, "rule": "skip-added", "test": "test_a", "after": "@skip"}


def row(verdict: RowVerdict, *findings: dict[str, Any], required: bool = True, **fields: Any) -> Row:
    given: dict[str, Any] = {"name": "tests", "type": "command", "detail": "exit code 1", **fields}
    return Row(required=required, verdict=verdict, score=None, evidence={"findings": list(findings)}, **given)


def report(*rows: Row) -> ScorersReport:
    return ScorersReport(
        overall=Overall(verdict=OverallVerdict.FAIL, score=None),
        scorers=list(rows),
        judge=Judge(state=JudgeState.NOT_APPLICABLE),
        run=StatusGate(status=RunStatus.COMPLETED),
        provenance=Provenance(engine="1", scenario_sha256="0" * 64),
    )


def test_annotations() -> None:
    lines = as_github(report(row(RowVerdict.FAIL), row(RowVerdict.FAIL, FINDING, required=False, name="skips")))
    assert lines.splitlines() == [
        "::error title=assay%3A tests::FAIL: exit code 1",
        "::warning file=tests/a b.py,line=3,title=assay%3A skips::skip-added; test_a; after: @skip",
        "::notice title=assay::OVERALL FAIL",
    ]


def test_sarif() -> None:
    found = json.loads(
        as_sarif(report(row(RowVerdict.PASS), row(RowVerdict.FAIL, FINDING), row(RowVerdict.ERROR)))
    )
    (run,) = found["runs"]
    place = {"artifactLocation": {"uri": "tests/a%20b.py"}, "region": {"startLine": 3}}
    assert run["results"] == [
        {
            "ruleId": "tests",
            "level": "error",
            "message": {"text": "skip-added; test_a; after: @skip"},
            "locations": [{"physicalLocation": place}],
        },
        {"ruleId": "tests", "level": "error", "message": {"text": "ERROR: exit code 1"}},
    ]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["tests"]


def test_junit_reads_as_the_verdict() -> None:
    text = as_junit(
        report(
            row(RowVerdict.PASS, name="a"),
            row(RowVerdict.FAIL, name="b", output="\x1b[31mred"),
            row(RowVerdict.FAIL, FINDING, name="c", required=False),
            row(RowVerdict.NOT_APPLICABLE, name="d"),
            row(RowVerdict.ERROR, name="e"),
        )
    )
    found = read_report("junit", text.encode())
    assert [found.count(ended) for ended in (Ended.PASSED, Ended.FAILED, Ended.SKIPPED)] == [2, 2, 1]
    assert fromstring(text).attrib == {  # noqa: S314 - our own
        "name": "assay", "tests": "5", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip


@given(st.text(), st.text())
def test_no_text_of_an_agent_breaks_out(path: str, text: str) -> None:
    hostile = {"path": path, "line": 1, "rule": text}
    found = report(row(RowVerdict.FAIL, hostile, detail="x"), row(RowVerdict.FAIL, detail=text, output=text))
    assert len([line for line in as_github(found).split("\n") if line.startswith("::")]) == 3
    assert len(as_github(found).split("\n")) == 3
    json.loads(as_sarif(found))
    assert fromstring(as_junit(found)).tag == "testsuite"  # noqa: S314 - our own


@pytest.mark.parametrize("text", ["xml", "", ":", "sarif:", "table"])
def test_unknown_formats(text: str) -> None:
    with pytest.raises(InputError, match="--format must be one of json, github, sarif, junit"):
        parse_format(text)
    assert [parse_format(name) for name in FORMATS] == [(name, None) for name in FORMATS]
