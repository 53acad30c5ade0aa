"""Asks models about one run, and makes one judgement of their answers. No answer and no failure raises."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from assay.evidence.coding_run import CodingRecord
from assay.evidence.verdict import Judgement, Unparseable, Verdict
from assay.judge.asking import TRIES, Answer, Manner, ask
from assay.judge.bounds import Bounds, Cut
from assay.judge.guard import Guard, guard_question, read_guard
from assay.judge.model import ModelClient, Sampling
from assay.judge.panel import Votes, count_votes, majority
from assay.judge.prompt import PromptFile, Question, content_hash
from assay.judge.verdict_answer import read_verdict
from assay.judge.verdict_prompt import verdict_question

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
class Judged:
    """The judgement of a run, and everything that it rests on."""

    judgement: Judgement
    answers: tuple[Answer[Verdict], ...]
    question_sha256: str
    cuts: tuple[Cut, ...]
    guard: Guard | None

    @property
    def votes(self) -> Votes:
        return count_votes([one.said for one in self.answers])


Place: TypeAlias = tuple[ModelClient, int]
AskAll: TypeAlias = Callable[[Callable[[Place], Answer[Verdict]], Iterable[Place]], Iterable[Answer[Verdict]]]


def judge_run(
    run: CodingRecord,
    clients: Sequence[ModelClient],
    setting: JudgeSetting,
    make_mark: Callable[[], str],
    ask_all: AskAll = map,
) -> Judged:
    """Ask every model, as often as there are samples. ``ask_all`` works like ``map`` and keeps the order."""
    question = verdict_question(
        run, setting.prompt, setting.bounds, planted=setting.canary, reverse=setting.reverse
    )
    manner = Manner(make_mark, setting.sampling, setting.tries)
    asked = [(client, sample) for client in clients for sample in range(1, setting.samples + 1)]
    answers = tuple(ask_all(lambda one: ask(one[0], question, manner, read_verdict, one[1]), asked))
    judgement = majority([one.said for one in answers])
    guard = _guard(clients[0], question, setting.guard_prompt, manner)
    return Judged(judgement, answers, content_hash(question), question.cuts, guard)


def _guard(client: ModelClient, question: Question, file: PromptFile | None, manner: Manner) -> Guard | None:
    if file is None:
        return None
    asked = guard_question(question, file)
    said = ask(client, asked, manner, lambda text: read_guard(text, asked)).said
    return Guard(None, why=said.why) if isinstance(said, Unparseable) else said
