"""Stored runs in memory."""

from dataclasses import dataclass, field

from assay.dialects.scorers.judge_record import JudgeVerdict
from assay.dialects.scorers.judge_section import JudgeSection
from assay.engine.judge_run import RunJudge
from assay.engine.judge_stored import StoredRun


@dataclass
class FakeStore:
    """Fulfils ``RunStore``."""

    runs: dict[str, StoredRun]
    kept: dict[str, list[JudgeVerdict]] = field(default_factory=dict)

    def read(self, place: str) -> StoredRun:
        return self.runs[place]

    def judgements(self, place: str) -> list[JudgeVerdict]:
        return list(self.kept.get(place, ()))

    def keep(self, place: str, verdict: JudgeVerdict) -> None:
        self.kept.setdefault(place, []).append(verdict)


@dataclass
class OneJudge:
    """The same judge for every scenario."""

    found: RunJudge

    def judge(self, section: JudgeSection | None) -> RunJudge:  # noqa: ARG002 - the same for all
        return self.found
