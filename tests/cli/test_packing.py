"""A job in one file: it comes out as it went in, every reader sees the same, and a hostile file leads nowhere."""

import json
import os
import shutil
import sqlite3
import stat
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.jobs.packing import on_disk, pack_folder, unpack
from assay.adapters.jobs.pieces import claim
from assay.adapters.machine.numbered_files import append_numbered, read_all_numbered
from assay.adapters.machine.packs import Pack
from assay.adapters.machine.safe_read import is_file, is_folder, is_there, open_below, read_below
from assay.core.errors import InputError
from tests.cli.running import Cli
from tests.sampling import examples
from tests.sandbox.backends import need
from tests.tasks import ANSWER, JOB, run_arguments, write_task

DATA = Path(__file__).parent.parent / "data"
JOBS = [*(DATA / "harbor_jobs").iterdir(), *(one for one in (DATA / "harbor_versions").iterdir() if one.is_dir())]

names = st.binary(min_size=1, max_size=6).filter(
    lambda name: not {0, 47} & set(name) and name not in (b".", b"..")
)
contents = st.one_of(st.binary(max_size=50), st.integers(0, 3).map(lambda n: b"x" * ((1 << 20) * n // 2 + n)))
modes = st.sampled_from([0o644, 0o600, 0o755, 0o400, 0o7, 0o666])
times = st.integers(0, 2**33 * 10**9)
leaves = st.one_of(
    st.tuples(st.just("file"), contents, modes, times),
    st.tuples(st.just("link"), names, modes, times),
    st.tuples(st.just("pipe"), st.just(b""), modes, times),
    st.tuples(st.just("same"), st.just(b""), modes, times),
)
trees = st.recursive(
    leaves,
    lambda inner: st.tuples(
        st.just("folder"),
        st.dictionaries(names, inner, max_size=4),
        st.sampled_from([0o755, 0o700, 0o1777]),
        times,
    ),
    max_leaves=8,
)


def make(path: bytes, tree: Any, files: list[bytes]) -> None:
    kind, inside, mode, at = tree
    if kind == "folder":
        os.mkdir(path)
        for name, one in inside.items():
            make(path + b"/" + name, one, files)
    elif kind == "link":
        os.symlink(inside, path)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "same" and files:
        os.link(files[-1], path)
    else:
        Path(os.fsdecode(path)).write_bytes(inside)
        files.append(path)
    if kind != "link":
        os.chmod(path, mode)
    os.utime(path, ns=(at, at), follow_symlinks=False)


def seen(root: Path) -> dict[str, Any]:
    """Everything that is there, with which names are the same file."""
    found: dict[str, Any] = {}
    inodes: dict[int, str] = {}
    for folder, folders, files in os.walk(root):
        for name in [".", *sorted(folders), *sorted(files)]:
            path = os.path.join(folder, name)
            told = os.lstat(path)
            content: Any = os.readlink(path) if stat.S_ISLNK(told.st_mode) else None
            if stat.S_ISREG(told.st_mode):
                os.chmod(path, 0o600)
                content = Path(path).read_bytes(), inodes.setdefault(told.st_ino, os.path.relpath(path, root))
                os.chmod(path, stat.S_IMODE(told.st_mode))
            found[os.path.relpath(path, root)] = told.st_mode, told.st_mtime_ns, content
    return found


@examples(60)
@given(st.dictionaries(names, trees, max_size=4))
def test_what_is_packed_comes_out_as_it_was(inside: dict[bytes, Any]) -> None:
    with tempfile.TemporaryDirectory() as place:
        make(f"{place}/job".encode(), ("folder", inside, 0o755, 10**18 + 1), [])
        before = seen(Path(place, "job"))
        pack_folder(f"{place}/job", f"{place}/job.pack")
        unpack(f"{place}/job.pack", f"{place}/again")
        assert seen(Path(place, "again")) == before
        with on_disk(f"{place}/job.pack") as copy:
            assert seen(Path(copy)) == before


@pytest.fixture
def job(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "harbor_jobs" / "j1", tmp_path / "j1", symlinks=True)
    return tmp_path / "j1"


def packed(job: Path) -> Path:
    target = job.parent / f"{job.name}.pack"
    pack_folder(str(job), str(target))
    return target


@pytest.mark.parametrize("source", JOBS, ids=lambda job: job.name)
def test_reports_and_audits_of_a_pack_have_the_same_bytes(source: Path, cli: Cli, tmp_path: Path) -> None:
    pack_folder(str(source), f"{tmp_path}/job.pack")
    # A job that grades another one again finds that one beside itself.
    for beside in ("0.24.0-source", "0.25.0-source"):
        shutil.copytree(DATA / "harbor_versions" / beside, tmp_path / beside, symlinks=True)
    for command in (["report", "--json", "--by", "trial"], ["audit", "--json"], ["audit"], ["report"]):
        assert cli(*command, f"{tmp_path}/job.pack") == cli(*command, str(source))


def test_a_pack_of_jobs_is_read_as_one_submission(cli: Cli, tmp_path: Path) -> None:
    for name in ("j1", "j4"):
        shutil.copytree(DATA / "harbor_jobs" / name, tmp_path / "jobs" / name, symlinks=True)
    pack = packed(tmp_path / "jobs")
    for command in (["report", "--json"], ["compare", "--json", "--anyway"]):
        assert cli(*command, str(pack)) == cli(*command, str(tmp_path / "jobs"))


def test_every_file_of_a_pack_is_read_as_on_disk(job: Path) -> None:
    (job / "link").symlink_to("result.json")
    (job / "dangling").symlink_to("nothing")
    os.mkfifo(job / "pipe")
    pack, trial = packed(job), next(path.name for path in job.iterdir() if (path / "result.json").is_file())
    places = [
        ("result.json",),
        ("link",),
        ("dangling",),
        ("pipe",),
        ("nothing",),
        (trial,),
        (trial, "result.json"),
    ]
    places += [("result.json", "x"), ("link", "x"), (trial, "nothing"), (trial, "verifier", "reward.txt")]
    for parts in places:
        one, other = read_below(str(job), parts, 2**20), read_below(str(pack), parts, 2**20)
        assert repr(one).replace(str(job), str(pack)) == repr(other)
        inside, outside = f"{pack}/{'/'.join(parts)}", f"{job}/{'/'.join(parts)}"
        if not os.path.islink(outside) and "link" not in parts:
            for ask in (is_file, is_folder, is_there):
                assert ask(inside) == ask(outside), (ask, parts)
        found, again = open_below(str(pack), parts), open_below(str(job), parts)
        assert (found is None) == (again is None)
        if found is not None and again is not None:
            assert found.read(3, found.size) == again.read(3, again.size)
    assert DiskJobFolder(str(pack)).name == job.name


def test_a_view_of_a_pack_is_one_of_the_job(cli: Cli, job: Path, tmp_path: Path) -> None:
    pack = packed(job)
    assert cli("view", str(job), "-o", f"{tmp_path}/one.html").code == 0
    assert cli("view", str(pack), "-o", f"{tmp_path}/other.html").code == 0
    assert Path(tmp_path, "one.html").read_bytes() == Path(tmp_path, "other.html").read_bytes()


def test_runs_of_a_pack_are_imported_with_their_files(cli: Cli, job: Path, tmp_path: Path) -> None:
    pack = packed(job)
    stored = []
    for path, store in ((job, "one"), (pack, "other")):
        done = cli("import", str(path), "--store", f"{tmp_path}/{store}.db")
        assert done.code == 0, done.err
        with closing(sqlite3.connect(f"{tmp_path}/{store}.db")) as database:
            files = database.execute("SELECT name, blob FROM run_files ORDER BY 1, 2").fetchall()
            runs = database.execute("SELECT name, state, score, digest FROM runs ORDER BY 1").fetchall()
        stored.append((done.out, files, runs))
    assert stored[0] == stored[1]
    assert stored[0][2]


def test_gradings_are_added_to_a_pack_once(cli: Cli, tmp_path: Path) -> None:
    need("bubblewrap")
    task = write_task(tmp_path / "tasks" / "task", verifier=ANSWER)
    assert cli(*run_arguments(task, "echo right > answer.txt", tmp_path / "jobs", "--quiet", "-k", 2)).code == 0
    pack = packed(tmp_path / "jobs" / JOB)
    shutil.rmtree(tmp_path / "jobs" / JOB)
    first = cli("grade", str(pack), "--again", "A")
    assert (first.code, first.err) == (0, "")
    assert first.out.count("grading 2  reward 1") == 2
    assert cli("grade", str(pack), "--again", "A").err == "assay: skipped 2 runs with a grading of A\n"
    folder = unpack(str(pack), None)
    again = Counter(json.loads(path.read_text())["again"] for path in Path(folder).glob("*/gradings/*.json"))
    assert again == {None: 2, "A": 2}
    assert cli("report", str(pack), "--json") == cli("report", folder, "--json")


def test_a_run_of_a_pack_is_claimed_once(job: Path) -> None:
    pack, trial = packed(job), next(path.name for path in job.iterdir() if path.is_dir())
    with claim(f"{pack}/{trial}") as ours, claim(f"{pack}/{trial}") as other, claim(str(pack)) as whole:
        assert (ours, other, whole) == (True, False, True)
    with claim(f"{pack}/{trial}") as ours:
        assert ours


def test_records_are_added_under_the_next_number(job: Path) -> None:
    pack, trial = packed(job), next(path.name for path in job.iterdir() if path.is_dir())
    assert [append_numbered(f"{pack}/{trial}", "tags", text)[-9:] for text in "ab"] == ["0001.json", "0002.json"]
    assert read_all_numbered(f"{pack}/{trial}", "tags") == {1: b"a", 2: b"b"}


HOSTILE = {
    "a name that leads elsewhere": "UPDATE entry SET name = x'2e2e' WHERE name = x'726573756c742e6a736f6e'",
    "a name with a slash": "UPDATE entry SET name = x'2f746d702f78' WHERE id = 2",
    "a device": "UPDATE entry SET mode = 24576 WHERE id = (SELECT max(id) FROM entry)",
    "rights of another user": "UPDATE entry SET mode = 35309 WHERE mode = 33188",
    "a file without its content": "DELETE FROM piece",
    "a file that is shorter": "UPDATE piece SET data = substr(data, 1, 5)",
    "a file that isn't compressed": "UPDATE piece SET data = zeroblob(3)",
    "more than a disk holds": "UPDATE entry SET size = 1000000000000000 WHERE mode & 32768",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM piece; END",
    "a view": "CREATE VIEW v AS SELECT 1",
    "no folder": "DELETE FROM entry WHERE id = 1",
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pack_is_refused_in_one_sentence(change: str, job: Path, cli: Cli) -> None:
    pack = packed(job)
    with closing(sqlite3.connect(pack)) as database, database:
        database.execute(change)
    before = {path.name for path in job.parent.iterdir()}
    done = cli("unpack", str(pack), "-o", f"{job.parent}/out")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert {path.name for path in job.parent.iterdir()} == before


def test_bad_input_is_refused_in_one_sentence(job: Path, cli: Cli, tmp_path: Path) -> None:
    pack = packed(job)
    half = tmp_path / "half.pack"
    half.write_bytes(pack.read_bytes()[:3000])
    (tmp_path / "text").write_text("no pack")
    for arguments, reason in (
        (["pack", str(job)], "exists already"),
        (["pack", f"{tmp_path}/nothing"], "it doesn't exist"),
        (["pack", str(pack), "-o", f"{tmp_path}/x"], "it is a pack already"),
        (["unpack", str(pack)], "exists already"),
        (["unpack", f"{tmp_path}/text"], "must be a pack"),
        (["unpack", f"{tmp_path}/nothing"], "must be a pack"),
        (["report", str(half)], "can't be read"),
        (["report", f"{pack}/nothing"], "doesn't exist"),
    ):
        done = cli(*arguments)
        assert (done.code, done.err.count("\n"), reason in done.err) == (2, 1, True), done


def test_a_pack_that_was_never_finished_leaves_nothing(
    job: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Pack, "put_piece", full)
    assert "no space left" in cli("pack", str(job)).err
    with pytest.raises(InputError):
        pack_folder(str(job), f"{job}.pack")
    assert [path.name for path in job.parent.iterdir()] == [job.name]
