"""The adapters, called as their loops call them; by the real package where it is installed."""

import asyncio
import inspect
import multiprocessing
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.rewards import Answer
from assay.rewards.loops import Graders, inspect_scorer, trl_reward, verifiers_reward, verl_score
from tests.tasks import write_task

NUMBER = 'echo "{\\"reward\\": $(cat /workspace/answer.txt)}" > /logs/verifier/reward.json'
INSTRUCTION = "Write a number from 0 to 1 into /workspace/answer.txt.\n"


@pytest.fixture
def fine(tmp_path: Path) -> str:
    return str(write_task(tmp_path / "fine", verifier=NUMBER, instruction=INSTRUCTION, solution=None))


@pytest.fixture
def broken(tmp_path: Path) -> str:
    return str(write_task(tmp_path / "broken", verifier="exit 3", instruction=INSTRUCTION, solution=None))


@pytest.fixture
def graders() -> Iterator[Graders]:
    made = Graders(at_once=2)
    yield made
    made.close()


def test_trl(graders: Graders, fine: str, broken: str) -> None:
    """With the arguments that ``_calculate_rewards`` of trl 1.16 passes."""
    metrics: dict[str, float] = {}
    reward = trl_reward(graders)
    assert reward.__name__ == "assay_reward"
    found = reward(
        prompts=["p"] * 4,
        completions=["0.5", [{"role": "assistant", "content": "1"}], "1", "0"],
        completion_ids=[[1]] * 4,
        task=[fine, fine, broken, fine],
        trainer_state=None,
        log_extra=lambda *_: None,
        log_metric=metrics.__setitem__,
    )
    assert found == [0.5, 1.0, None, 0.0]
    assert metrics == {"assay/no_reward": 0.25, "assay/flagged": 0.0, "assay/reward": 0.5}


def test_verl(graders: Graders, fine: str, broken: str) -> None:
    """With the arguments that verl 0.9's reward managers pass, which ask whether the function is asynchronous."""
    score = verl_score(graders, no_reward=0.25)
    assert inspect.iscoroutinefunction(score)

    async def ask() -> list[dict[str, float]]:
        asked = [("0.5", fine), ("1", broken)]
        return await asyncio.gather(
            *(
                score(
                    data_source="d",
                    solution_str=text,
                    ground_truth=None,
                    extra_info={"task": task, "num_turns": 1, "rollout_reward_scores": {}},
                )
                for text, task in asked
            )
        )

    assert asyncio.run(ask()) == [
        {"score": 0.5, "no_reward": 0.0, "flagged": 0.0},
        {"score": 0.25, "no_reward": 1.0, "flagged": 0.0},
    ]


def test_verifiers(graders: Graders, fine: str, broken: str) -> None:
    vf = pytest.importorskip("verifiers.v1")

    class Data(vf.TaskData):  # type: ignore[name-defined,misc]
        path: str = ""

    class Graded(vf.Task[Data]):  # type: ignore[name-defined,misc]
        assay = verifiers_reward(graders, lambda task: str(task.path))

    class Trace:
        """The parts of a trace that scoring touches."""

        last_reply = "0.5"

        def __init__(self) -> None:
            self.metrics: dict[str, Any] = {}
            self.rewards: dict[str, Any] = {}

        def record_reward(self, name: str, value: float, weight: float) -> None:
            self.rewards[name] = value * weight

    good, bad = Trace(), Trace()
    asyncio.run(Graded(Data(path=fine)).score(good))
    assert good.rewards == {"assay": 0.5}
    with pytest.raises(vf.TaskError):
        asyncio.run(Graded(Data(path=broken)).score(bad))
    assert bad.rewards == {"assay": None}


def test_inspect(
    graders: Graders, fine: str, broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    # The counter of tokens downloads its table.
    words = SimpleNamespace(get_encoding=lambda _: SimpleNamespace(encode=lambda text, **_: text.split()))
    monkeypatch.setitem(sys.modules, "tiktoken", words)
    from inspect_ai.dataset import Sample  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415
    from inspect_ai.model import ModelOutput, get_model  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    samples = [Sample(input="?", metadata={"task": task}) for task in (fine, fine, broken)]
    answers = [ModelOutput.from_content("mockllm/model", "0.5") for _ in samples]
    task = inspect_ai.Task(dataset=samples, scorer=inspect_scorer(graders))
    model = get_model("mockllm/model", custom_outputs=answers)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["mean"].value == 0.5
    assert [one.scores["assay"].reason for one in log.samples] == [None, None, "scoring_failed"]


def test_graders_keep_only_so_many_ready(fine: str, broken: str) -> None:
    few = Graders(most=1, control=False)
    assert few.submit(fine, Answer("1")).result().reward == 1.0
    assert few.submit(broken, Answer("1")).result().reward == 0.0
    assert list(few._ready) == [broken]
    with pytest.raises(InputError, match="doesn't exist"):
        few.submit("nowhere", Answer("1"))
    few.close()


def reward_in_child(graders: Graders, task: str, pipe: Any) -> None:
    pipe.send(graders.submit(task, Answer("0.5")).result().reward)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_graders_of_a_parent_work_in_its_children(graders: Graders, fine: str, start: str) -> None:
    assert graders.submit(fine, Answer("1")).result().reward == 1.0
    assert pickle.loads(pickle.dumps(graders))._settings == {"at_once": 2}  # noqa: S301 - our own
    context = multiprocessing.get_context(start)
    ours, theirs = context.Pipe()
    child = context.Process(  # type: ignore[attr-defined]
        target=reward_in_child, args=(graders, fine, theirs)
    )
    child.start()
    assert ours.poll(100)
    assert ours.recv() == 0.5
    child.join(60)
    assert child.exitcode == 0
    assert graders.submit(fine, Answer("0.25")).result().reward == 0.25
