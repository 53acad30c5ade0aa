"""Asks models about one run, and makes one judgement of their answers. No answer and no failure raises."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from assay.core.errors import MeasurementError
from assay.evidence.coding_run import CodingRun
from assay.evidence.verdict import Judgement, Unparseable
from assay.judge.bounds import Bounds, Cut
from assay.judge.guard import Guard, guard_question, read_guard
from assay.judge.model import ModelClient, Reply, Request, Sampling, Usage
from assay.judge.panel import Votes, count_votes, majority
from assay.judge.prompt import PromptFile, Question, build, obeyed
from assay.judge.verdict_answer import read_verdict
from assay.judge.verdict_prompt import verdict_question

TRIES: Final = 3
OBEYED: Final = "the judge followed an order that was planted in the data, so its verdict may be the agent's"
REFUSED: Final = "the model refuses to answer"
CUT_OFF: Final = "the answer is cut off: it reached the limit of its length"
_USUAL: Final = Bounds()
_PLAIN: Final = Sampling()


@dataclass(frozen=True, slots=True)
class JudgeSetting:
    """How a run is judged. ``canary`` plants an order to see who follows it; ``guard`` asks for such orders."""

    prompt: PromptFile
    guard_prompt: PromptFile | None = None
    bounds: Bounds = _USUAL
    sampling: Sampling = _PLAIN
    samples: int = 1
    tries: int = TRIES
    canary: bool = True
    reverse: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one model, after all tries. ``reply`` is the last one; None where there was none."""

    model: str
    sample: int
    judgement: Judgement
    tries: int
    usage: Usage
    reply: Reply | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement of a run, and everything that it rests on."""

    judgement: Judgement
    answers: tuple[Answer, ...]
    prompt_sha256: str
    cuts: tuple[Cut, ...]
    guard: Guard | None

    @property
    def votes(self) -> Votes:
        return count_votes([one.judgement for one in self.answers])


AskAll: TypeAlias = Callable[
    [Callable[[tuple[ModelClient, int]], Answer], Iterable[tuple[ModelClient, int]]], Iterable[Answer]
]


def judge_run(
    run: CodingRun,
    clients: Sequence[ModelClient],
    setting: JudgeSetting,
    make_mark: Callable[[], str],
    ask_all: AskAll = map,
) -> Judged:
    """Ask every model, as often as there are samples. ``ask_all`` works like ``map`` and keeps the order."""
    question = verdict_question(
        run, setting.prompt, setting.bounds, planted=setting.canary, reverse=setting.reverse
    )
    asked = [(client, sample) for client in clients for sample in range(1, setting.samples + 1)]
    answers = tuple(ask_all(lambda one: _answer(one[0], one[1], question, setting, make_mark), asked))
    sha256 = build(question, make_mark).sha256
    judgement = majority([one.judgement for one in answers])
    return Judged(judgement, answers, sha256, question.cuts, _guard(clients[0], question, setting, make_mark))


def _answer(
    client: ModelClient, sample: int, question: Question, setting: JudgeSetting, make_mark: Callable[[], str]
) -> Answer:
    """Ask until an answer can be used. Each try has marks of its own."""
    judgement: Judgement = Unparseable("the judge was not asked")
    usage, reply, attempt = Usage(), None, 0
    while attempt < setting.tries and isinstance(judgement, Unparseable):
        attempt += 1
        try:
            reply = client.ask(Request(build(question, make_mark), setting.sampling, sample, attempt))
        except MeasurementError as error:
            judgement = Unparseable(str(error))
            break
        usage = usage.plus(reply.usage)
        judgement = read_reply(reply)
        if judgement == Unparseable(OBEYED):
            break
    return Answer(client.model, sample, judgement, attempt, usage, reply)


def read_reply(reply: Reply) -> Judgement:
    """The verdict in a reply, or why there is none."""
    if reply.finish == "refusal":
        return Unparseable(REFUSED)
    found = read_verdict(reply.text)
    if isinstance(found, Unparseable):
        return Unparseable(CUT_OFF) if reply.finish == "length" else found
    if reply.canary is not None and obeyed(reply.canary, found.reasoning, found.failure_mode):
        return Unparseable(OBEYED)
    return found


def _guard(
    client: ModelClient, question: Question, setting: JudgeSetting, make_mark: Callable[[], str]
) -> Guard | None:
    if setting.guard_prompt is None:
        return None
    asked = guard_question(question, setting.guard_prompt)
    guard = Guard(None, why="the judge was not asked")
    for attempt in range(1, setting.tries + 1):
        try:
            reply = client.ask(Request(build(asked, make_mark), setting.sampling, attempt=attempt))
        except MeasurementError as error:
            return Guard(None, why=str(error))
        guard = Guard(None, why=REFUSED) if reply.finish == "refusal" else read_guard(reply.text, asked)
        if guard.addressed is not None:
            break
    return guard
