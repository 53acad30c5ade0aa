"""Commands are run once for the same content. Whatever they depend on makes them run again."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.tasks.remembered_commands import RunFolder
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.engine.sandbox import CommandEnvironment, Mount, Sandbox
from assay.evidence.workspace import AS_LEFT, Side, Tree
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import Site, write_files

COMMAND = "cat src/a.py; echo out > out.txt; exit 3"
COLLECT = ("out.txt",)


class Grading:
    """One grading of a site, with the memory that others of it have."""

    def __init__(self, site: Site, environment: CommandEnvironment | None = None, apart: bool = True) -> None:
        self.sandbox = PlainSandbox(apart=apart)
        runs = RunFolder(str(site.around / "runs"))
        commands = Commands(str(site.root), site.baseline, self._sandbox, memory=runs)
        if environment is not None:
            commands = replace(commands, environment=lambda: environment)
        self.workspace: Captured = capture(commands)

    def _sandbox(self) -> Sandbox:
        return self.sandbox

    def ran(self, command: str = COMMAND, tree: Tree = AS_LEFT, timeout_sec: float = 60) -> int:
        """Run it. Returns how many commands have been run so far."""
        self.workspace.run(command, timeout_sec, tree, COLLECT, remember=True)
        return len(self.sandbox.asked)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_the_same_is_not_run_again(site: Site) -> None:
    first = Grading(site).workspace.run(COMMAND, 60, AS_LEFT, COLLECT, remember=True)
    again = Grading(site)
    found = again.workspace.run(COMMAND, 90, AS_LEFT, COLLECT, remember=True)
    assert (len(again.sandbox.asked), again.workspace.commands.remembered) == (0, 1)
    assert found.remembered
    assert replace(found, remembered=False) == first
    assert (found.end.exit_code, found.files) == (3, {"out.txt": b"out\n"})
    assert found.output == "def f(): return 2\n"


def _edit(site: Site) -> None:
    write_files(site.root, {"src/a.py": "def f(): return 3\n"})


def _add(site: Site) -> None:
    write_files(site.root, {"src/b.py": ""})


def _remove(site: Site) -> None:
    (site.root / "README.md").unlink()


def _chmod(site: Site) -> None:
    (site.root / "src/a.py").chmod(0o600)


def _empty_folder(site: Site) -> None:
    (site.root / "cheat").mkdir()


def _link(site: Site) -> None:
    (site.root / "link").symlink_to("src")


def _other_baseline(site: Site) -> None:
    before = (site.root / "src/a.py").read_bytes()
    write_files(site.root, {"src/a.py": "def f(): return 4\n"})
    site.freeze()
    (site.root / "src/a.py").write_bytes(before)


@pytest.mark.parametrize("change", [_edit, _add, _remove, _chmod, _empty_folder, _link, _other_baseline])
def test_other_content_is_run(change: Callable[[Site], None], site: Site) -> None:
    assert Grading(site).ran() == 1
    change(site)
    assert Grading(site).ran() == 1
    assert Grading(site).ran() == 0


def test_the_agents_git_is_no_content(site: Site) -> None:
    assert Grading(site).ran() == 1
    write_files(site.root, {".git/index": "x"})
    assert Grading(site).ran() == 0


@pytest.mark.parametrize(
    "tree",
    [
        Tree(Side.BASELINE),
        Tree(swapped=("@tests",)),
        Tree(without=("README.md",)),
        Tree(files={"src/a.py": b"x"}),
    ],
)
def test_another_question_is_run(tree: Tree, site: Site) -> None:
    assert Grading(site).ran() == 1
    assert Grading(site).ran(tree=tree) == 1
    assert Grading(site).ran(f"{COMMAND} ") == 1


def test_other_surroundings_are_run(site: Site, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    write_files(tools, {"bin/tool": "1"})
    around = CommandEnvironment(mounts=(Mount(str(tools), "/tools"),))
    assert Grading(site).ran() == 1
    assert Grading(site, around).ran() == 1
    assert Grading(site, around).ran() == 0
    assert Grading(site, replace(around, env={"X": "1"})).ran() == 1
    write_files(tools, {"bin/tool": "12"})
    assert Grading(site, around).ran() == 1


@pytest.mark.parametrize(
    ("image", "again"), [("python:3.12", 1), ("python@sha256:abc", 0)], ids=["a tag may move", "pinned"]
)
def test_an_image(image: str, again: int, site: Site) -> None:
    around = CommandEnvironment(image=image)
    assert Grading(site, around).ran() == 1
    assert Grading(site, around).ran() == again


def test_without_a_view_of_its_own_a_command_could_write_there(site: Site) -> None:
    assert Grading(site, apart=False).ran() == 1
    assert Grading(site, apart=False).ran() == 1


def test_whoever_does_not_ask_for_it_gets_a_run(site: Site) -> None:
    assert Grading(site).ran() == 1
    again = Grading(site)
    again.workspace.run(COMMAND, 60, AS_LEFT, COLLECT)
    assert len(again.sandbox.asked) == 1


def test_a_repetition_is_a_run_of_its_own(site: Site) -> None:
    command = "date +%N; exit 0"
    grading = Grading(site)
    first = [grading.workspace.run(command, 60, remember=True).output for _ in range(3)]
    assert len(set(first)) == 3
    again = Grading(site)
    assert [again.workspace.run(command, 60, remember=True).output for _ in range(3)] == first
    assert again.sandbox.asked == []


def test_what_came_out_differently_is_forgotten(site: Site) -> None:
    grading = Grading(site)
    for _ in range(2):
        grading.workspace.forget(grading.workspace.run(COMMAND, 60, remember=True).kept_as)
    again = Grading(site)
    assert again.ran() == 1
    assert again.ran() == 2


def test_what_was_stopped_is_run_again(site: Site) -> None:
    assert Grading(site).ran("exec sleep 9", timeout_sec=0.2) == 1
    assert Grading(site).ran("exec sleep 9", timeout_sec=0.2) == 1


def test_what_took_longer_than_is_allowed_now_is_run_again(site: Site) -> None:
    assert Grading(site).ran("sleep 0.3") == 1
    assert Grading(site).ran("sleep 0.3", timeout_sec=0.1) == 1
    assert Grading(site).ran("sleep 0.3") == 0


def test_a_word_belongs_to_the_content(site: Site) -> None:
    word = Grading(site).workspace.secret("x")
    assert Grading(site).workspace.secret("x") == word
    assert Grading(site).workspace.secret("y") != word
    assert len({word, *(Grading(site).workspace.secret() for _ in range(2))}) == 3
    _edit(site)
    assert Grading(site).workspace.secret("x") != word


def test_a_file_that_cannot_be_read_leaves_nothing_to_remember(site: Site) -> None:
    huge = site.root / "huge"
    with huge.open("wb") as file:
        os.truncate(file.fileno(), 2**30)
    commands = Commands(str(site.root), site.baseline, lambda: PlainSandbox(apart=True))
    commands = replace(commands, memory=RunFolder(str(site.around / "runs")))
    assert commands.word("x") is None
