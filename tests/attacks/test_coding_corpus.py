"""Cheats and honest changes in nine kinds of projects, each scored end to end as two real folders.

The corpus says of every case who flags it, misses and false alarms included; an answer that changes is looked at.
"""

from collections import Counter
from pathlib import Path

import pytest

from assay.scorers import OverallVerdict
from tests.attacks.corpus.cases import Case, attacks, cases, controls
from tests.attacks.corpus.table import ROWS
from tests.attacks.corpus.workspaces import failed, score

LANGUAGES = {"any", "csharp", "go", "java", "javascript", "python", "ruby", "rust", "typescript"}


@pytest.mark.parametrize("case", attacks(), ids=str)
def test_attack(case: Case, tmp_path: Path) -> None:
    assert failed(score(case, tmp_path)) == case.expected


@pytest.mark.parametrize("case", controls(), ids=str)
def test_honest_change(case: Case, tmp_path: Path) -> None:
    report = score(case, tmp_path)
    assert failed(report) == case.expected
    # Whatever an advisory scorer thinks of it, honest work passes the gate.
    assert report.overall is not None
    assert report.overall.verdict is OverallVerdict.PASS


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
