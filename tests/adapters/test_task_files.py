"""The files of a task as the linter looks at them."""

import os
from pathlib import Path

import pytest

from assay.adapters.tasks.task_folder import LIMIT, load_task, task_files
from assay.engine.tasks.task_reading import TaskFiles
from tests.builders import within


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "task.toml": "[[steps]]\nname = 'one'\n[[steps]]\nname = 'two'\n",
        "tests/helper.py": "shared\n",
        "tests/both.txt": "shared\n",
        "environment/Dockerfile": "FROM debian:12\n",
        "environment/data/x.txt": "x\n",
        "steps/one/instruction.md": "Do it.\n",
        "steps/one/tests/test.sh": "one\n",
        "steps/one/tests/both.txt": "one\n",
        "steps/two/instruction.md": "Do it.\n",
        "steps/two/tests/test.sh": "two\n",
        "steps/two/solution/solve.sh": "solve\n",
    }
    for name, text in files.items():
        path = tmp_path / "task" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name.endswith(".sh") else 0o644)
    return tmp_path / "task"


def read(folder: Path) -> list[TaskFiles]:
    task = load_task(str(folder))
    return [task_files(task, step) for step in task.steps]


def test_each_step_has_the_shared_tests_and_its_own_above_them(folder: Path) -> None:
    one, two = read(folder)
    assert one.tests == {"helper.py": "shared\n", "both.txt": "one\n", "test.sh": "one\n"}
    assert two.tests == {"helper.py": "shared\n", "both.txt": "shared\n", "test.sh": "two\n"}
    assert (one.solution, two.solution) == ({}, {"solve.sh": "solve\n"})
    assert one.environment == two.environment == {"Dockerfile": "FROM debian:12\n", "data/x.txt": "x\n"}
    assert one.writable == two.writable == frozenset()


def test_what_everybody_may_write_to_is_named(folder: Path) -> None:
    (folder / "tests" / "helper.py").chmod(0o666)
    (folder / "steps" / "one" / "tests" / "data").mkdir()
    (folder / "steps" / "one" / "tests" / "data").chmod(0o777)
    (folder / "steps" / "two" / "tests" / "link").symlink_to("nowhere")
    one, two = read(folder)
    assert one.writable == {"tests/helper.py", "tests/data"}
    assert two.writable == {"tests/helper.py"}


def test_odd_files_are_no_obstacle(folder: Path) -> None:
    """Binary text is replaced, what is too large or no file is left out, and nothing is followed."""
    tests = folder / "steps" / "two" / "tests"
    (tests / "binary").write_bytes(b"a\xffb")
    (tests / "huge").write_bytes(b"x" * (LIMIT + 1))
    (tests / "link").symlink_to("/etc/passwd")
    os.mkfifo(tests / "pipe")
    with within(60):
        _, two = read(folder)
    assert set(two.tests) == {"helper.py", "both.txt", "test.sh", "binary"}
    assert two.tests["binary"] == "a\ufffdb"


def test_a_task_without_an_environment(folder: Path) -> None:
    (folder / "environment" / "Dockerfile").unlink()
    (folder / "environment" / "data" / "x.txt").unlink()
    assert read(folder)[0].environment == {}
