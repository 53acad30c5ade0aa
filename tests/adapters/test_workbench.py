"""The folders of one trial: who sees what, what is fresh, what is kept, and what comes back."""

import json
import os
import stat
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.adapters.machine import trees
from assay.adapters.tasks import workbench
from assay.adapters.tasks.workbench import ARCHIVE, MANIFEST, PARTIAL_ARCHIVE, Workbench
from assay.adapters.workspace.shared_copies import SharedCopies
from assay.core.errors import MeasurementError
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.run.trial_record import AGENT_LOG, ORACLE_LOG
from assay.engine.sandbox import Mount
from assay.engine.tasks.task import Copy, TaskEnvironment
from assay.evidence.files import Absent, Content, Refusal, Refused
from tests.tasks import ScriptedSandbox, make_step, script

PLAIN = TaskEnvironment(workdir="/workspace")


@pytest.fixture
def copies() -> Iterator[SharedCopies]:
    copies = SharedCopies()
    yield copies
    copies.close()


class Benches:
    """Makes benches and removes them."""

    def __init__(self, copies: SharedCopies) -> None:
        self._copies = copies
        self._made: list[Workbench] = []

    def __call__(self, environment: TaskEnvironment = PLAIN) -> Workbench:
        self._made.append(Workbench(environment, self._copies, ScriptedSandbox()))
        return self._made[-1]

    def close(self) -> None:
        for bench in self._made:
            bench.close()


@pytest.fixture
def bench_of(copies: SharedCopies) -> Iterator[Benches]:
    benches = Benches(copies)
    yield benches
    benches.close()


@pytest.fixture
def tests_folder(tmp_path: Path) -> str:
    script(tmp_path / "tests" / "test.sh", "true")
    return str(tmp_path / "tests")


def place(mounts: list[Mount], target: str) -> Path:
    return Path(next(mount.source for mount in mounts if mount.target == target))


def seeded(bench: Workbench) -> Path:
    """The workspace of a bench that has just been seeded."""
    bench.seed()
    return place(bench.agent_mounts(None), "/workspace")


def test_the_agent_sees_its_workspace_and_its_logs(bench_of: Benches) -> None:
    bench = bench_of()
    bench.seed()
    mounts = bench.agent_mounts(None)
    assert {mount.target: mount.writable for mount in mounts} == {
        "/workspace": True,
        "/logs/agent": True,
        "/logs/artifacts": True,
    }


def test_the_solution_is_there_for_the_oracle_and_read_only(bench_of: Benches, tmp_path: Path) -> None:
    script(tmp_path / "solution" / "solve.sh", "true")
    bench = bench_of()
    bench.seed()
    (mount,) = [mount for mount in bench.agent_mounts(str(tmp_path / "solution")) if mount.target == "/solution"]
    assert not mount.writable
    assert os.listdir(mount.source) == ["solve.sh"]


def test_the_verifier_can_write_its_artifacts_and_its_own_tests(bench_of: Benches, tests_folder: str) -> None:
    bench = bench_of()
    bench.seed()
    mounts = bench.verifier_mounts(make_step(tests=(tests_folder,)))
    assert {mount.target: mount.writable for mount in mounts} == {
        "/workspace": True,
        "/tests": True,
        "/logs/verifier": True,
        "/logs/agent": False,
        "/logs/artifacts": False,
    }


def _removed(workdir: Path) -> None:
    workdir.rmdir()


def _closed(workdir: Path) -> None:
    workdir.chmod(0)


def _linked(workdir: Path) -> None:
    workdir.rmdir()
    workdir.symlink_to("/etc")


def _made_a_file(workdir: Path) -> None:
    workdir.rmdir()
    workdir.write_text("x")


def _closed_above(workdir: Path) -> None:
    workdir.parent.chmod(0)


