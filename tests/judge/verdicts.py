"""Verdicts as they are recorded."""

from datetime import UTC, datetime

from assay.adapters.models.judge_setup import new_mark, prompt_file
from assay.dialects.scorers.calibration_record import CalibrationRecord
from assay.dialects.scorers.report import JudgeVerdict
from assay.evidence.coding_run import CodingRecord
from assay.judge.run_judge import JudgeSetting, VerdictJudge
from assay.judge.verdict_answer import NAME
from tests.judge.cases import RUN
from tests.judge.scripted_model import Said, ScriptedModel

AT = datetime(2026, 11, 17, 12, tzinfo=UTC)
SETTING = JudgeSetting(prompt_file(NAME))


def run_judge(
    *models: ScriptedModel, setting: JudgeSetting = SETTING, trust: CalibrationRecord | None = None
) -> VerdictJudge:
    return VerdictJudge(lambda: models, setting, new_mark, lambda: AT, trust)


def verdict_of(*answers: Said, run: CodingRecord = RUN) -> JudgeVerdict:
    """What a judge says that answers like this."""
    return run_judge(ScriptedModel(*answers))(run)
