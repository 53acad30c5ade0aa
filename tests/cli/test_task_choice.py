"""Choosing some tasks of a dataset, and running them as they were published."""

import argparse
from pathlib import Path

import pytest

from assay.cli.options.tasks import add_task_choice, chosen_tasks
from assay.core.errors import InputError
from tests.sandbox.backends import need
from tests.tasks import attempt, write_task


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    for name in ("easy/add", "easy/subtract", "hard/add", "hard/prove"):
        write_task(tmp_path / "sums" / name)
    return tmp_path / "sums"


def chosen(dataset: Path, *options: str) -> list[str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("tasks", nargs="+")
    add_task_choice(parser)
    found = chosen_tasks(parser.parse_args([str(dataset), *options]))
    assert {source for _, source in found} == {"sums"}
    return [str(Path(folder).relative_to(dataset)) for folder, _ in found]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ["easy/add", "easy/subtract", "hard/add", "hard/prove"]),
        (["--include", "add"], ["easy/add", "hard/add"]),
        (["--include", "easy/*"], ["easy/add", "easy/subtract"]),
        (["--include", "add", "--include", "prove"], ["easy/add", "hard/add", "hard/prove"]),
        (["--exclude", "hard/*", "--exclude", "sub*"], ["easy/add"]),
        (["--include", "*add", "--exclude", "easy/*"], ["hard/add"]),
        (["--limit", "2"], ["easy/add", "easy/subtract"]),
        (["--exclude", "easy/*", "--limit", "1"], ["hard/add"]),
    ],
)
def test_which_tasks_are_chosen(dataset: Path, options: list[str], expected: list[str]) -> None:
    assert chosen(dataset, *options) == expected


def test_a_choice_that_leaves_nothing_is_refused(dataset: Path) -> None:
    with pytest.raises(
        InputError, match="--include and --exclude must leave at least one task, but they leave none"
    ):
        chosen(dataset, "--include", "nothing")


@pytest.mark.statement("harbor.scripts-executable")
def test_a_published_task_runs_as_it_is(tmp_path: Path) -> None:
    """Neither script is executable or names its program, both are for bash, and the tests are written to."""
    need("bubblewrap")
    task = write_task(tmp_path / "task", toml="[metadata]\nextensions = ['cli']\n")
    (task / "solution" / "solve.sh").write_text("words=(one two); echo ${words[1]} > answer.txt\n")
    (task / "tests" / "test.sh").write_text(
        "cd /tests && chmod +x helper && sed -i s/1/2/ helper && mkdir cache\n"
        '[[ "$(cat /workspace/answer.txt)" == two ]] && echo 1 > /logs/verifier/reward.txt\n'
    )
    (task / "tests" / "helper").write_text("echo 1\n")
    for script in ("solution/solve.sh", "tests/test.sh", "tests/helper"):
        (task / script).chmod(0o644)
    left = attempt(task, "oracle", tmp_path / "jobs")
    assert left.rewards == {"reward": 1.0}
    assert left.gradings[0]["provenance"]["changed_tests"] == ["helper"]
    assert (task / "tests" / "helper").read_text() == "echo 1\n"
