"""A comparison as an outcome: the score is the share of tests without a finding, the evidence says where."""

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType

from assay.core.outcome import NotApplicable, Outcome, Scored
from assay.detectors.test_code.changed import ChangedTests
from assay.detectors.test_code.findings import Finding, SuiteComparison
from assay.detectors.test_code.lines import net_added
from assay.evidence.workspace import UnreadableError
from assay.formats.counting import counted

_MOST = 200


def outcome_of(
    changed: ChangedTests,
    result: SuiteComparison,
    by_lines: list[Finding],
    words: tuple[str, str],
    more: Mapping[str, object] = MappingProxyType({}),
) -> Outcome:
    """``words`` say what is wrong with a finding and what is right without one. ``more`` is added to the evidence.

    Raises ``UnreadableError`` if there is no finding and a file couldn't be compared.
    """
    if not changed.files:
        return NotApplicable("no test file changed")
    compared = [*result.findings, *by_lines]
    within = None if len(compared) < 2 else _framework_changed(changed, compared)
    findings = [*changed.unusable, *(compared if within is None else [within])]
    evidence = {**_evidence(changed, result, findings), **more}
    if within is not None:
        evidence["within_it"] = [asdict(each) for each in compared[:_MOST]]
    if findings:
        first = findings[0]
        place = f"{first.path} line {first.line}" if first.line else first.path
        summary = f"{counted(len(findings), words[0])}, first in {place}: {first.rule}"
        return Scored(_score(changed, result, by_lines), passed=False, summary=summary, evidence=evidence)
    if changed.unjudged:
        others = len(changed.unjudged) - 1
        raise UnreadableError(changed.unjudged[0] + (f" (and {counted(others, 'more file')})" if others else ""))
    return Scored(1.0, passed=True, summary=f"{words[1]} in {_files(changed.files)}", evidence=evidence)


def _framework_changed(changed: ChangedTests, compared: list[Finding]) -> Finding | None:
    from assay.detectors.test_code.frameworks import framework_changed  # noqa: PLC0415 - rarely needed

    texts = [(one.before_text, one.after_text) for one in changed.pairs]
    return framework_changed([*texts, *((one.before, one.after) for one in changed.by_lines)], compared)


def _score(changed: ChangedTests, result: SuiteComparison, by_lines: list[Finding]) -> float:
    """The share of tests, and of files that are compared as a whole, without a finding; below 1 in any case."""
    whole_files = {each.path for each in changed.by_lines} | {each.path for each in changed.unusable}
    compared = max(result.compared + len(whole_files), 1)
    worse = min(result.worse + len(by_lines) + len(changed.unusable), compared)
    return min(1 - worse / compared, 0.99)


def _evidence(changed: ChangedTests, result: SuiteComparison, findings: list[Finding]) -> dict[str, object]:
    evidence: dict[str, object] = {
        "findings": [asdict(each) for each in findings[:_MOST]],
        "languages": changed.languages,
        "compared_by_lines": [each.path for each in changed.by_lines],
    }
    if changed.unjudged:
        evidence["not_compared"] = changed.unjudged[:_MOST]
    if len(findings) > _MOST:
        evidence["findings_left_out"] = len(findings) - _MOST
    if result.explained:
        evidence["explained"] = [asdict(each) for each in result.explained[:_MOST]]
    return evidence


def line_findings(changed: ChangedTests, *, skips: bool) -> list[Finding]:
    """The document's heuristic, over all files without a reader together: moving a line is no change."""
    nets = [(each, *net_added(each.before, each.after, skips=skips)) for each in changed.by_lines]
    wrong = 1 if skips else -1
    if sum(net for _, net, _ in nets) * wrong <= 0:
        return []
    rule = "more-skip-lines" if skips else "fewer-assertion-lines"
    return [
        Finding(rule, each.path, line, "", "" if skips else text, text if skips else "")
        for each, net, lines in nets
        if net * wrong > 0
        for line, text in lines[:3]
    ]


def _files(number: int) -> str:
    return "1 changed test file" if number == 1 else f"{number} changed test files"
