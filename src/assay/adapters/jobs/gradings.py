"""The gradings of a trial: numbered files beside its result, written once and never changed."""

import hashlib

from assay.adapters.machine.numbered_files import file_name, read_all_numbered, write_numbered
from assay.adapters.machine.record_files import parse_record
from assay.core.errors import InputError
from assay.dialects.evaluation.grading import Grading
from assay.engine.run.grading_record import Before

FOLDER = "gradings"


def last_grading(trial_dir: str) -> Before:
    """The gradings so far, and the hash of the newest one that was read: another may be written meanwhile."""
    found = read_all_numbered(trial_dir, FOLDER)
    if not found:
        return Before()
    newest = hashlib.sha256(found[max(found)]).hexdigest()
    return Before(tuple(_parsed(trial_dir, found)), newest)


def write_grading(trial_dir: str, grading: Grading) -> str:
    """Keep a grading under its number."""
    return write_numbered(trial_dir, FOLDER, grading.number, grading.model_dump_json(indent=2) + "\n")


def read_gradings(trial_dir: str) -> list[Grading]:
    """All gradings of a trial, the oldest first. Raises ``InputError`` for one that can't be read."""
    return _parsed(trial_dir, read_all_numbered(trial_dir, FOLDER))


def _parsed(trial_dir: str, found: dict[int, bytes]) -> list[Grading]:
    gradings = []
    for number, data in found.items():
        path = f"{trial_dir}/{FOLDER}/{file_name(number)}"
        grading = parse_record(data, Grading, path)
        if grading.number != number:
            raise InputError(
                f"{path} isn't a valid grading: number must be {number} as in its name, got {grading.number}"
            )
        gradings.append(grading)
    return gradings