@pytest.mark.parametrize("spoil", [_removed, _closed, _linked, _made_a_file, _closed_above])
def test_the_verifier_has_its_working_folder_whatever_the_agent_did_to_it(
    bench_of: Benches, tests_folder: str, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """Else an agent that expects a 0 would make the measurement look broken instead."""
    (tmp_path / "a").write_text("x")
    bench = bench_of(TaskEnvironment("/app/sub", copies=(Copy((str(tmp_path / "a"),), "/app/"),)))
    bench.seed()
    workdir = place(bench.agent_mounts(None), "/app") / "sub"
    spoil(workdir)
    again = place(bench.verifier_mounts(make_step(tests=(tests_folder,))), "/app")
    for folder in (again, again / "sub"):
        assert stat.S_ISDIR(folder.lstat().st_mode)
        assert folder.stat().st_mode & 0o700 == 0o700


def test_a_workspace_that_is_too_large_is_not_kept_as_if_it_were_whole(
    bench_of: Benches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MAX_BYTES", 10)
    bench = bench_of()
    workspace = seeded(bench)
    (workspace / "a").write_text("x" * 11)
    (workspace / "b").write_text("x")
    assert os.path.basename(bench.keep_workspace(str(tmp_path))) == PARTIAL_ARCHIVE
    assert os.listdir(tmp_path) == [PARTIAL_ARCHIVE]


def test_whatever_lay_in_the_verifiers_folder_is_gone(bench_of: Benches, tests_folder: str) -> None:
    bench = bench_of()
    bench.seed()
    step = make_step(tests=(tests_folder,))
    for _ in range(2):
        folder = place(bench.verifier_mounts(step), "/logs/verifier")
        assert os.listdir(folder) == []
        assert bench.rewards().json == Absent("/logs/verifier/reward.json")
        (folder / "reward.json").write_text('{"reward": 1}')
        (folder / "reward.txt").symlink_to("/etc/passwd")


def test_copies_of_the_environment(bench_of: Benches, tmp_path: Path) -> None:
    """As COPY has it: into a folder where the target ends with a slash, as that file where it does not."""
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "file").write_text("deep")
    (tmp_path / "one").write_text("one")
    copies = (
        Copy((str(tmp_path / "one"),), "/workspace/"),
        Copy((str(tmp_path / "one"),), "/workspace/renamed"),
        Copy((str(tmp_path / "data"),), "/workspace/data/"),
        Copy((str(tmp_path / "one"),), "/srv/far/away"),
    )
    bench = bench_of(TaskEnvironment(workdir="/workspace", copies=copies))
    workspace = seeded(bench)
    assert (workspace / "one").read_text() == (workspace / "renamed").read_text() == "one"
    assert (workspace / "data" / "deep" / "file").read_text() == "deep"
    assert (place(bench.agent_mounts(None), "/srv/far") / "away").read_text() == "one"


def test_another_working_folder(bench_of: Benches) -> None:
    bench = bench_of(TaskEnvironment(workdir="/app/inner"))
    bench.seed()
    assert (place(bench.agent_mounts(None), "/app") / "inner").is_dir()


def test_only_the_agents_own_places_are_shown(bench_of: Benches) -> None:
    """Whatever else lies beside them, from an archive for instance: it could stand for a part of the system."""
    bench = bench_of(TaskEnvironment(workdir="/app"))
    workspace = seeded(bench)
    (workspace.parent / "usr").mkdir()
    targets = {mount.target for mount in bench.agent_mounts(None)}
    assert targets == {"/app", "/workspace", "/logs/agent", "/logs/artifacts"}


def test_the_later_tests_lie_above_the_earlier_ones(copies: SharedCopies, tmp_path: Path) -> None:
    for name in ("task", "step"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "both").write_text(name)
        (tmp_path / name / f"only-{name}").write_text(name)
    (tmp_path / "step" / "plain.sh").write_text("#!/bin/sh\n")
    (tmp_path / "step" / "data.txt").write_text("text")
    (tmp_path / "step" / "data.txt").chmod(0o666)
    copy = Path(copies.copy(str(tmp_path / "task"), str(tmp_path / "step")))
    assert (copy / "both").read_text() == "step"
    assert {path.name: path.stat().st_mode & 0o777 for path in copy.iterdir()} == {
        "both": 0o644,
        "only-task": 0o644,
        "only-step": 0o644,
        "plain.sh": 0o755,
        "data.txt": 0o644,
    }


def test_tests_are_copied_once_a_job(copies: SharedCopies, tests_folder: str) -> None:
    assert copies.copy(tests_folder) == copies.copy(tests_folder)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/workspace/answer", Content("/workspace/answer", b"right")),
        ("/workspace/nothing", Absent("/workspace/nothing")),
        ("/workspace/link", Refused("/workspace/link", Refusal.LINK)),
        ("/workspace/away/passwd", Refused("/workspace/away/passwd", Refusal.LINK, " on the way")),
        ("/workspace/folder", Refused("/workspace/folder", Refusal.FOLDER)),
        ("/workspace/../../../../../../etc/passwd", Absent("/workspace/../../../../../../etc/passwd")),
        ("/etc/passwd", Absent("/etc/passwd")),
    ],
)
def test_the_output_is_read_without_following_anything(bench_of: Benches, path: str, expected: object) -> None:
    bench = bench_of()
    workspace = seeded(bench)
    (workspace / "answer").write_text("right")
    (workspace / "link").symlink_to("/etc/passwd")
    (workspace / "away").symlink_to("/etc")
    (workspace / "folder").mkdir()
    assert bench.output(path) == expected


