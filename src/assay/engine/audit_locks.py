"""Compare the lock.json of each trial, which harbor writes since 0.17, with the entry in the job's lock.json."""

import json
from collections.abc import Iterable
from typing import Any

from assay.dialects.harbor.trial import Trial
from assay.engine.finding import Finding, Standing
from assay.engine.ports import JobFolder
from assay.evidence.files import Content, File


def audit_locks(folder: JobFolder, trials: Iterable[Trial]) -> list[Finding]:
    """One finding for each trial whose lock isn't in the job's, and one for all others, if trials have locks."""
    found = [(trial.name, folder.trial_lock(trial.name)) for trial in trials]
    locks = {name: file for name, file in found if isinstance(file, Content)}
    if not locks:
        return []
    planned = _planned(folder.file("lock.json"))
    if planned is None:
        return []
    strange = [name for name, file in locks.items() if _canonical(_loads(file)) not in planned]
    kept = f"{len(locks) - len(strange)} are in the job's lock.json"
    return [
        Finding("trial locks", Standing.SAME, kept, kept),
        *(Finding(f"trial {name} lock.json", Standing.DIFFERS, "not in the job's lock.json") for name in strange),
    ]


def _planned(file: File) -> set[str] | None:
    """The entries of the job's lock.json; None if it has none."""
    match _loads(file) if isinstance(file, Content) else None:
        case {"trials": list(trials)}:
            return {_canonical(trial) for trial in trials}
    return None


def _loads(file: Content) -> Any:
    try:
        return json.loads(file.data)
    except (ValueError, RecursionError):
        return None


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
