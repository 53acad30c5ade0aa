"""Tasks made from scenarios: a workspace without its history, a baseline, and scorers that stay as they were."""

import json
import os
import stat
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.machine import trees
from assay.adapters.tasks.seeded_task import load_seeded, unpack_workspace
from assay.adapters.tasks.seeding_files import LocalSeedingFiles
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.core.errors import InputError
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.seed_task import seed_task
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.repositories import make_repository, run_git
from tests.adapters.workspace.site import no_sandbox, write_files

SCORERS = [{"name": "tests", "type": "tests_unmodified", "paths": ["tests/test_a.py"]}]
FILES = {"tests/test_a.py": "assert f() == 1\n", "src/a.py": "def f(): return 2\n", ".gitignore": "build/\n"}
NOW = datetime(2026, 3, 1, tzinfo=UTC)
SOLUTION = "the solution, which the agent must not see"


def scenario(seed: object = "empty", **more: Any) -> Scenario:
    return Scenario.model_validate({"workspace_seed": seed, "scorers": SCORERS, **more})


def seeded(folder: Path, name: str = "task", seed_of: object = "empty", **more: Any) -> Seeded:
    files = LocalSeedingFiles(str(folder), PlainSandbox)
    return seed_task(scenario(seed_of, **more), "the scenario", str(folder / name), files, lambda: NOW)


