"""Reading hostile text apart: in a process that can be killed, within limits on time and memory.

Some parsers never return from some texts, and only killing their process stops them. Checks and detectors call
such a parser through ``Workspace.read_apart``; an adapter decides where it runs.
"""

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

from assay.core.errors import AssayError

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class UnreadableError(AssayError):
    """A text can't be read within the limits. The message is the reason, without a subject and a full stop."""


class ReadApart(Protocol):
    """Calls a function of a module with one value that can be pickled, and returns data of the type ``answer``."""

    def __call__(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        """What ``read`` returns. Raises ``UnreadableError`` if ``read`` raises it or exceeds the limits."""
        ...


def read_here(read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:  # noqa: ARG001
    """A ``ReadApart`` without limits, in this process: for text that is known to be harmless."""
    return read(question)
