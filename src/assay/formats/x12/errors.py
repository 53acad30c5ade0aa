"""What this format raises: text that is no X12 (the sender's doing), a path that can't be read (the author's)."""

from assay.core.errors import AssayError, InputError


class NotX12Error(AssayError):
    """The text has no ISA header, or too many segments. What is wrong with any other text becomes findings."""


class X12PathError(InputError):
    """A path that can't be read. ``problem`` says what would be right; ``position`` counts characters from 1."""

    def __init__(self, path: str, position: int, problem: str) -> None:
        super().__init__(f"the X12 path {path!r} is wrong at character {position}: {problem}")
        self.path = path
        self.position = position
        self.problem = problem
