"""Scores a case, what the agent got and what it left: in memory, or end to end as two real folders."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.dialects.scorers.report import Provenance
from assay.engine.coding.score import placed_checks, score_run
from assay.scorers import RowVerdict, Scenario, ScorersReport, score_against, scorer_types
from assay.version import VERSION
from tests.attacks.corpus.cases import Case, Edit
from tests.checks.fake_workspace import FakeWorkspace
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
_READ: dict[object, Any] = {}


class _ReadOnce(FakeWorkspace):
    """The cases of a language are changes of one project, so that most texts come again and again."""

    def read_apart(self, read: Callable[[Any], Any], question: Any, answer: type[Any]) -> Any:
        if (read, question) not in _READ:
            _READ[read, question] = super().read_apart(read, question, answer)
        return _READ[read, question]


def is_more_than_files(case: Case) -> bool:
    """Whether there is something in a case that a workspace in memory doesn't have."""
    return bool(case.links) or any(".git" in path.split("/") for path in case.edits)


def score(case: Case) -> ScorersReport:
    """Score a case in memory, by the scorers themselves."""
    checks = placed_checks(Scenario.model_validate(scenario(case)), str(case))
    return score_run(checks, workspace(case), Provenance(engine=VERSION, scenario_sha256=""))


def workspace(case: Case) -> FakeWorkspace:
    """What the agent got and what it left."""
    files = {case.moves.get(path, path): text for path, text in case.project.items()}
    for path, edit in case.edits.items():
        match edit:
            case None:
                del files[path]
            case str():
                files[path] = edit
            case _:
                files[path] = _replaced(files[path], path, edit)
    left = {path: text for path, text in files.items() if path not in case.links}
    return _ReadOnce(case.project, left, links=case.links)


def score_folders(case: Case, around: Path) -> ScorersReport:
    """Score a case as two real folders, end to end."""
    baseline, left = written(case, around)
    path = around / "scenario.json"
    path.write_text(json.dumps(scenario(case)))
    return score_against(left, path, baseline)


def scenario(case: Case) -> dict[str, Any]:
    return {"workspace_seed": {"type": "empty"}, "scorers": scorers(case)}


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
