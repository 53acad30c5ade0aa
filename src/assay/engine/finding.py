"""A finding of an audit about one field."""

from dataclasses import dataclass
from enum import Enum


class Standing(Enum):
    """How a recorded field compares with the value that follows from the trials."""

    SAME = "same"
    SAME_BUT_FOR_ORDER = "same but for the order of trials"
    DIFFERS = "differs"
    TAKEN = "taken as recorded"


@dataclass(frozen=True, slots=True)
class Finding:
    """One field of a job's result, or one trial's rewards: the recorded value and the derived one."""

    field: str
    standing: Standing
    recorded: object = None
    derived: object = None
