"""The error tree.

::

    AssayError                 everything that Assay raises on purpose
    ├── InputError             the user's input can't be used: a path, an option, a file (exit code 2)
    ├── MeasurementError       the measurement broke: a source is down, a tool is missing; nothing is scored
    │   └── BrokenCheckError   a check of ours broke, so that asking again won't help
    ├── StoppedError           somebody ended the work: nothing is said about the agent or the measurement
    ├── BoundsError            what an agent left is larger than what is read, so nothing in it can be earned
    ├── UnmeasuredError        a limit of the measurement was reached; its criterion fails and says so
    └── (dialects add theirs)  harbor: RewardError, with one class for each way a reward file can be unusable

Three things must never be mixed up: a wrong answer of an agent is a *score*, an output that can't be used is a
dialect's error with a reason code, and a broken measurement is a ``MeasurementError``.

Each of them can be sent to another process with its text and its fields, whatever its ``__init__`` takes.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

# The name under which Assay is published; 'assay' itself belongs to somebody else.
DISTRIBUTION = "assay-grading"


def install_hint(extra: str) -> str:
    """The command that installs the packages of an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


class AssayError(Exception):
    """Anything that Assay raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self.args), self.__dict__


def _unpickled(kind: type[AssayError], args: tuple[object, ...]) -> AssayError:
    """An error as it was, without another look at what it was made of."""
    return kind.__new__(kind, *args)


class InputError(AssayError):
    """The user's input can't be used. The message is one sentence that says what must be, and what was found."""


class MeasurementError(AssayError):
    """The measurement itself broke, so there is no answer about the agent."""


class StoppedError(AssayError):
    """Somebody ended the work. This says nothing about the agent or the measurement."""


def _goes_on() -> bool:
    return False


# Whether the work of this context should end.
STOPPED: ContextVar[Callable[[], bool]] = ContextVar("stopped", default=_goes_on)


def check_stopped() -> None:
    """Raise ``StoppedError`` if the work of this context should end."""
    if STOPPED.get()():
        raise StoppedError("the work was stopped")


class UnmeasuredError(AssayError):
    """A limit of the measurement was reached, so it is unknown whether what was asked for holds."""


class BrokenCheckError(MeasurementError):
    """A check broke. That says nothing about the agent, nor about its sources."""


class BoundsError(AssayError):
    """An agent's output exceeds what is read, in size, depth, number or time. It counts as a failure."""
