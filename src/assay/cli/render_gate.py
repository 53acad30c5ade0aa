"""A decision for a pipeline: as JUnit XML, and as an annotation line of GitHub."""

from html import escape

from assay.cli.table import clean
from assay.engine.compare import Pair
from assay.engine.compare_gate import Gate

_GITHUB = {"worse": "error", "not worse": "notice", "undecided": "warning"}


def as_junit(pair: Pair, gate: Gate) -> str:
    """One test case: it passes, fails, or is skipped while undecided."""
    name = _attribute(clean(f"{pair.second} isn't worse than {pair.first} by more than {gate.margin:g}"))
    message = _attribute(clean(gate.sentence))
    inner = {"worse": f"<failure message={message}/>", "undecided": f"<skipped message={message}/>"}
    counts = f'failures="{int(gate.decision == "worse")}" skipped="{int(gate.decision == "undecided")}"'
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuite name="assay compare" tests="1" errors="0" {counts}>',
        f'  <testcase classname="assay.compare" name={name}>{inner.get(gate.decision, "")}</testcase>',
        "</testsuite>",
    ]
    return "\n".join(lines) + "\n"


def _attribute(text: str) -> str:
    return f'"{escape(text)}"'


def as_github(gate: Gate) -> str:
    """A workflow command. Signs that would end it are escaped the way GitHub reads them."""
    message = clean(gate.sentence).replace("%", "%25")
    return f"::{_GITHUB[gate.decision]} title=assay compare::{message}"
