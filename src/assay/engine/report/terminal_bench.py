"""Read folders of terminal-bench results as a job: every run, scored or not, and the published figures."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.dialects.harbor.job_config import ConfiguredMetrics, metrics_for
from assay.dialects.harbor.terminal_bench import (
    ImportedFolder,
    Metadata,
    Published,
    TerminalBenchError,
    import_metadata,
    import_results,
    import_run,
)
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job, Problem
from assay.engine.report.audit_rewards import AuditFinding, Standing
from assay.evidence.files import Content, File
from assay.formats.counting import counted
from assay.stats.passes import Attempts, estimate_pass_at_k

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class ResultsFolder:
    """One run folder as it was read: its own files, and the results.json of every run in it."""

    name: str
    results: File
    metadata: File
    runs: list[tuple[str, File]]


@dataclass(frozen=True, slots=True)
class Submission:
    """Run folders that belong together, imported. ``job`` pools their runs."""

    job: Job
    folders: dict[str, ImportedFolder]


def import_terminal_bench(name: str, folders: Iterable[ResultsFolder]) -> Submission:
    """All runs of all folders. A run that can't be used becomes a problem of the job, with the reason."""
    imported: dict[str, ImportedFolder] = {}
    problems: list[Problem] = []
    notes: list[str] = []
    for folder in folders:
        metadata = _metadata(folder, notes)
        found = _import(folder, metadata, problems, notes)
        imported[folder.name] = _not_listed_around(folder.name, found, imported, notes)
    trials = [run for one in imported.values() for run in one.runs]
    if not trials and not problems:
        raise InputError(f"{name} has no runs")
    metrics = ConfiguredMetrics(metrics_for({trial.dataset for trial in trials}))
    return Submission(Job(name, trials, problems, metrics, recorded=None, notes=notes), imported)


def audit_published(submission: Submission) -> list[AuditFinding]:
    """Whether the figures that each folder publishes follow from its runs, within 1e-9."""
    return [finding for name, folder in submission.folders.items() for finding in _audit_folder(name, folder)]


def _not_listed_around(
    name: str, folder: ImportedFolder, imported: Mapping[str, ImportedFolder], notes: list[str]
) -> ImportedFolder:
    """A run folder in another one without the runs that the outer one lists, so that each counts once."""
    around = imported.get(name.rpartition("/")[0])
    known = set() if around is None else {run.name for run in around.runs}
    runs = [run for run in folder.runs if run.name not in known]
    if len(runs) < len(folder.runs):
        listed = counted(len(folder.runs) - len(runs), "run")
        notes.append(f"{name}: left out {listed} that the folder around it lists")
    return replace(folder, runs=runs)


def _metadata(folder: ResultsFolder, notes: list[str]) -> Metadata:
    if isinstance(folder.metadata, Content):
        try:
            return import_metadata(folder.metadata.data)
        except TerminalBenchError as error:
            notes.append(f"{folder.name}: {error}")
    else:
        notes.append(f"{folder.name} has no run_metadata.json, so its agent is unknown")
    return Metadata()


def _import(
    folder: ResultsFolder, metadata: Metadata, problems: list[Problem], notes: list[str]
) -> ImportedFolder:
    """The folder's list of runs, and the runs in the folder that the list leaves out."""
    listed = ImportedFolder([], Published(), [], [])
    if isinstance(folder.results, Content):
        try:
            listed = import_results(folder.results.data, metadata)
        except TerminalBenchError as error:
            notes.append(f"{folder.name}: {error}")
    else:
        notes.append(f"{folder.name} has no results.json, so its runs are read one by one")
    notes += [f"{folder.name}: {note}" for note in listed.notes]
    own = {name for name, _ in folder.runs}
    problems += [
        Problem(f"{folder.name} {one.where}", _MALFORMED, one.why, over=True)
        for one in listed.problems
        if one.run not in own
    ]
    known = {run.name for run in listed.runs}
    others = [_import_own(name, file, metadata, problems) for name, file in folder.runs if name not in known]
    return ImportedFolder(listed.runs + [run for run in others if run is not None], listed.published, [], [])


_MALFORMED = "harbor_trial_result_malformed"


def _import_own(name: str, file: File, metadata: Metadata, problems: list[Problem]) -> Trial | None:
    if not isinstance(file, Content):
        problems.append(Problem(name, "harbor_trial_result_missing", "no results.json", over=True))
        return None
    try:
        return import_run(file.data, metadata)
    except TerminalBenchError as error:
        problems.append(Problem(name, _MALFORMED, str(error), over=True))
        return None


def _audit_folder(name: str, folder: ImportedFolder) -> list[AuditFinding]:
    attempts = _attempts(folder.runs)
    n_runs, resolved = len(folder.runs), sum(task.c for task in attempts.values())
    published = folder.published
    figures: dict[str, tuple[float | None, float | None]] = {
        "n_resolved": (published.n_resolved, resolved),
        "n_unresolved": (published.n_unresolved, n_runs - resolved),
        "accuracy": (published.accuracy, resolved / n_runs if n_runs else 0.0),
    }
    for k, value in published.pass_at_k.items():
        chosen = _whole_number(k)
        figures[f"pass_at_k.{k}"] = (value, estimate_pass_at_k(attempts, chosen).value if chosen else None)
    return [
        AuditFinding(f"{name}.{field}", _standing(one, other), one, other)
        for field, (one, other) in figures.items()
    ]


def _attempts(trials: Iterable[Trial]) -> dict[str, Attempts]:
    """Attempts and successes of each task. For terminal-bench, a run without a result is a failed attempt."""
    counts: dict[str, list[int]] = {}
    for trial in trials:
        count = counts.setdefault(trial.task, [0, 0])
        count[0] += 1
        count[1] += (trial.rewards or {}).get("reward", 0) >= 1
    return {task: Attempts(n, c) for task, (n, c) in counts.items()}


def _whole_number(text: str) -> int | None:
    """A whole number of at least 1 with a reasonable number of digits; None for anything else."""
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 10 else None


def _standing(one: float | None, other: float | None) -> Standing:
    if one is None or other is None:
        return Standing.SAME if one is other else Standing.TAKEN
    close = math.isclose(one, other, rel_tol=0, abs_tol=TOLERANCE)
    return Standing.SAME if close else Standing.DIFFERS
