"""Reading hostile text apart: in a process that can be stopped, within bounds on time and memory.

Some parsers never return from some texts, and nothing but the end of their process stops them. Checks and detectors
ask for such a reading through ``Workspace.read_apart``; an adapter decides where it happens.
"""

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

from assay.core.errors import AssayError

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class UnreadableError(AssayError):
    """A text could not be read within the bounds. The message is the reason, and goes on a sentence."""


class ReadApart(Protocol):
    """Calls a function of a module with one value that can be pickled, and returns data of the type ``answer``."""

    def __call__(self, read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:
        """What ``read`` returns. Raises ``UnreadableError`` if ``read`` does, or doesn't finish within the bounds."""
        ...


def read_here(read: Callable[[Question], Answer], question: Question, answer: type[Answer]) -> Answer:  # noqa: ARG001
    """A ``ReadApart`` without bounds, in this process: for text that is known to be harmless."""
    return read(question)
