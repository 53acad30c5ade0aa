"""The gradings of a trial: numbered files beside its result, written once and never changed."""

import hashlib
import os
import re

from assay.adapters.safe_read import read_below
from assay.core.errors import InputError
from assay.dialects.evaluation.grading import Grading
from assay.engine.grading_record import Before
from assay.evidence.files import Content

FOLDER = "gradings"
LIMIT = 64 * 2**20
_NAME = re.compile(r"^(\d{4,})\.json$")


def last_grading(trial_dir: str) -> Before:
    """The gradings so far, and the hash of the newest."""
    numbers = _numbers(trial_dir)
    if not numbers:
        return Before()
    digest = hashlib.sha256(_read(trial_dir, numbers[-1])).hexdigest()
    return Before(tuple(read_gradings(trial_dir)), digest)


def write_grading(trial_dir: str, grading: Grading) -> str:
    """Keep a grading under its number. A number that is taken is an error: nothing is overwritten."""
    folder = f"{trial_dir}/{FOLDER}"
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/{grading.number:04d}.json"
    part = f"{folder}/.{grading.number:04d}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(grading.model_dump_json(indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(part, path)  # Unlike a rename, a link fails where the name is taken.
    except FileExistsError as error:
        raise InputError(f"{path} exists already; is the trial being graded by somebody else?") from error
    finally:
        os.unlink(part)
    return path


def read_gradings(trial_dir: str) -> list[Grading]:
    """All gradings of a trial, the oldest first. Raises ``InputError`` for one that can't be read."""
    found: list[Grading] = []
    for number in _numbers(trial_dir):
        try:
            found.append(Grading.model_validate_json(_read(trial_dir, number)))
        except ValueError as error:
            raise InputError(f"{trial_dir}/{FOLDER}/{number:04d}.json is not a grading: {error}") from error
    return found


def _read(trial_dir: str, number: int) -> bytes:
    file = read_below(trial_dir, (FOLDER, f"{number:04d}.json"), LIMIT)
    if not isinstance(file, Content):
        raise InputError(f"{trial_dir}/{FOLDER}/{number:04d}.json can't be read")
    return file.data


def _numbers(trial_dir: str) -> list[int]:
    try:
        names = os.listdir(f"{trial_dir}/{FOLDER}")
    except OSError:
        return []
    return sorted(int(match[1]) for name in names if (match := _NAME.match(name)))
