"""The file that ``assay judge calibrate`` writes, as far as a judge needs it."""

from assay.adapters.records import parse_record
from assay.core.errors import InputError
from assay.dialects.scorers.calibration_record import CalibrationRecord
from assay.engine.judge_trust import Trust


def read_trust(path: str) -> Trust:
    """What a calibration says. Raises ``InputError`` for a file that isn't one."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"the calibration {path} can't be read: {error.strerror}") from error
    found = parse_record(data, CalibrationRecord, path)
    return Trust(tuple(found.models), found.prompt_sha256, tuple(found.unmet))
