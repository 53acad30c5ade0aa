"""The prompts as a model reads them, word for word, and their versions."""

import hashlib
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.judge_setup import new_mark, prompt_file, prompt_from, prompt_names
from assay.core.errors import InputError
from assay.evidence.coding_run import (
    CodingRecord,
    ExpectedOutcome,
    Form,
    ScorerRow,
    SessionTurn,
    Speaker,
    Tail,
    ToolCall,
    ToolResult,
    Trajectory,
    TrajectoryStep,
)
from assay.judge.bounds import PromptBounds
from assay.judge.prompt import Prompt, build
from assay.judge.verdict_answer import FIELDS, NAME, verdict_question
from tests.judge.cases import RUN, diff_of, plain_run

GOLDEN = Path(__file__).parent.parent / "data" / "judge"
# A prompt that was released stays as it is. Another text is another version, in another file.
RELEASED = {
    "guard-1": "17c38e185464e6ec",
    "monitor-1": "355558b94c9be676",
    "paraphrase-1": "82d7aadb784ca5b1",
    "reading-1": "be57f4d1dd7d38a2",
    "rubric-1": "b66532b0d39c7b89",
    "rubric-2": "316aa06d92bc4377",
    "verdict-1": "7bb238170e764889",
    "verdict-2": "b07b4715397c778b",
}


def prompt(case: CodingRecord, planted: bool = False) -> Prompt:
    return build(verdict_question(case, prompt_file(NAME), PromptBounds(), planted=planted), new_mark)


def test_released_prompts_are_never_changed() -> None:
    assert {
        name: hashlib.sha256(prompt_file(name).text.encode()).hexdigest()[:16] for name in RELEASED
    } == RELEASED
    assert set(prompt_names()) == set(RELEASED)


def test_the_golden_prompt() -> None:
    marks = (f"{number:032x}" for number in itertools.count(1))
    question = verdict_question(RUN, prompt_file(NAME), PromptBounds(), planted=True)
    assert build(question, lambda: next(marks)).text == (GOLDEN / "verdict-prompt.txt").read_text(encoding="utf-8")


def test_the_instructions_stand_behind_the_data() -> None:
    before, behind = prompt(RUN).text.split("The data is over.")
    assert "Fixed; all tests pass." in before
    assert "Fixed; all tests pass." not in behind
    assert '"verdict"' in behind


@pytest.mark.statement("scorers.judge-tests-evidence")
def test_passing_tests_are_strong_evidence() -> None:
    assert "Objective tests that pass are strong evidence of completion" in prompt(RUN).text


@pytest.mark.statement("scorers.judge-expected-outcome")
@pytest.mark.parametrize("outcome", ["completion", "refusal"])
def test_the_expected_outcome_is_an_instruction(outcome: ExpectedOutcome) -> None:
    text = prompt(plain_run("x", outcome)).text
    assert f"The expected outcome of this run is: {outcome}." in text.split("The data is over.")[1]


texts = st.text(st.characters(), min_size=1)


def outside(text: str) -> str:
    """What of a prompt is not data."""
    mark = re.search(r"=== (\w{32}) begin task", text)
    assert mark is not None
    return re.sub(rf"(?ms)^=== {mark[1]} begin ([a-z ]+) ===$.*?^=== {mark[1]} end \1 ===$", "", text).replace(
        mark[1], "MARK"
    )


def run_of(task: str, *texts: str) -> CodingRecord:
    """A run in which these texts are in every place that an agent writes to."""
    step, name, said, diff = texts
    calls = (ToolCall(name, name, step),)
    return plain_run(
        task,
        trajectory=Trajectory(
            Form.ATIF, (TrajectoryStep(1, Speaker.AGENT, step, said, calls, (ToolResult(name, step),)),)
        ),
        final_response=said,
        diff=diff_of(diff),
        objective=ScorerRow(name, "command", True, "FAIL", 0.0, said, step, diff),
        rows=(ScorerRow(name, "command", True, "FAIL", 0.0, said, step, diff),),
        outputs=(Tail(name, said),),
        remarks=(name,),
        turns=(SessionTurn(1, task, said), SessionTurn(2, said, step)),
    )


EMPTY = outside(prompt(run_of("x", "a", "b", "c", "d")).text)


@given(texts, texts, texts, texts, texts)
def test_no_text_of_the_run_is_outside_of_its_fence(task: str, step: str, name: str, said: str, diff: str) -> None:
    assert outside(prompt(run_of(task, step, name, said, diff)).text) == EMPTY


def test_the_hash_is_of_everything_but_the_marks() -> None:
    assert prompt(RUN).sha256 == prompt(RUN).sha256
    assert prompt(RUN).text != prompt(RUN).text
    question = verdict_question(RUN, prompt_file(NAME), PromptBounds(), planted=False)
    others = [
        verdict_question(plain_run("another"), prompt_file(NAME), PromptBounds(), planted=False),
        verdict_question(RUN, prompt_file("guard-1"), PromptBounds(), planted=False),
        verdict_question(RUN, prompt_file(NAME), PromptBounds(), planted=True),
        verdict_question(RUN, prompt_file(NAME), PromptBounds(diff=10), planted=False),
    ]
    assert len({one.sha256 for one in [question, *others]}) == 5


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("$mark $data $expected_outcome costs $$5")
    assert prompt_from(str(path), FIELDS).text.startswith("$mark")
    assert prompt_from(NAME, FIELDS) is prompt_file(NAME)


@pytest.mark.parametrize("text", ["", "$data", "$mark $data $other", "$mark $data $", "${mark $data"])
def test_a_prompt_that_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=r"must have \$data and \$mark"):
        prompt_from(str(path), FIELDS)


def test_a_prompt_that_is_not_there() -> None:
    with pytest.raises(InputError, match="the prompt must be one of guard-1, monitor-1, paraphrase-1"):
        prompt_from("verdict-99", FIELDS)
