"""A judge's opinion on what was said in a call. It accompanies a result, and is part of one only where an author
asks for a judge's reading.

Nothing here asks a model.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, runtime_checkable

from assay.evidence.playground import PlaygroundState, Turn

NO_JUDGE: Final = "no judge is configured"


@dataclass(frozen=True, slots=True)
class Unparseable:
    """There is no verdict: neither PASS nor FAIL."""

    why: str


@dataclass(frozen=True, slots=True)
class Question:
    """Was one of the phrases said, in any words, in a turn that counts?

    The judge reads all ``turns``, because a "yes" means nothing without its question. With ``stands``: and does it
    still hold at the end of the call?
    """

    phrases: tuple[str, ...]
    turns: tuple[Turn, ...]
    counted: tuple[Turn, ...]
    stands: bool = False


@dataclass(frozen=True, slots=True)
class Opinion:
    """The opinion of a model. If ``said`` is true, ``quote`` is in turn number ``turn``, and that turn counts."""

    said: bool
    turn: int | None
    quote: str
    model: str


@dataclass(frozen=True, slots=True)
class NoOpinion:
    """There is no judge, it can't be reached, or its answer can't be used. ``down``: nobody could be asked."""

    why: str
    down: bool = field(default=False, compare=False)


Answer: TypeAlias = Opinion | NoOpinion


class Judge(Protocol):
    """Anything that has opinions. Safe to ask from several threads."""

    def opinion(self, question: Question) -> Answer: ...


@runtime_checkable
class Judged(Protocol):
    """A playground's state with a judge beside it. Asking never raises, because no opinion may cost a score."""

    def opinion(self, question: Question) -> Answer: ...


def opinion(state: PlaygroundState, question: Question) -> Answer:
    """The opinion of a state's judge, where there is one."""
    return state.opinion(question) if isinstance(state, Judged) else NoOpinion(NO_JUDGE, down=True)
