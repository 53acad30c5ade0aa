"""Stored runs in memory."""

from dataclasses import dataclass, field

from assay.dialects.scorers.report import JudgeVerdict
from assay.dialects.scorers.scenario import JudgeSection
from assay.judge.judge_stored import JudgedCase
from assay.judge.run_judge import VerdictJudge


@dataclass
class FakeStore:
    """Fulfils ``RunStore``."""

    runs: dict[str, JudgedCase]
    kept: dict[str, list[JudgeVerdict]] = field(default_factory=dict)

    def read(self, place: str) -> JudgedCase:
        return self.runs[place]

    def judgements(self, place: str) -> list[JudgeVerdict]:
        return list(self.kept.get(place, ()))

    def keep(self, place: str, verdict: JudgeVerdict) -> None:
        self.kept.setdefault(place, []).append(verdict)


@dataclass
class OneJudge:
    """The same judge for every scenario."""

    found: VerdictJudge

    def judge(self, section: JudgeSection | None) -> VerdictJudge:  # noqa: ARG002 - the same for all
        return self.found
