"""Commands on a copy of the workspace: the whole of it, restored where asked, with reports of its own only."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.machine import trees
from assay.adapters.workspace.commands import BrokenCommandError, Commands
from assay.evidence.workspace import AS_LEFT, Side, Tree
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import FILES, Site, write_files
from tests.builders import unprivileged


def commands(site: Site, sandbox: PlainSandbox | None = None) -> Commands:
    return Commands(str(site.root), site.baseline, lambda: sandbox or PlainSandbox())


def test_it_runs_on_a_copy(site: Site) -> None:
    (site.root / "link").symlink_to("README.md")
    ran = commands(site).run("cat README.md link; find . -type f | wc -l; rm -rf *; exit 3", 10)
    assert (ran.end.exit_code, ran.output) == (3, "read me\nread me\n3\n")
    assert site.changed() == {"link": "added"}


def test_the_environment_is_clean(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p evil")
    sandbox = PlainSandbox()
    commands(site, sandbox).run("true", 7)
    asked = sandbox.asked[0]
    assert asked.env.keys() == {"PATH", "HOME", "LANG", "TERM"}
    assert (asked.workdir, asked.network, asked.limits.timeout_sec) == ("/workspace", False, 7)


def make_git(site: Site) -> None:
    """A repository whose configuration and folder have code of the agent's."""
    write_files(
        site.root, {".git/config": "[core]\n\tfsmonitor = touch stolen\n", ".git/evil.py": "print('evil')\n"}
    )


def test_the_agent_s_git_is_not_in_the_sandbox(site: Site) -> None:
    make_git(site)
    ran = commands(site).run("python3 .git/evil.py; ls -A", 10)
    assert "evil\n" not in ran.output
    assert ".git" not in ran.output.splitlines()


def test_a_git_that_is_a_link_is_not_either(site: Site) -> None:
    write_files(site.around / "other", {"config": "x"})
    (site.root / ".git").symlink_to(site.around / "other")
    assert ".git" not in commands(site).run("ls -A", 10).output.splitlines()


def test_a_clean_git_is_ours_with_one_commit(site: Site) -> None:
    make_git(site)
    write_files(site.root, {"new.py": "new"})
    clean = replace(commands(site), clean_git=True)
    ran = clean.run("git log --format=%s; git ls-files | sort; git status --short; ls .git/evil.py stolen", 10)
    names = sorted([*FILES, "new.py"])
    assert ran.output.splitlines()[: len(names) + 1] == ["Baseline", *names]
    assert ran.end.exit_code != 0


def test_restored_files_are_restored_in_the_copy_only(site: Site) -> None:
    write_files(site.root, {"tests/test_a.py": "new", "conftest.py": "new"})
    ran = commands(site).run("cat tests/test_a.py; ls", 10, Tree(swapped=("tests/*", "@runner")))
    assert ran.output == FILES["tests/test_a.py"] + "README.md\nsrc\ntests\n"
    assert site.changed() == {"conftest.py": "added", "tests/test_a.py": "modified"}


def test_a_report_from_before_does_not_count(site: Site) -> None:
    write_files(site.root, {"report.xml": "forged", "out/report.xml": "forged"})
    collect = ("report.xml", "out/report.xml", "./report.xml")
    assert set(commands(site).run("true", 10, AS_LEFT, collect).files.values()) == {None}
    ran = commands(site).run("echo a > report.xml; echo b > out/report.xml", 10, AS_LEFT, collect)
    assert ran.files == {"report.xml": b"a\n", "out/report.xml": b"b\n", "./report.xml": b"a\n"}


@pytest.mark.parametrize("make", ["ln -s /etc/hostname", "mkfifo", "mkdir", "ln -s nowhere"])
def test_a_report_that_is_no_file(site: Site, make: str) -> None:
    assert commands(site).run(f"{make} report.xml", 10, AS_LEFT, ("report.xml",)).files == {"report.xml": None}