def from_git(commit: str = "main", repository: str = "repository") -> dict[str, str]:
    return {"type": "git", "repository": repository, "commit": commit}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One whose history has the solution, before and after the commit that is seeded."""
    folder = tmp_path / "repository"
    make_repository(folder, {"src/a.py": SOLUTION}, FILES, {"src/a.py": SOLUTION})
    run_git(folder, "tag", "start", "HEAD~1")
    run_git(folder, "remote", "add", "origin", "https://example.org/solution.git")
    return folder


def unpacked(task: Seeded, target: Path) -> Path:
    unpack_workspace(task, str(target))
    return target


def captured(task: Seeded, root: Path) -> Captured:
    return capture(Commands(str(root), task.baseline, no_sandbox), None, task.nested)


@pytest.mark.usefixtures("repository")
def test_a_workspace_as_the_agent_gets_it(tmp_path: Path) -> None:
    task = seeded(tmp_path, seed_of=from_git("start"), user_instruction="Fix it.")
    root = unpacked(task, tmp_path / "workspace")
    assert {
        str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and ".git/" not in str(path)
    } == {*FILES}
    assert (tmp_path / "task/instruction.md").read_text() == "Fix it.\n"
    assert captured(task, root).changes == ()
    assert run_git(root, "status", "--porcelain", "--ignored") == ""


@pytest.mark.usefixtures("repository")
def test_no_history_to_read_the_solution_from(tmp_path: Path) -> None:
    root = unpacked(seeded(tmp_path, seed_of=from_git("start")), tmp_path / "workspace")
    assert run_git(root, "rev-list", "--all", "--count") == "1"
    assert run_git(root, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert run_git(root, "remote") == ""
    assert run_git(root, "reflog", check=False) == ""
    assert run_git(root, "stash", "list") == ""
    assert run_git(root, "fsck", "--full", "--unreachable", "--no-reflogs") == ""
    objects = run_git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert objects
    assert not any(SOLUTION in run_git(root, "cat-file", "-p", one) for one in objects)
    kept = {path.name for path in (root / ".git").iterdir()}
    assert kept <= {"HEAD", "COMMIT_EDITMSG", "config", "index", "objects", "refs", "branches", "info", "hooks"}
    assert "example.org" not in (root / ".git/config").read_text()
    assert not list((root / ".git").rglob("pack*.pack"))
    assert not list((root / ".git").rglob("alternates"))


TEXT = b"# $Id$\nx = 1\n"
WIDE = TEXT.decode().encode("utf-16")


@pytest.mark.parametrize(
    ("attributes", "content"),
    [
        ("eol=crlf", TEXT),
        ("text=auto", TEXT),
        ("ident", TEXT),
        ("filter=lfs", TEXT),
        ("working-tree-encoding=UTF-16", WIDE),
    ],
)
def test_an_agents_own_git_puts_files_back_as_they_were(tmp_path: Path, attributes: str, content: bytes) -> None:
    make_repository(tmp_path / "repository", {".gitattributes": f"*.py {attributes}\n", "a.py": content})
    task = seeded(tmp_path, seed_of=from_git())
    root = unpacked(task, tmp_path / "work")
    (root / "a.py").unlink()
    run_git(root, "checkout", "--", "a.py")
    assert captured(task, root).changes == ()
    assert run_git(root, "status", "--porcelain") == ""


def test_files_that_are_tracked_though_ignored_stay_tracked(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    names = {"build/kept": "1", "odd\nname.log": "2", "*.log": "3", "gone.log": "4"}
    make_repository(repository, names, {".gitignore": "build/\n*.log\n"})
    task = seeded(tmp_path, seed_of=from_git(), setup="mkdir made.log; echo 1 > made.log/cache; rm gone.log")
    root = unpacked(task, tmp_path / "work")
    run_git(root, "clean", "-fdxq")
    assert [change.path for change in captured(task, root).changes] == ["made.log/cache"]


@pytest.mark.usefixtures("repository")
def test_the_same_scenario_gives_the_same_task(tmp_path: Path) -> None:
    one, two = (seeded(tmp_path, name, from_git("start")) for name in ("one", "two"))
    assert (one.baseline_sha256, one.scenario_sha256) == (two.baseline_sha256, two.scenario_sha256)
    assert one.workspace_sha256 == two.workspace_sha256
    roots = [unpacked(task, tmp_path / f"{number}") for number, task in enumerate((one, two))]
    assert run_git(roots[0], "rev-parse", "HEAD") == run_git(roots[1], "rev-parse", "HEAD")
    assert seeded(tmp_path, "three", from_git("main")).baseline_sha256 != one.baseline_sha256


@pytest.mark.parametrize("name", ["start", "main", "HEAD", "FULL", "SHORT"])
def test_ways_to_name_a_commit(repository: Path, tmp_path: Path, name: str) -> None:
    full = run_git(repository, "rev-parse", "start" if name == "start" else "main")
    commit = {"FULL": full, "SHORT": full[:9]}.get(name, name)
    seeded(tmp_path, seed_of=from_git(commit))
    assert json.loads((tmp_path / "task/task.json").read_text())["commit"] == full


def test_a_bare_repository(repository: Path, tmp_path: Path) -> None:
    run_git(repository, "clone", "-q", "--bare", str(repository), str(tmp_path / "bare.git"))
    task = seeded(tmp_path, seed_of=from_git("start", "bare.git"))
    assert set(task.baseline.paths()) == set(FILES)


@pytest.mark.usefixtures("repository")
def test_an_unknown_commit_leaves_no_task(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no commit 'nothing'"):
        seeded(tmp_path, seed_of=from_git("nothing"))
    assert not (tmp_path / "task").exists()


def test_an_archive(tmp_path: Path) -> None:
    write_files(tmp_path / "made/project-1.0", FILES)
    with tarfile.open(tmp_path / "project.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "made/project-1.0", "project-1.0")
    task = seeded(tmp_path, seed_of={"type": "archive", "path": "project.tar.gz", "strip": 1})
    assert set(task.baseline.paths()) == set(FILES)


def test_an_archive_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path / "made", FILES)
    with tarfile.open(tmp_path / "project.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "made", ".")
    with pytest.raises(InputError, match=r"project\.tar\.gz has nothing left after removing 3 leading folders$"):
        seeded(tmp_path, seed_of={"type": "archive", "path": "project.tar.gz", "strip": 3})
    assert not (tmp_path / "task").exists()


def test_an_empty_workspace(tmp_path: Path) -> None:
    task = seeded(tmp_path)
    root = unpacked(task, tmp_path / "workspace")
    assert list(task.baseline.paths()) == []
    assert run_git(root, "rev-list", "--all", "--count") == "1"
    write_files(root, {"new": "x"})
    assert [change.path for change in captured(task, root).changes] == ["new"]


def test_the_setup_prepares_the_workspace(tmp_path: Path) -> None:
    setup = (
        "mkdir build; echo 1 > build/x; chmod u+s,+x build/x; ln -s build link; : > empty; echo '*' > .gitignore"
    )
    task = seeded(tmp_path, setup=setup)
    root = unpacked(task, tmp_path / "workspace")
    assert set(task.baseline.paths()) == {".gitignore", "build/x", "empty", "link"}
    assert captured(task, root).changes == ()
    assert stat.S_IMODE((root / "build/x").stat().st_mode) == 0o755


@pytest.mark.parametrize("name", ["\\n", "\\t", "\\377", " x ", "-n", "\\303\\251", "e\\314\\201"])
def test_odd_names_reach_the_agent(tmp_path: Path, name: str) -> None:
    task = seeded(tmp_path, setup=f'f="$(printf \'a{name}b\')"; mkdir "$f"; echo x > "$f/$f"; ln -s "$f" "l$f"')
    root = unpacked(task, tmp_path / "workspace")
    assert len(list(task.baseline.paths())) == 2
    assert captured(task, root).changes == ()


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ({"command": "echo one; echo two >&2; exit 3"}, "the setup command ended with exit code 3: two"),
        ({"command": "exit 1"}, "exit code 1: it printed nothing"),
        ({"command": "sleep 30", "timeout_s": 1}, "the setup command timed out"),
    ],
)
def test_a_setup_that_fails_leaves_no_task(tmp_path: Path, setup: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        seeded(tmp_path, setup=setup)
    assert not (tmp_path / "task").exists()


@pytest.mark.parametrize(
    "commit", ["", "git -C vendor -c user.name=a -c user.email=b commit -q --allow-empty -m x;"]
)
def test_a_setup_that_makes_a_nested_repository(tmp_path: Path, commit: str) -> None:
    """Also one without a commit, which git itself refuses to add."""
    task = seeded(tmp_path, setup=f"git init -q vendor; {commit} echo x > vendor/a; echo y > b")
    root = unpacked(task, tmp_path / "workspace")
    assert task.nested == ("vendor",)
    assert set(task.baseline.paths()) == {"vendor/a", "b"}
    assert run_git(root, "ls-files") == "b"
    found = captured(task, root)
    assert (found.changes, found.nested_repositories) == ((), ())


@pytest.mark.parametrize(
    "setup", ["git init -q .", "echo 'gitdir: /elsewhere' > .git", "ln -s /elsewhere .git", "mkfifo .git"]
)
def test_a_setup_with_a_git_of_its_own(tmp_path: Path, setup: str) -> None:
    root = unpacked(seeded(tmp_path, setup=f"{setup}; echo x > a"), tmp_path / "workspace")
    assert run_git(root, "rev-list", "--all", "--count") == "1"
    assert (root / ".git").is_dir()


def test_what_can_not_be_handed_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every agent would seem to have deleted it."""
    with pytest.raises(InputError, match="1 file in the workspace can't be given to agents"):
        seeded(tmp_path, setup="mkfifo pipe")
    monkeypatch.setattr(trees, "MAX_FILES", 10)
    with pytest.raises(InputError, match="can't be given to agents"):
        seeded(tmp_path, setup="for i in 1 2 3 4 5 6 7 8 9 10 11; do : > $i; done")
    assert not (tmp_path / "task").exists()


