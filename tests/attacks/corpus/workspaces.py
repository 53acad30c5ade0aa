"""Writes a case as two real folders, what the agent got and what it left, and scores them end to end."""

import json
import shutil
from pathlib import Path
from typing import Any

from assay.scorers import RowVerdict, ScorersReport, score_against, scorer_types
from tests.attacks.corpus.cases import Case, Edit
from tests.coding import write_files

# Everything that needs no configuration and runs nothing.
ALWAYS = (
    "forbid_secrets",
    "no_new_skips",
    "assertions_not_weakened",
    "protected_config",
    "runner_tampering",
    "suspicious_source",
)


def score(case: Case, around: Path) -> ScorersReport:
    baseline, workspace = written(case, around)
    scenario = around / "scenario.json"
    scenario.write_text(json.dumps({"workspace_seed": {"type": "empty"}, "scorers": scorers(case)}))
    return score_against(workspace, scenario, baseline)


def written(case: Case, around: Path) -> tuple[Path, Path]:
    """The two folders of a case."""
    baseline, workspace = around / "baseline", around / "workspace"
    write_files(baseline, case.project)
    shutil.copytree(baseline, workspace)
    apply_edits(case, workspace)
    return baseline, workspace


def scorers(case: Case) -> list[dict[str, Any]]:
    plain = [{"name": kind, "type": kind} for kind in ALWAYS]
    assert set(ALWAYS) <= set(scorer_types())
    return plain + [{"name": one["type"], **one} for one in case.scorers]


def failed(report: ScorersReport) -> frozenset[str]:
    """Who says FAIL. A scorer that broke has said nothing, and must not be taken for one that is content."""
    broken = [row.name for row in report.scorers if row.verdict is RowVerdict.ERROR]
    assert not broken, broken
    return frozenset(row.name for row in report.scorers if row.verdict is RowVerdict.FAIL)


def apply_edits(case: Case, workspace: Path) -> None:
    for old, new in case.moves.items():
        (workspace / new).parent.mkdir(parents=True, exist_ok=True)
        (workspace / old).rename(workspace / new)
    for path, edit in case.edits.items():
        _edit(workspace, path, edit)
    for path, target in case.links.items():
        (workspace / path).unlink(missing_ok=True)
        (workspace / path).symlink_to(target)


def _edit(workspace: Path, path: str, edit: Edit) -> None:
    if edit is None:
        (workspace / path).unlink()
    elif isinstance(edit, str):
        write_files(workspace, {path: edit})
    else:
        write_files(workspace, {path: _replaced((workspace / path).read_text(encoding="utf-8"), path, edit)})


def _replaced(text: str, path: str, pairs: list[list[str]]) -> str:
    for old, new in pairs:
        assert text.count(old) == 1, f"{path} has {text.count(old)} of {old!r}"
        text = text.replace(old, new)
    return text
