"""How far a judge can be trusted: the file of ``assay judge calibrate``, and what people say about runs."""

import os
from collections.abc import Sequence
from typing import Final, Literal

from assay.adapters.jobs.annotations import read_annotations
from assay.adapters.machine.record_files import parse_record
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Judgment
from assay.dialects.scorers.calibration_record import CalibrationRecord, LabelLine

_VERDICTS: Final[dict[Judgment, Literal["PASS", "FAIL", "defer"]]] = {
    Judgment.PASS: "PASS",
    Judgment.FAIL: "FAIL",
    Judgment.DEFER: "defer",
}


def read_trust(path: str) -> CalibrationRecord:
    """Read a calibration. Raises ``InputError`` for a file that isn't one."""
    return parse_record(_read(path, "calibration"), CalibrationRecord, path)


def labels_beside(runs: Sequence[str]) -> list[LabelLine]:
    """The annotations of each run; the first category of a failure is its failure_mode."""
    return [
        LabelLine(
            run=run,
            annotator=one.reviewer_id,
            verdict=_VERDICTS[one.judgment],
            failure_mode=one.categories[0] if one.categories else None,
        )
        for run in runs
        for one in read_annotations(run)
    ]


def labels_in(path: str, runs: Sequence[str]) -> list[LabelLine]:
    """The labels in a file, one JSON object a line. Raises ``InputError`` for a line that isn't one."""
    lines = _read(path, "labels").splitlines()
    found = [
        parse_record(line, LabelLine, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    named = {name: run for run in runs for name in (run, os.path.basename(os.path.normpath(run)))}
    missing = next((one.run for one in found if one.run not in named), None)
    if missing is not None:
        raise InputError(f"{path}: every run must be among those that are passed, got {missing!r}")
    return [one.model_copy(update={"run": named[one.run]}) for one in found]


def _read(path: str, what: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"the {what} {path} can't be read: {error.strerror}") from error
