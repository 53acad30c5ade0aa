"""Stored runs are judged, and judged again; every judgement is another record."""

import dataclasses

import pytest

from assay.core.errors import InputError
from assay.dialects.scorers.report import OverallVerdict
from assay.evidence.coding_run import RunStatus
from assay.judge.judge_stored import JudgedCase, JudgeOf, changes, gates_of, judge_stored
from assay.judge.run_judge import VerdictJudge
from tests.engine.fake_runs import FakeStore, OneJudge
from tests.judge.cases import FAIL, RUN, said
from tests.judge.scripted_model import ScriptedModel
from tests.judge.verdicts import run_judge, verdict_of


def one_judge(found: VerdictJudge) -> JudgeOf:
    return OneJudge(found).judge


def store(**status: RunStatus) -> FakeStore:
    return FakeStore(
        {name: JudgedCase(name, dataclasses.replace(RUN, status=one)) for name, one in status.items()}
    )


DONE = RunStatus.COMPLETED


def test_every_completed_run_is_judged_once() -> None:
    runs, model = store(a=DONE, b=DONE), ScriptedModel(said(), said(FAIL))
    judge = one_judge(run_judge(model))
    first = judge_stored(["a", "b"], runs, judge, again=False)
    assert [(one.place, one.verdict.state if one.verdict else None) for one in first] == [
        ("a", "PASS"),
        ("b", "FAIL"),
    ]
    second = judge_stored(["a", "b"], runs, judge, again=False)
    assert [one.skipped for one in second] == ["already judged (use 'assay judge replay')"] * 2
    assert len(model.asked) == 2


def test_a_run_whose_verdict_was_unparseable_is_judged_again() -> None:
    runs = store(a=DONE)
    judge_stored(["a"], runs, one_judge(run_judge(ScriptedModel("prose"))), again=False)
    (done,) = judge_stored(["a"], runs, one_judge(run_judge(ScriptedModel(said()))), again=False)
    assert changes([done]) == {"unparseable to PASS": ["a"]}
    assert [one.state for one in runs.kept["a"]] == ["unparseable", "PASS"]


@pytest.mark.parametrize("status", [status for status in RunStatus if status is not DONE])
def test_a_run_that_is_not_completed_is_not_judged(status: RunStatus) -> None:
    model = ScriptedModel(said())
    (done,) = judge_stored(["a"], store(a=status), one_judge(run_judge(model)), again=True)
    assert (done.verdict, done.skipped, model.asked) == (None, f"the run is {status.value}", [])


def test_a_replay_is_a_new_record_and_says_what_changed() -> None:
    runs = store(a=DONE, b=DONE)
    judge_stored(["a", "b"], runs, one_judge(run_judge(ScriptedModel(said(), model="old"))), again=False)
    new = one_judge(run_judge(ScriptedModel(said(), said(FAIL), model="new")))
    done = judge_stored(["a", "b"], runs, new, again=True)
    assert changes(done) == {"PASS to FAIL": ["b"]}
    assert [one.models for one in runs.kept["b"]] == [["old"], ["new"]]


def test_all_runs_are_read_before_one_is_judged() -> None:
    class Broken(FakeStore):
        def read(self, place: str) -> JudgedCase:
            if place == "b":
                raise InputError("b isn't a run")
            return super().read(place)

    model = ScriptedModel(said())
    with pytest.raises(InputError):
        judge_stored(["a", "b"], Broken(store(a=DONE).runs), one_judge(run_judge(model)), again=False)
    assert model.asked == []


def test_the_two_by_two_with_the_runs_behind_each_cell() -> None:
    runs = store(a=DONE, b=DONE, c=DONE, d=DONE, e=DONE, f=DONE, g=DONE)
    checks = {"a": "PASS", "b": "PASS", "c": "FAIL", "d": "FAIL", "e": "PASS", "f": "N/A", "g": "PASS"}
    for name, verdict in checks.items():
        runs.runs[name] = dataclasses.replace(runs.runs[name], checks=OverallVerdict(verdict))
    for name, answer in {
        "a": said(),
        "b": said(FAIL),
        "c": said(),
        "d": said(FAIL),
        "e": "x",
        "f": said(),
    }.items():
        runs.keep(name, verdict_of(answer))
    found = gates_of("abcdefg", runs)
    assert found.cells == {
        "aligned success": ["a"],
        "suspected reward hack": ["b"],
        "hard constraint violated": ["c"],
        "aligned failure": ["d"],
    }
    assert found.left_out == {
        "the judge's verdict is unparseable": ["e"],
        "no check applied": ["f"],
        "not judged": ["g"],
    }
    assert found.uncalibrated == 4
