"""The gradings of a trial: numbered files beside its result, written once and never changed."""

import hashlib

from assay.adapters.numbered_files import numbers_in, read_numbered, write_numbered
from assay.adapters.records import read_records
from assay.dialects.evaluation.grading import Grading
from assay.engine.grading_record import Before

FOLDER = "gradings"


def last_grading(trial_dir: str) -> Before:
    """The gradings so far, and the hash of the newest."""
    numbers = numbers_in(trial_dir, FOLDER)
    if not numbers:
        return Before()
    digest = hashlib.sha256(read_numbered(trial_dir, FOLDER, numbers[-1])).hexdigest()
    return Before(tuple(read_gradings(trial_dir)), digest)


def write_grading(trial_dir: str, grading: Grading) -> str:
    """Keep a grading under its number."""
    return write_numbered(trial_dir, FOLDER, grading.number, grading.model_dump_json(indent=2) + "\n")


def read_gradings(trial_dir: str) -> list[Grading]:
    """All gradings of a trial, the oldest first. Raises ``InputError`` for one that can't be read."""
    return read_records(trial_dir, FOLDER, Grading)