@pytest.mark.parametrize("kind", ["link", "folder", "link on the way"])
def test_what_stands_in_the_way_of_a_report(site: Site, kind: str) -> None:
    write_files(site.around / "outside", {"report.xml": "forged"})
    if kind == "link":
        write_files(site.root, {"out/x": ""})
        (site.root / "out/report.xml").symlink_to(site.around / "outside/report.xml")
    elif kind == "folder":
        write_files(site.root, {"out/report.xml/x": ""})
    else:
        (site.root / "out").symlink_to(site.around / "outside")
    ran = commands(site).run("echo true > out/report.xml", 10, AS_LEFT, ("out/report.xml",))
    assert ran.files == {"out/report.xml": b"true\n"}
    assert (site.around / "outside/report.xml").read_text() == "forged"


def test_a_sandbox_that_breaks_is_an_error_of_the_scorer(site: Site) -> None:
    with pytest.raises(BrokenCommandError, match="no sandbox"):
        commands(site, PlainSandbox(broken="no sandbox")).run("true", 10)


def test_a_copy_that_lacks_something_is_not_run_on(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large file that comes first would let an agent choose which tests are left out."""
    write_files(site.root, {"0": "x" * 30})
    monkeypatch.setattr(trees, "MAX_BYTES", 50)
    with pytest.raises(BrokenCommandError, match="too large to copy"):
        commands(site).run("true", 10)


def test_a_closed_folder_is_not_left_out(open_folder: Path) -> None:
    site = Site(open_folder)
    write_files(site.root, {"tests/hard/test_b.py": "assert False"})
    (site.root / "tests/hard").chmod(0)
    with (
        unprivileged(),
        pytest.raises(BrokenCommandError, match="the folder tests/hard of the workspace can't be read"),
    ):
        commands(site).run("true", 10)


def test_sockets_and_pipes_are_not_missed(site: Site) -> None:
    os.mkfifo(site.root / "pipe")
    assert commands(site).run("test ! -e pipe", 10).end.exit_code == 0


def test_nothing_is_left_behind(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    (site.around / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(site.around / "scratch"))
    commands(site).run("mkdir -p a/b; chmod 0 a", 10)
    with pytest.raises(BrokenCommandError):
        commands(site, PlainSandbox(broken="no sandbox")).run("true", 10)
    (home,) = (site.around / "scratch").iterdir()
    assert list(home.iterdir()) == []


# --- Which files a command sees ---


def test_the_agents_tests_on_the_baselines_source(site: Site) -> None:
    write_files(site.root, {"tests/test_a.py": "mine\n", "tests/test_new.py": "new\n", "src/a.py": "changed\n"})
    tree = Tree(Side.BASELINE, swapped=("@tests",))
    ran = commands(site).run("cat tests/test_a.py tests/test_new.py src/a.py", 10, tree)
    assert ran.output == f"mine\nnew\n{FILES['src/a.py']}"


def test_files_on_top_and_files_that_are_not_there(site: Site) -> None:
    tree = Tree(without=("tests/*",), files={"src/a.py": b"mutant\n", "deep/er/new.txt": b"\xff\n"})
    ran = commands(site).run("cat src/a.py; ls tests deep/er; wc -c < deep/er/new.txt", 10, tree)
    assert "mutant\n" in ran.output
    assert "test_a.py" not in ran.output
    assert ran.output.splitlines()[-1] == "2"
    assert (site.root / "src/a.py").read_text() == FILES["src/a.py"]


def test_a_file_on_top_replaces_a_link_and_never_follows_it(site: Site, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("safe")
    (site.root / "linked").symlink_to(outside)
    ran = commands(site).run("cat linked", 10, Tree(files={"linked": b"ours"}))
    assert (ran.output, outside.read_text()) == ("ours", "safe")


def test_a_file_on_top_stays_below_the_workspace(site: Site) -> None:
    with pytest.raises(ValueError, match="path"):
        commands(site).run("true", 10, Tree(files={"../x": b""}))
