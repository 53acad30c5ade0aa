"""``assay reward``: the last line of a verifier script."""

from pathlib import Path

import pytest

from tests.cli.running import Cli, run_assay


@pytest.mark.statement("harbor.tbench-binary")
@pytest.mark.parametrize(("status", "text"), [(0, "1\n"), (1, "0\n"), (124, "0\n"), (255, "0\n")])
def test_the_reward_is_written_and_the_status_passed_on(cli: Cli, tmp_path: Path, status: int, text: str) -> None:
    assert cli("reward", "--exit-status", status, "--into", tmp_path) == (status, "", "")
    assert (tmp_path / "reward.txt").read_text() == text


def test_as_a_process(tmp_path: Path) -> None:
    assert run_assay("reward", "--exit-status", 3, "--into", tmp_path) == (3, "", "")
    assert (tmp_path / "reward.txt").read_text() == "0\n"