@pytest.mark.parametrize("target", ["/logs/agent", "/logs/artifacts"])
def test_an_output_may_lie_among_the_logs(bench_of: Benches, target: str) -> None:
    bench = bench_of()
    bench.seed()
    (place(bench.agent_mounts(None), target) / "answer").write_text("right")
    assert bench.output(f"{target}/answer") == Content(f"{target}/answer", b"right")
    assert bench.output(f"{target}/../../etc/passwd") == Absent(f"{target}/../../etc/passwd")
    assert bench.output("/logs/verifier/reward.json") == Absent("/logs/verifier/reward.json")


def test_a_workspace_comes_back_as_it_was(bench_of: Benches, tmp_path: Path) -> None:
    bench = bench_of()
    workspace = seeded(bench)
    (workspace / "deep" / "empty").mkdir(parents=True)
    (workspace / "file").write_bytes(bytes(range(256)) * 100)
    script(workspace / "program", "true")
    (workspace / "file").chmod(0o640)
    (workspace / "link").symlink_to("nowhere/at all")
    (workspace / "closed").mkdir(mode=0o500)
    os.mkfifo(workspace / "pipe")
    agent = place(bench.agent_mounts(None), "/logs/agent")
    (agent / "log").write_text("said")
    bench.keep_agent(str(tmp_path), [])
    archive = bench.keep_workspace(str(tmp_path))
    assert os.path.basename(archive) == ARCHIVE

    again = bench_of()
    again.restore(str(tmp_path))
    mounts = again.agent_mounts(None)
    found = place(mounts, "/workspace")
    assert sorted(os.listdir(found)) == ["closed", "deep", "file", "link", "program"]
    assert (found / "file").read_bytes() == bytes(range(256)) * 100
    modes = {name: (found / name).stat().st_mode & 0o777 for name in ("file", "program", "closed")}
    assert modes == {"file": 0o640, "program": 0o755, "closed": 0o500}
    assert os.readlink(found / "link") == "nowhere/at all"
    assert (found / "deep" / "empty").is_dir()
    assert (place(mounts, "/logs/agent") / "log").read_text() == "said"


def test_an_archive_says_nothing_of_owners(bench_of: Benches, tmp_path: Path) -> None:
    """So that the same workspace has the same hash on another machine."""
    bench = bench_of()
    (seeded(bench) / "file").write_text("x")
    with tarfile.open(bench.keep_workspace(str(tmp_path))) as archive:
        entries = archive.getmembers()
    assert {(entry.uid, entry.gid, entry.uname, entry.gname) for entry in entries} == {(0, 0, "", "")}