def test_git_in_the_workspace_runs_nothing_of_the_setup(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    config = f'[core]\n\tfsmonitor = touch {canary}\n[filter "evil"]\n\tclean = touch {canary}\n'
    lines = [
        "mkdir -p .git/hooks; echo x > a; echo '* filter=evil' > .gitattributes",
        f"printf '{config}' > .git/config",
        f"echo 'touch {canary}' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    ]
    seeded(tmp_path, setup="; ".join(lines))
    assert not canary.exists()


@pytest.mark.statement("scorers.later-edits-ignored")
def test_the_scenario_may_change_afterwards(tmp_path: Path, repository: Path) -> None:
    task = seeded(tmp_path, seed_of=from_git("start"))
    make_repository(repository, {"src/a.py": "other"})
    (repository / "src/a.py").write_text("edited")
    again = load_seeded(str(tmp_path / "task"))
    assert (again.scenario, again.baseline_sha256) == (task.scenario, task.baseline_sha256)
    assert again.baseline.read("src/a.py") == FILES["src/a.py"].encode()


def change_scorer(record: dict[str, Any]) -> None:
    record["scenario"]["scorers"][0]["paths"] = ["other"]


def change_nested(record: dict[str, Any]) -> None:
    record["nested_repositories"] = ["hidden"]


def change_baseline(record: dict[str, Any]) -> None:
    record["baseline_sha256"] = "0" * 64


def change_scenario_hash(record: dict[str, Any]) -> None:
    record["scenario_sha256"] = "0" * 64


def add_a_field(record: dict[str, Any]) -> None:
    record["more"] = 1


CHANGES = [change_scorer, change_nested, change_baseline, change_scenario_hash, add_a_field]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_record_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    seeded(tmp_path)
    path = tmp_path / "task/task.json"
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"task\.json.* was changed since the task was seeded"):
        load_seeded(str(tmp_path / "task"))


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "\xff", '{"format": 2}', "[" * 100_000])
def test_a_record_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "task.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="wasn't written by 'assay seed'"):
        load_seeded(str(tmp_path))


