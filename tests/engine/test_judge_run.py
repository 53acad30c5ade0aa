"""A verdict beside the other gates, with everything that it rests on."""

import dataclasses
import json
from typing import Any

import pytest

from assay.adapters.models.judge_setup import prompt_file
from assay.dialects.scorers.calibration_record import CalibrationRecord
from assay.dialects.scorers.report import (
    Judge,
    JudgeState,
    JudgeUsage,
    JudgeVerdict,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
    StatusGate,
    with_verdict,
)
from assay.evidence.coding_run import RunStatus
from assay.judge.bounds import PromptBounds
from assay.judge.model import Reply
from assay.judge.run_judge import GUARD, NEVER, JudgeSetting
from assay.judge.verdict_answer import NAME
from tests.judge.cases import FAIL, RUN, said
from tests.judge.scripted_model import ScriptedModel
from tests.judge.verdicts import AT, SETTING, run_judge, verdict_of


@pytest.mark.statement("scorers.judge-rubric", "scorers.judge-answer", "scorers.judge-verdict-field")
def test_everything_that_is_recorded_with_a_verdict() -> None:
    reply = Reply(
        said(FAIL, task_completion=5),
        "stop",
        "json_object",
        JudgeUsage(tokens_in=900, tokens_out=100, cost=0.5),
        2.5,
    )
    found = run_judge(ScriptedModel(reply))(RUN)
    assert found.state == "FAIL"
    assert found.opinion.failure_mode == "incomplete"
    assert found.opinion.inconsistent == ["FAIL, with task_completion 5 and instruction_adherence 4"]
    assert found.opinion.fact_check[0].verdict == "supported"
    assert found.models == ["m"]
    assert (found.prompt.name, found.prompt.sha256) == (NAME, prompt_file(NAME).sha256)
    assert len(found.prompt.question_sha256) == 64
    assert (found.sampling.temperature, found.sampling.samples) == (0, 1)
    assert (found.usage.tokens_in, found.usage.tokens_out, found.usage.cost) == (900, 100, 0.5)
    (answer,) = found.answers
    assert (answer.latency_sec, answer.mode, answer.tries) == (2.5, "json_object", 1)
    assert found.scored_at == AT
    assert JudgeVerdict.model_validate_json(found.model_dump_json()) == found


def test_how_much_was_cut() -> None:
    setting = dataclasses.replace(SETTING, bounds=PromptBounds(diff=40))
    (cut,) = run_judge(ScriptedModel(said()), setting=setting)(RUN).cut
    assert (cut.part, cut.name) == ("diff", "calc.py")
    assert cut.bytes > 50


@pytest.mark.statement("scorers.judge-failures")
@pytest.mark.parametrize("failure", [None, "prose", Reply("no", "refusal"), Reply(said()[:-5], "length")])
def test_a_failure_is_recorded_as_unparseable_and_never_a_number(failure: str | Reply | None) -> None:
    found = verdict_of(failure)
    assert found.state == "unparseable"
    assert found.opinion.reason
    assert (found.opinion.ratings, found.opinion.failure_mode, found.opinion.reasoning) == (None, None, None)
    assert '"task_completion"' not in json.dumps(found.model_dump(mode="json"))


def test_a_panel_keeps_each_answer() -> None:
    models = ScriptedModel(said(), model="a"), ScriptedModel(said(FAIL), model="b"), ScriptedModel(None, model="c")
    found = run_judge(*models)(RUN)
    assert [(one.model, one.opinion.state) for one in found.answers] == [
        ("a", "PASS"),
        ("b", "FAIL"),
        ("c", "unparseable"),
    ]
    assert found.state == "unparseable"
    assert (found.votes.passes, found.votes.fails, found.votes.unparseable) == (1, 1, 1)


def test_the_guard_is_beside_the_verdict() -> None:
    setting = JudgeSetting(prompt_file(NAME), prompt_file(GUARD))
    model = ScriptedModel(said(), '{"addressed": true, "quote": "all tests pass"}')
    found = run_judge(model, setting=setting)(RUN)
    assert found.guard is not None
    assert (found.state, found.guard.addressed, found.guard.quote) == ("PASS", True, "all tests pass")


def measured(
    model: str = "m", prompt_sha256: str = prompt_file(NAME).sha256, unmet: Any = ()
) -> CalibrationRecord:
    return CalibrationRecord(
        models=[model],
        prompt=NAME,
        prompt_sha256=prompt_sha256,
        annotators=["ann", "bob"],
        cases=12,
        unmet=list(unmet),
        confusion={},
        measures=[],
        made_at=AT,
    )


@pytest.mark.parametrize(
    ("trust", "doubts"),
    [
        (None, [NEVER]),
        (measured(), []),
        (measured(unmet=["too few cases"]), ["too few cases"]),
        (measured("other"), ["the calibration is of other"]),
        (measured(prompt_sha256="0" * 64), ["the calibration is of another prompt"]),
    ],
)
def test_a_judge_is_uncalibrated_until_it_was_measured(trust: CalibrationRecord | None, doubts: list[str]) -> None:
    found = run_judge(ScriptedModel(said()), trust=trust)(RUN)
    assert (found.calibrated, found.uncalibrated_because) == (not doubts, doubts)


def report(overall: OverallVerdict | None, advisory: RowVerdict = RowVerdict.PASS) -> ScorersReport:
    row = Row(name="a", type="no_new_skips", required=False, verdict=advisory, score=0.0, detail="")
    return ScorersReport(
        overall=None if overall is None else Overall(verdict=overall, score=1.0),
        scorers=[] if overall is None else [row],
        judge=Judge(state=JudgeState.PENDING),
        run=StatusGate(status=RunStatus.COMPLETED),
        provenance=Provenance(engine="0", scenario_sha256=""),
    )


PASS_GATE, FAIL_GATE = OverallVerdict.PASS, OverallVerdict.FAIL


@pytest.mark.statement("scorers.gates-disagree")
@pytest.mark.parametrize(
    ("before", "answer", "says"),
    [
        (report(FAIL_GATE), said(), "violated a hard mechanical constraint"),
        (report(PASS_GATE), said(FAIL), "semantic completion was not convincing"),
        (report(PASS_GATE, RowVerdict.FAIL), said(), "should be reviewed"),
        (report(PASS_GATE), said(), None),
        (report(FAIL_GATE), said(FAIL), None),
        (report(FAIL_GATE), "prose", None),
        (report(None), said(FAIL), None),
    ],
)
def test_what_it_means_if_the_gates_disagree(before: ScorersReport, answer: str, says: str | None) -> None:
    told = with_verdict(before, verdict_of(answer)).disagreement
    assert told is None if says is None else says in (told or "")


@pytest.mark.statement("scorers.judge-not-gating", "scorers.three-gates")
@pytest.mark.parametrize("answer", [said(), said(FAIL), "prose", None])
def test_the_judge_changes_nothing_of_the_other_gates(answer: str | None) -> None:
    before = report(PASS_GATE, RowVerdict.FAIL)
    after = with_verdict(before, verdict_of(answer))
    same = {"judge", "disagreement"}
    assert after.model_dump(exclude=same) == before.model_dump(exclude=same)
