"""The errors of reading a verifier's reward, each with harbor's message and a reason code.

::

    RewardError                       reason code                  harbor's exception
    ├── RewardFileNotFoundError       harbor_reward_missing        the same
    ├── RewardFileEmptyError          harbor_reward_empty          the same
    ├── VerifierOutputParseError      harbor_reward_parse_error    the same
    ├── RewardValidationError         harbor_reward_parse_error    ValidationError (harbor retries it)
    ├── RewardNestingError            harbor_reward_parse_error    RecursionError
    └── RewardFileRefusedError        harbor_reward_parse_error    IsADirectoryError and the like
"""

from typing import ClassVar

from assay.core.errors import AssayError
from assay.evidence.files import Refusal, Refused


class RewardError(AssayError):
    """A verifier's reward can't be used. The text of the error is harbor's."""

    reason_code: ClassVar[str] = "harbor_reward_parse_error"
    retried_by_harbor: ClassVar[bool] = True

    @property
    def exception_type(self) -> str:
        """The name of the exception that harbor would have recorded on the trial."""
        return type(self).__name__


class RewardFileNotFoundError(RewardError, FileNotFoundError):
    """Neither reward.json nor reward.txt exists."""

    reason_code = "harbor_reward_missing"
    retried_by_harbor = False


class RewardFileEmptyError(RewardError):
    """The reward file has no bytes. A file with only white space is a parse error instead."""

    reason_code = "harbor_reward_empty"
    retried_by_harbor = False


class VerifierOutputParseError(RewardError):
    """The reward file isn't a number, or isn't JSON."""

    retried_by_harbor = False


class RewardValidationError(RewardError, ValueError):
    """The reward file can be parsed, but its content isn't a set of rewards."""

    @property
    def exception_type(self) -> str:
        return "ValidationError"


class RewardNestingError(RewardError):
    """The JSON is nested too deeply to be parsed."""

    @property
    def exception_type(self) -> str:
        return "RecursionError"


class RewardFileRefusedError(RewardError):
    """The path of the reward file has something that must not be read: a link, a pipe, a folder."""

    def __init__(self, refused: Refused) -> None:
        self.refused = refused
        super().__init__(_words(refused))

    @property
    def exception_type(self) -> str:
        return _HARBOR_TYPES.get(self.refused.why, "RewardFileRefusedError")


_HARBOR_TYPES = {Refusal.FOLDER: "IsADirectoryError", Refusal.UNREADABLE: "PermissionError"}


def _words(refused: Refused) -> str:
    if refused.why is Refusal.FOLDER:
        return f"[Errno 21] Is a directory: {refused.path!r}"
    return f"Reward file refused: {refused}"
