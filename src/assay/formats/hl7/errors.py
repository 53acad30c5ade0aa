"""The two ways in which HL7 v2 can be unusable: the text (the sender's doing) and the path (the author's).

Neither quotes more of a message than a segment's name: field values are clinical data and must not reach a log.
"""

from assay.core.errors import AssayError, InputError


class Hl7Error(AssayError):
    """The text is not HL7 v2. The message says what is wrong and where."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


class Hl7PathError(InputError):
    """A path that names no place in a message. ``position`` counts characters from 1."""

    def __init__(self, path: str, position: int, problem: str) -> None:
        super().__init__(f"the HL7 path {path!r} is wrong at character {position}: {problem}")
        self.path = path
        self.position = position
        self.problem = problem
