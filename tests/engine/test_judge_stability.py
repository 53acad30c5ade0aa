"""How often a verdict flips."""

from assay.judge.calibration import FORMS, Flips, stability
from assay.judge.judge_stored import JudgedCase
from tests.judge.cases import FAIL, RUN, said
from tests.judge.scripted_model import ScriptedModel
from tests.judge.verdicts import run_judge

RUNS = [JudgedCase("a", RUN)]


def test_a_judge_that_always_says_the_same() -> None:
    found = stability(RUNS, lambda _: run_judge(ScriptedModel(said())), 3)
    assert found.overall == Flips(0, 12, 0)
    assert set(found.by_form) == {"as it is", "parts reordered", "comments stripped", "names changed"}
    assert found.unstable == ()


def test_a_judge_that_goes_by_names() -> None:
    model = ScriptedModel(lambda prompt: said() if "calc.py" in prompt else said(FAIL))
    found = stability(RUNS, lambda _: run_judge(model), 2)
    assert found.by_form["names changed"] == Flips(2, 2, 0)
    assert found.by_form["as it is"] == Flips(0, 2, 0)
    assert found.overall.share == 0.25
    assert found.unstable == ("a",)


def test_a_judge_that_goes_by_order() -> None:
    def by_order(prompt: str) -> str:
        return said() if prompt.index("begin trajectory") < prompt.index("begin final response") else said(FAIL)

    found = stability(RUNS, lambda _: run_judge(ScriptedModel(by_order)), 1)
    assert found.by_form["parts reordered"] == Flips(1, 1, 0)
    assert found.overall == Flips(1, 4, 0)


def test_unparseable_answers_are_not_flips() -> None:
    found = stability(RUNS, lambda _: run_judge(ScriptedModel("prose")), 1)
    assert found.overall == Flips(0, 0, len(FORMS))
    assert found.overall.share is None
