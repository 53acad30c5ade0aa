"""What is remembered of commands from one grading to the next: the same, run in the same way, ends the same.

A run that was stopped isn't remembered, nor one that came out differently when it was repeated.
"""

from typing import Protocol

from assay.evidence.workspace import CommandResult


class ResultMemory(Protocol):
    """Results by a key, which is the hash of everything that they follow from. No method raises."""

    def recall(self, key: str) -> CommandResult | None:
        """The result; None if there is none that can be trusted."""
        ...

    def keep(self, key: str, ran: CommandResult) -> bool:
        """Remember a result. Returns whether that worked."""
        ...

    def forget(self, key: str) -> None:
        """Remember it no longer."""
        ...

    def word(self, of: str) -> str | None:
        """A word that is always the same for a text, and that nobody else can guess; None if there is none."""
        ...


def may_be_kept(ran: CommandResult) -> bool:
    """Whether a command came to its own end. Another time, what was stopped may finish."""
    return ran.end.exit_code is not None and not (ran.end.timed_out or ran.end.out_of_memory or ran.end.excess)
