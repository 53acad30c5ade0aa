"""Answers in a folder: asked once, recorded, and played back without a network."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.adapters.models.judge_model import AnswerFolder, RecordedModel
from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import JudgeUsage
from assay.judge.model import ModelQuestion, Reply, Sampling
from assay.judge.prompt import Prompt, PromptFile
from tests.judge.scripted_model import ScriptedModel


def request(
    sha256: str = "a" * 64, text: str = "secret words", sample: int = 1, attempt: int = 1
) -> ModelQuestion:
    prompt = Prompt(text, {}, PromptFile("p-1", "t"), sha256, canary="amber-1")
    return ModelQuestion(prompt, sample=sample, attempt=attempt)


def remembering(model: ScriptedModel, answers: AnswerFolder) -> RecordedModel:
    return RecordedModel(model.model, answers, model)


USED = JudgeUsage(tokens_in=3, tokens_out=4, cost=0.5)
ANSWER = Reply("said", "length", "text", USED, 1.5, "amber-1")


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    model = ScriptedModel(ANSWER, "other")
    client = remembering(model, AnswerFolder(str(tmp_path)))
    first, second = client.ask(request()), client.ask(request(text="the same with another mark"))
    assert first == ANSWER
    assert second == Reply("said", "length", "text", USED, 1.5, "amber-1", recorded=True)
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "other",
    [
        request("b" * 64),
        request(sample=2),
        request(attempt=2),
        ModelQuestion(request().prompt, Sampling(temperature=0.7)),
    ],
)
def test_everything_that_went_in_tells_questions_apart(tmp_path: Path, other: ModelQuestion) -> None:
    model = ScriptedModel("one", "two")
    client = remembering(model, AnswerFolder(str(tmp_path)))
    assert [client.ask(request()).text, client.ask(other).text] == ["one", "two"]


def test_another_model_is_another_question(tmp_path: Path) -> None:
    folder = AnswerFolder(str(tmp_path))
    remembering(ScriptedModel("one", model="a"), folder).ask(request())
    assert remembering(ScriptedModel("two", model="b"), folder).ask(request()).text == "two"


def test_recorded_answers_are_played_back(tmp_path: Path) -> None:
    folder = AnswerFolder(str(tmp_path))
    remembering(ScriptedModel(ANSWER), folder).ask(request())
    assert RecordedModel("m", folder).ask(request()).text == "said"
    with pytest.raises(MeasurementError, match="the judge m: no answer to this question was recorded"):
        RecordedModel("m", folder).ask(request("b" * 64))


def test_nothing_of_the_prompt_is_in_the_file(tmp_path: Path) -> None:
    remembering(ScriptedModel(ANSWER), AnswerFolder(str(tmp_path))).ask(request())
    assert "secret" not in line_of(tmp_path)


def test_a_failure_is_not_remembered(tmp_path: Path) -> None:
    client = remembering(ScriptedModel(None, "said"), AnswerFolder(str(tmp_path)))
    with pytest.raises(MeasurementError):
        client.ask(request())
    assert client.ask(request()).text == "said"


def line_of(folder: Path) -> str:
    return (folder / "answers.jsonl").read_text()


@pytest.mark.parametrize("damage", [',"format": 1', ', "format": 2', ', "usage"', ', "text"'])
def test_a_line_that_is_no_answer(tmp_path: Path, damage: str) -> None:
    remembering(ScriptedModel(ANSWER), AnswerFolder(str(tmp_path))).ask(request())
    key = line_of(tmp_path)[: len('{"key": "') + 64]
    (tmp_path / "answers.jsonl").write_text(f'{key}"{damage}\n')
    with pytest.raises(MeasurementError, match="a line that isn't an answer"):
        RecordedModel("m", AnswerFolder(str(tmp_path))).ask(request())


def test_half_a_line_of_a_killed_process_costs_only_itself(tmp_path: Path) -> None:
    folder = AnswerFolder(str(tmp_path))
    client = remembering(ScriptedModel("one", "two", "three"), folder)
    client.ask(request())
    with (tmp_path / "answers.jsonl").open("a") as file:
        file.write('{"key": "half')
    assert client.ask(request("b" * 64)).text == "two"
    again = RecordedModel("m", AnswerFolder(str(tmp_path)))
    assert [again.ask(request()).text, again.ask(request("b" * 64)).text] == ["one", "two"]


def test_answers_that_others_add_are_found(tmp_path: Path) -> None:
    reader = RecordedModel("m", AnswerFolder(str(tmp_path)))
    with pytest.raises(MeasurementError):
        reader.ask(request())
    remembering(ScriptedModel("one"), AnswerFolder(str(tmp_path))).ask(request())
    assert reader.ask(request()).text == "one"


def test_many_threads_write_whole_lines(tmp_path: Path) -> None:
    client = remembering(ScriptedModel("x" * 5000), AnswerFolder(str(tmp_path)))
    keys = [f"{number:064x}" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: client.ask(request(key)), keys))
    assert len(line_of(tmp_path).splitlines()) == 200
    again = RecordedModel("m", AnswerFolder(str(tmp_path)))
    assert all(again.ask(request(key)).text == "x" * 5000 for key in keys)


def test_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MeasurementError, match="can't be"):
        remembering(ScriptedModel(ANSWER), AnswerFolder(str(tmp_path / "file"))).ask(request())


def test_the_file_is_plain_json(tmp_path: Path) -> None:
    remembering(ScriptedModel(ANSWER), AnswerFolder(str(tmp_path))).ask(request())
    assert json.loads(line_of(tmp_path))["text"] == "said"
