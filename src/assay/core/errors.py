"""The error tree.

::

    AssayError                 everything that Assay raises on purpose
    ├── InputError             what the user named can't be used: a path, an option, a file (exit code 2)
    ├── MeasurementError       the measurement broke: a source is down, a tool is missing; nothing is scored
    └── (dialects add theirs)  harbor: RewardError, with one class for each way a reward file can be unusable

The three that must never be mixed up: an agent that was wrong is a *score*, output that can't be used is
a dialect's error with a reason code, and a measurement that broke is a ``MeasurementError``.
"""


class AssayError(Exception):
    """Anything that Assay raises on purpose."""


class InputError(AssayError):
    """What the user named can't be used. The message is one sentence that says what would be right."""


class MeasurementError(AssayError):
    """The measurement itself broke, so there is no answer about the agent."""