def test_the_same_workspace_has_the_same_hash(bench_of: Benches, tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        bench = bench_of()
        workspace = seeded(bench)
        (workspace / "file").write_text("x")
        for path in (workspace / "file", workspace, *workspace.parents[: len(workspace.parents) - 1]):
            os.utime(path, ns=(0, 0))
        (tmp_path / name).mkdir()
        found.append(Path(bench.keep_workspace(str(tmp_path / name))).read_bytes())
    assert found[0] == found[1]


def test_an_archive_is_there_as_a_whole_or_not_at_all(
    bench_of: Benches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(_source: str, archive: str, *, exact: bool) -> None:
        Path(archive).write_bytes(b"half")
        raise OSError("the disk is full")

    monkeypatch.setattr(workbench, "pack_tree", half)
    bench = bench_of()
    bench.seed()
    with pytest.raises(OSError, match="full"):
        bench.keep_workspace(str(tmp_path))
    assert not (tmp_path / ARCHIVE).exists()


def test_logs_are_empty_for_the_next_step(bench_of: Benches) -> None:
    bench = bench_of()
    bench.seed()
    for target in ("/logs/agent", "/logs/artifacts"):
        (place(bench.agent_mounts(None), target) / "log").write_text("x")
    bench.clear_agent()
    for target in ("/logs/agent", "/logs/artifacts"):
        assert os.listdir(place(bench.agent_mounts(None), target)) == []


def test_nothing_is_left_of_a_bench(copies: SharedCopies) -> None:
    bench = Workbench(PLAIN, copies, ScriptedSandbox())
    workspace = seeded(bench)
    (workspace / "closed").mkdir()
    (workspace / "closed" / "file").touch()
    (workspace / "closed").chmod(0o000)
    bench.close()
    assert not workspace.parent.parent.exists()


def test_what_an_environment_links_stays_linked_and_is_not_gone_through(bench_of: Benches, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "data" / "v1").mkdir(parents=True)
    (tmp_path / "data" / "current").symlink_to("v1")
    (tmp_path / "data" / "away").symlink_to(outside)
    (tmp_path / "data" / "file").symlink_to(outside / "file")
    (tmp_path / "one").write_text("one")
    copies = (
        Copy((str(tmp_path / "data"),), "/workspace/"),
        Copy((str(tmp_path / "one"),), "/workspace/away/"),
        Copy((str(tmp_path / "one"),), "/workspace/file"),
    )
    workspace = seeded(bench_of(TaskEnvironment(workdir="/workspace", copies=copies)))
    assert os.readlink(workspace / "current") == "v1"
    assert (workspace / "away" / "one").read_text() == (workspace / "file").read_text() == "one"
    assert os.listdir(outside) == []


def test_modes_and_what_is_ignored(bench_of: Benches, tmp_path: Path) -> None:
    for name in ("a", "deep/b", "secret/c"):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_text("x")
    ignored = frozenset({str(tmp_path / "data" / "secret")})
    copy = Copy((str(tmp_path / "data"),), "/workspace/", 0o751, ignored)
    workspace = seeded(bench_of(TaskEnvironment(workdir="/workspace", copies=(copy,))))
    assert sorted(os.listdir(workspace)) == ["a", "deep"]
    assert [stat.S_IMODE((workspace / name).stat().st_mode) for name in ("a", "deep/b")] == [0o751] * 2


def test_links_among_the_tests_are_there_and_what_they_lead_to_is_left_alone(
    copies: SharedCopies, tmp_path: Path, tests_folder: str
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o600)
    (Path(tests_folder) / "data").symlink_to("data_v1")
    (Path(tests_folder) / "away").symlink_to(outside)
    copy = Path(copies.copy(tests_folder))
    assert os.readlink(copy / "data") == "data_v1"
    assert stat.S_IMODE(outside.stat().st_mode) == 0o600


@pytest.mark.parametrize("spoil", ["a pipe", "too many"])
def test_tests_are_copied_whole_or_not_at_all(
    copies: SharedCopies, tests_folder: str, monkeypatch: pytest.MonkeyPatch, spoil: str
) -> None:
    """A verifier with a part of its tests would be another one."""
    if spoil == "a pipe":
        os.mkfifo(f"{tests_folder}/pipe")
    else:
        monkeypatch.setattr(trees, "MAX_FILES", 0)
    with pytest.raises(MeasurementError, match=r"can't copy .*tests: 1 of its files"):
        copies.copy(tests_folder)


def test_logs_that_are_too_large_are_said_to_be_and_not_graded_again(
    bench_of: Benches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MAX_BYTES", 10)
    bench = bench_of()
    bench.seed()
    (place(bench.agent_mounts(None), "/logs/agent") / "log").write_text("x" * 11)
    bench.keep_agent(str(tmp_path), [])
    (said,) = bench.not_kept
    assert said.startswith("/logs/agent has more than ")
    assert said.endswith("1 of its files are not kept")
    assert os.path.basename(bench.keep_workspace(str(tmp_path))) == PARTIAL_ARCHIVE


def test_the_verifier_sees_the_same_logs_again(bench_of: Benches, tests_folder: str, tmp_path: Path) -> None:
    """Not what was added to them when they were kept: the manifest, declared artifacts, what the agent printed."""
    first, again = bench_of(), bench_of()
    workspace = seeded(first)
    (workspace / "out.txt").write_text("x")
    (workspace / "build").mkdir()
    (workspace / "build" / "x").write_text("x")
    mounts = first.agent_mounts(None)
    (place(mounts, "/logs/artifacts") / "own.txt").write_text("x")
    (place(mounts, "/logs/agent") / "own.log").write_text("x")
    sources = ["/workspace/out.txt", "/workspace/build", "/logs/artifacts/own.txt"]
    manifest = first.keep_agent(str(tmp_path), [ArtifactConfig(source=source) for source in sources])
    assert [entry["status"] for entry in manifest] == ["ok"] * 4
    (tmp_path / "artifacts" / MANIFEST).write_text(json.dumps(manifest))
    (tmp_path / "agent" / (ORACLE_LOG, AGENT_LOG)[0]).write_text("printed")
    first.keep_workspace(str(tmp_path))
    again.restore(str(tmp_path))
    seen = again.verifier_mounts(make_step(tests=(tests_folder,)))
    assert os.listdir(place(seen, "/logs/artifacts")) == ["own.txt"]
    assert os.listdir(place(seen, "/logs/agent")) == ["own.log"]