def test_a_folder_that_is_no_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="isn't a seeded task"):
        load_seeded(str(tmp_path))


def test_a_changed_archive_is_refused(tmp_path: Path) -> None:
    task = seeded(tmp_path)
    archive = tmp_path / "task/workspace.tar.gz"
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(InputError, match=r"workspace\.tar\.gz was changed since the task was seeded"):
        unpack_workspace(task, str(tmp_path / "workspace"))
    archive.unlink()
    with pytest.raises(InputError, match=r"workspace\.tar\.gz can't be read"):
        unpack_workspace(task, str(tmp_path / "workspace"))
    assert not (tmp_path / "workspace").exists()


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: path.symlink_to("nowhere")])
def test_what_is_there_is_not_overwritten(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "task")
    with pytest.raises(InputError, match="already exists"):
        seeded(tmp_path)
    task = seeded(tmp_path, "other")
    with pytest.raises(InputError, match="already exists"):
        unpack_workspace(task, str(tmp_path / "task"))
    assert os.path.lexists(tmp_path / "task")


# --- The scorers are tried on the untouched workspace, all but the commands ---


def scorer(kind: str, **config: Any) -> list[dict[str, Any]]:
    return [{"name": "mine", "type": kind, **config}]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("scorers", "sentence"),
    [
        (
            scorer("tests_unmodified", paths=["tests"]),
            "a path must be a file, got the folder tests: name the files in it",
        ),
        (scorer("baseline_unmodified", paths=["src/*"]), "a path must be exact, got the pattern src/*: "),
    ],
)
def test_a_scorer_that_would_break_for_every_agent_is_refused(
    tmp_path: Path, scorers: list[dict[str, Any]], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        seeded(tmp_path, seed_of=from_git("start"), scorers=scorers)
    assert str(caught.value).startswith(f"the scorer 'mine' breaks on the untouched workspace: {sentence}")
    assert not (tmp_path / "task").exists()


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("scorers", "notes"),
    [
        (SCORERS, ()),
        (
            scorer("tests_unmodified", paths=["tpyo.py"]),
            ("mine: 1 protected file, none edited; tpyo.py never existed",),
        ),
        (
            scorer("forbid_paths", patterns=["src"]),
            ("mine: 0 changed paths, none forbidden; 'src' is a folder: 'src/*' matches what is in it",),
        ),
        (scorer("forbid_paths", patterns=["src/*", "lib", "src/a.py"]), ()),
        (scorer("forbid_secrets"), ()),
        (scorer("file_exists", path="none"), ()),
        (scorer("command", command="exit 1"), ()),
    ],
)
def test_what_a_scorer_says_of_its_own_setting_is_noted(
    tmp_path: Path, scorers: list[dict[str, Any]], notes: tuple[str, ...]
) -> None:
    assert seeded(tmp_path, seed_of=from_git("start"), scorers=scorers).notes == notes


def test_a_scenario_without_a_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="workspace_seed must be given"):
        seeded(tmp_path, seed_of=None)
