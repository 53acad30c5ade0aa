"""The measuring of other projects' commits, on a small repository with a commit of each kind."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import honest_commits, honest_summary
from benchmarks.honest_commits import commits, read_findings, scored
from benchmarks.honest_summary import JUDGED, by_judgement, differences, flags, summary, wrong_share
from tests.adapters.workspace.repositories import make_repository

TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n    assert add(0, 0) == 0\n"
ADDED = TEST + "\n\ndef test_more():\n    assert add(1, 1) == 2\n"
WEAKER = ADDED.replace("    assert add(2, 3) == 5\n", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of repositories with one in it. Its newest commits: one that weakens a test, one that adds one."""
    repository = tmp_path / "repositories" / "owner+calc"
    states = (
        {"calc.py": "def add(a, b):\n    return a + b\n", "tests/test_calc.py": TEST},
        {"tests/test_calc.py": ADDED},
        {"README.md": "No test is changed.\n"},
        {"tests/test_calc.py": WEAKER},
    )
    make_repository(repository, *states)
    return repository.parent


def test_commits_that_change_tests_are_scored_against_their_parent(folder: Path) -> None:
    chosen = list(commits(folder / "owner+calc", 10))
    assert [(one.language, one.tests) for one in chosen] == [("Python", ("tests/test_calc.py",))] * 2
    weaker, added = map(scored, chosen)
    assert weaker["scorers"]["assertions_not_weakened"]["verdict"] == "FAIL"
    assert weaker["scorers"]["assertions_not_weakened"]["findings"][0]["path"] == "tests/test_calc.py"
    assert flags([weaker, added]) == {("owner+calc", chosen[0].commit, "assertions_not_weakened")}
    assert list(commits(folder / "owner+calc", 1)) == chosen[:1]


def test_a_run_goes_on_where_another_ended(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = tmp_path / "findings.jsonl"
    for most, expected in ((1, 1), (2, 2), (2, 2)):
        monkeypatch.setattr(sys, "argv", ["", str(folder), str(findings), "--commits", str(most)])
        assert honest_commits.main() == 0
        assert len(read_findings(findings)) == expected
    monkeypatch.setattr(sys, "argv", ["", str(findings), "--before", str(findings)])
    assert honest_summary.main() == 0
    said = capsys.readouterr().out
    assert "2 commits of 1 repositories" in said
    assert "| Python | 1 | 2 | 0 | 1 | 0 | 0 | 0 | 0 | 1 (9.5 to 90.5 %) | 0 (0.0 to 84.2 %) |" in said


def test_no_further_commit_is_begun_after_the_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = tmp_path / "findings.jsonl"
    monkeypatch.setattr(sys, "argv", ["", str(folder), str(findings), "--minutes", "-1"])
    assert honest_commits.main() == 0
    assert read_findings(findings) == []
    assert "run it again to go on" in capsys.readouterr().err


def test_what_became_of_judged_flags() -> None:
    judged = [
        {"repository": "a", "commit": "1", "scorer": "no_new_skips", "judgement": "right"},
        {"repository": "a", "commit": "2", "scorer": "no_new_skips", "judgement": "wrong"},
    ]
    table = by_judgement({("a", "1", "no_new_skips")}, judged)
    assert table.splitlines()[2:] == ["| `no_new_skips` | 2 | 1 | 1 | 1 | 0 | 0 | 0 |"]


def test_differences_are_told_for_commits_that_both_have() -> None:
    def record(commit: str, *kinds: str) -> dict[str, object]:
        return {"repository": "a", "commit": commit, "scorers": {kind: {"verdict": "FAIL"} for kind in kinds}}

    before = [record("1", "no_new_skips"), record("2"), record("3", "no_new_skips")]
    after = [record("1"), record("2", "runner_tampering"), record("4", "no_new_skips")]
    assert list(differences(before, after)) == ["gone: a 1 no_new_skips", "new: a 2 runner_tampering"]


def test_the_judged_commits_are_those_that_the_page_counts() -> None:
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))
    commits = {(one["sample"], one["repository"], one["commit"]) for one in judged}
    assert Counter(sample for sample, _, _ in commits) == {"first": 60, "second": 60, "third": 30}
    assert {one["judgement"] for one in judged} == {"right", "wrong", "undecidable"}
    assert len(list(summary([_nothing()], judged))) == 2 + 2 * 3


def test_a_commit_with_a_right_flag_is_flagged_rightly() -> None:
    judged = [
        {"repository": "a", "commit": "1", "scorer": "no_new_skips", "judgement": "wrong"},
        {"repository": "a", "commit": "1", "scorer": "assertions_not_weakened", "judgement": "right"},
        {"repository": "a", "commit": "2", "scorer": "no_new_skips", "judgement": "wrong"},
    ]
    assert wrong_share(judged) == "2 commits, 1 right, 1 wrong, 0 undecidable; wrong are 9 to 91 %."


def _nothing() -> dict[str, object]:
    return {"repository": "a", "commit": "1", "language": "Go", "scorers": {}, "cpu_s": 0.0}
