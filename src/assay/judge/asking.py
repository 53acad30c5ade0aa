"""Ask one question until the answer can be used, within a number of tries. No answer and no failure raises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from assay.core.errors import MeasurementError
from assay.evidence.verdict import Unparseable
from assay.judge.model import ModelClient, Reply, Request, Sampling, Usage
from assay.judge.prompt import Question, build, obeyed

TRIES: Final = 3
OBEYED: Final = "the judge followed an order that was planted in the data, so its verdict may be the agent's"
REFUSED: Final = "the model refuses to answer"
CUT_OFF: Final = "the answer is cut off: it reached the limit of its length"
_PLAIN: Final = Sampling()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a question is asked: where marks come from that nobody can guess, the sampling, how often at most."""

    make_mark: Callable[[], str]
    sampling: Sampling = _PLAIN
    tries: int = TRIES


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """One answer of one model, after all tries. ``reply`` is the last one; None where there was none."""

    model: str
    sample: int
    said: T | Unparseable
    tries: int
    usage: Usage
    reply: Reply | None


def ask(
    client: ModelClient,
    question: Question,
    manner: Manner,
    read: Callable[[str], T | Unparseable],
    sample: int = 1,
) -> Answer[T]:
    """Ask until an answer can be used. Each try has marks of its own. Who obeys the data is not asked again."""
    said: T | Unparseable = Unparseable("the judge was not asked")
    usage, reply, attempt = Usage(), None, 0
    while attempt < manner.tries and isinstance(said, Unparseable) and said.why != OBEYED:
        attempt += 1
        try:
            reply = client.ask(Request(build(question, manner.make_mark), manner.sampling, sample, attempt))
        except MeasurementError as error:
            said = Unparseable(str(error))
            break
        usage = usage.plus(reply.usage)
        said = _said(reply, read)
    return Answer(client.model, sample, said, attempt, usage, reply)


def _said(reply: Reply, read: Callable[[str], T | Unparseable]) -> T | Unparseable:
    """What a reply says, or why it can't be used."""
    if reply.finish == "refusal":
        return Unparseable(REFUSED)
    found = read(reply.text)
    if isinstance(found, Unparseable):
        return Unparseable(CUT_OFF) if reply.finish == "length" else found
    return Unparseable(OBEYED) if reply.canary is not None and obeyed(reply.canary, reply.text) else found
