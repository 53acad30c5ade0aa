"""Tasks with every trait of harbor 0.25 that one container can have, run by an engine: solved, and left alone."""

from pathlib import Path

import pytest

from assay.cli.main import main
from tests.sandbox.backends import Backend
from tests.sandbox.harbor_tasks import TRAITS, write_traits
from tests.tasks import JOB, run_arguments, trials_of


@pytest.mark.parametrize(("agent", "reward"), [("oracle", 1), ("nop", 0)])
def test_every_trait(container: Backend, tmp_path: Path, agent: str, reward: int) -> None:
    names = write_traits(tmp_path / "tasks", container.image or "")
    assert len(names) == 20
    main(run_arguments(tmp_path / "tasks", agent, tmp_path, "--isolation", "container", "-n", 2, "--quiet"))
    found = {one.result["task_id"]["path"].rpartition("/")[2]: one for one in trials_of(tmp_path / JOB)}
    said = {name: (one.rewards, one.exception) for name, one in found.items()}
    assert {name: rewards and rewards["reward"] for name, (rewards, _) in said.items()} == dict.fromkeys(
        TRAITS, reward
    ), said
