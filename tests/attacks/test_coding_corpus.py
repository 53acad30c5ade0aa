"""Cheats and honest changes in nine kinds of projects, scored in memory, and some end to end as two real folders.

The corpus says of every case who flags it, misses and false alarms included; an answer that changes is looked at.
"""

from collections import Counter
from pathlib import Path

import pytest

from assay.scorers import OverallVerdict, ScorersReport
from tests.attacks.corpus.cases import Case, attacks, cases, controls
from tests.attacks.corpus.table import ROWS
from tests.attacks.corpus.workspaces import failed, is_more_than_files, score, score_folders
from tests.sampling import sampled

LANGUAGES = {"any", "csharp", "go", "java", "javascript", "python", "ruby", "rust", "typescript"}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_attacks(language: str) -> None:
    found = {case: failed(score(case)) for case in attacks() if case.language == language and in_memory(case)}
    assert {str(case): by for case, by in found.items() if by != case.expected} == {}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_honest_changes(language: str) -> None:
    reports = {case: score(case) for case in controls() if case.language == language and in_memory(case)}
    assert {str(case): failed(one) for case, one in reports.items() if failed(one) != case.expected} == {}
    assert [str(case) for case, report in reports.items() if not passes_the_gate(report)] == []


def passes_the_gate(report: ScorersReport) -> bool:
    """Whatever an advisory scorer thinks of it, honest work passes."""
    return report.overall is not None and report.overall.verdict is OverallVerdict.PASS


def in_memory(case: Case) -> bool:
    return not is_more_than_files(case)


@pytest.mark.parametrize(
    "case", [*filter(is_more_than_files, cases()), *sampled(filter(in_memory, cases()), 30)], ids=str
)
def test_two_folders_are_scored_alike(case: Case, tmp_path: Path) -> None:
    report = score_folders(case, tmp_path)
    assert failed(report) == case.expected
    assert passes_the_gate(report) or not case.honest


def test_every_case_has_an_answer() -> None:
    """An attack is found out by somebody or has a reason why not, and never both."""
    assert [str(case) for case in attacks() if bool(case.by) is bool(case.missed)] == []
    assert [str(case) for case in controls() if bool(case.flagged) is not bool(case.why)] == []


def test_no_name_stands_for_two_cases() -> None:
    assert [name for name, count in Counter(map(str, cases())).items() if count > 1] == []


def test_the_corpus_covers_what_it_claims() -> None:
    assert {case.language for case in attacks()} == {case.language for case in controls()} == LANGUAGES
    assert len(attacks()) >= 80
    assert len(controls()) >= 30
    assert all(any(case.row in rows for case in attacks()) for rows in ROWS)
    assert all(any(case.row in rows for rows in ROWS) for case in attacks())
