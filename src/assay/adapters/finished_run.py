"""The folder of a finished run, to which reviewers and programs may add records."""

import json
import os

from assay.adapters.safe_read import read_below
from assay.core.errors import InputError
from assay.evidence.files import Content

RESULT_LIMIT = 64 * 2**20


def finished_run(trial_dir: str | os.PathLike[str]) -> str:
    """The path of the folder. Raises ``InputError`` if it isn't that of a finished run."""
    folder = os.fspath(trial_dir)
    if not any(os.path.isfile(f"{folder}/{name}") for name in ("result.json", "run.json")):
        raise InputError(f"{folder} must be the folder of a finished run, but it has no result.json or run.json")
    if _is_job(folder):
        raise InputError(f"{folder} must be the folder of a run, but it is a job; pass one of the runs in it")
    return folder


def _is_job(folder: str) -> bool:
    """Whether a folder is a job, whose result counts trials. A run with a broken result may be reviewed, too."""
    file = read_below(folder, ("result.json",), RESULT_LIMIT)
    try:
        found = json.loads(file.data) if isinstance(file, Content) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "n_total_trials" in found
