"""The reward that a verifier leaves."""

import os
from pathlib import Path

import pytest

from assay import harbor
from assay.adapters.jobs.reward_writer import write_binary_reward
from assay.core.errors import InputError


@pytest.mark.parametrize(("status", "reward"), [(0, 1.0), (1, 0.0), (124, 0.0), (-11, 0.0)])
def test_what_is_written_is_read_as_the_reward(tmp_path: Path, status: int, reward: float) -> None:
    write_binary_reward(tmp_path, status)
    assert harbor.read_rewards(tmp_path, "strict").rewards == {"reward": reward}
    assert os.listdir(tmp_path) == ["reward.txt"]


def test_a_link_that_an_agent_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "reward.txt").symlink_to("victim")
    write_binary_reward(tmp_path, 0)
    assert (tmp_path / "victim").read_text() == "precious"
    assert harbor.read_rewards(tmp_path).rewards == {"reward": 1.0}


@pytest.mark.parametrize("obstacle", ["no folder", "a file", "a folder in its place"])
def test_where_it_can_not_be_written_it_says_so(tmp_path: Path, obstacle: str) -> None:
    folder = tmp_path / "verifier"
    if obstacle == "a file":
        folder.write_text("")
    elif obstacle == "a folder in its place":
        (folder / "reward.txt").mkdir(parents=True)
    with pytest.raises(InputError, match=r"can't write .*/reward\.txt: "):
        write_binary_reward(folder, 0)
