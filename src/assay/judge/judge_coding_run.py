"""Judge one run, and put the verdict beside the other gates. The judge's failure is never the run's."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import reduce
from typing import Final

from assay.dialects.scorers.calibration_record import CalibrationRecord
from assay.dialects.scorers.report import (
    JudgeAnswer,
    JudgePrompt,
    JudgeSampling,
    JudgeUsage,
    JudgeVerdict,
    Opinion,
)
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import CodingRecord
from assay.evidence.verdict import Unparseable
from assay.judge.model import Answer, AskAll, ModelClient
from assay.judge.run_judge import JudgeSetting, judge_run
from assay.judge.verdict_answer import Judgement

NEVER: Final = "it was not measured against people (see 'assay judge calibrate')"


@dataclass(frozen=True, slots=True)
class VerdictJudge:
    """Fulfils ``JudgeRun``: some models, how they are asked, the time, and how they did against people, if known.

    ``new_clients`` gives the models for one run, each with that run's budget.
    """

    new_clients: Callable[[], Sequence[ModelClient]]
    setting: JudgeSetting
    make_mark: Callable[[], str]
    now: Callable[[], datetime]
    trust: CalibrationRecord | None
    ask_all: AskAll[Opinion] = map

    def __call__(self, run: CodingRecord) -> JudgeVerdict:
        clients = self.new_clients()
        found = judge_run(run, clients, self.setting, self.make_mark, self.ask_all)
        models = [client.model for client in clients]
        prompt = self.setting.prompt.sha256
        why = [NEVER] if self.trust is None else self.trust.doubts(models, prompt)
        return JudgeVerdict(
            opinion=opinion_of(found.judgement),
            models=models,
            answers=[_answer(one) for one in found.answers],
            votes=found.votes,
            prompt=JudgePrompt(
                name=self.setting.prompt.name,
                sha256=self.setting.prompt.sha256,
                question_sha256=found.question_sha256,
                canary=self.setting.canary,
            ),
            sampling=JudgeSampling(**asdict(self.setting.sampling), samples=self.setting.samples),
            usage=reduce(JudgeUsage.plus, (one.usage for one in found.answers), JudgeUsage()),
            cut=list(found.cuts),
            guard=found.guard,
            monitor=found.monitor,
            calibrated=not why,
            uncalibrated_because=why,
            scored_at=self.now(),
        )


def opinion_of(judgement: Judgement) -> Opinion:
    """A judgement as it is recorded."""
    if isinstance(judgement, Unparseable):
        return Opinion(state="unparseable", reason=json_text(judgement.why))
    return judgement


def _answer(one: Answer[Opinion]) -> JudgeAnswer:
    reply = one.reply
    return JudgeAnswer(
        model=one.model,
        sample=one.sample,
        opinion=opinion_of(one.said),
        tries=one.tries,
        usage=one.usage,
        latency_sec=None if reply is None else reply.latency_sec,
        mode=None if reply is None else reply.mode,
        recorded=reply is not None and reply.recorded,
        adapted=[] if reply is None else list(reply.adapted),
    )
