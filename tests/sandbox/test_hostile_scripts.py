"""Each hostile script in each sandbox: none earns a reward that a strict reader takes, and none breaks a limit.

The sandboxes that an ordinary user has are tried as root and as such a user.
"""

import contextlib
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest

from assay.cli.main import main
from tests.attacks.hostile_scripts import AFTER_THE_VERIFIER, AGAINST_OTHERS, AGENTS, PROGRAMS
from tests.attacks.test_verifier import seconds_of
from tests.sandbox.backends import NAMES, ORDINARY, Backend, need, plain_processes, working
from tests.sandbox.ordinary import NOBODY, become_ordinary
from tests.tasks import JOB, Attempt, attempt, run_arguments, trials_of, write_task

LIMIT_SEC = 1
# A machine may be busy with six of them at a time, and slow; what outlasts its limit does so for minutes.
GRACE_SEC = 40
# The limit is 64 MB, and a busy machine looks late.
KEPT_MB = 600
_LIMITS = (
    f"[agent]\ntimeout_sec = {LIMIT_SEC}.0\n[verifier]\ntimeout_sec = {LIMIT_SEC}.0\n"
    "[environment]\nmemory_mb = 256\nstorage_mb = 64\ncpus = 1\n"
)
_COMPARES = "cmp -s /workspace/answer.txt /tests/secret && r=1 || r=0; echo $r > /logs/verifier/reward.txt"
_RUNS = "sh /workspace/program; echo 0 > /logs/verifier/reward.txt; sleep 0.6"
HOSTILE = {
    **{f"agent: {name}": lines for name, lines in AGENTS.items()},
    **{f"program: {name}": lines for name, lines in PROGRAMS.items()},
}


@pytest.fixture(scope="module", params=(*NAMES, *ORDINARY))
def ended(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Attempt]]:
    """All scripts in one job. The agent is a shell that runs its instruction."""
    backend = need(str(request.param))
    if request.param in ORDINARY:
        yield request.getfixturevalue("ended_for_an_ordinary_user")[backend.name]
        return
    around = tmp_path_factory.mktemp("hostile")
    names = _write_tasks(around, backend)
    with plain_processes(backend.name, alone=True):
        main(_arguments(around, backend.name))
    yield _attempts(around, names)
    shutil.rmtree(around, ignore_errors=True)


@pytest.fixture(scope="module")
def ended_for_an_ordinary_user() -> Iterator[dict[str, dict[str, Attempt]]]:
    """The same jobs, all at once, of somebody who isn't root."""
    running: dict[str, tuple[Path, dict[str, str], ForkProcess]] = {}
    with contextlib.ExitStack() as folders:
        for name in (one.partition(",")[0] for one in ORDINARY if not isinstance(working(one), str)):
            around = Path(folders.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
            names = _write_tasks(around, need(name))
            # Once as root, so that everything is imported when root's files are out of reach.
            attempt(write_task(around / "first", verifier="true"), "true", around / "as-root", "--isolation", name)
            for path in (around, *around.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            child = multiprocessing.get_context("fork").Process(target=_run_as_ordinary, args=(around, name))
            running[name] = (around, names, child)
        for _, _, child in running.values():
            child.start()
        for _, _, child in running.values():
            child.join()
        yield {name: _attempts(around, names) for name, (around, names, _) in running.items()}


def _run_as_ordinary(around: Path, name: str) -> None:
    become_ordinary()
    os.environ["HOME"] = str(around)
    os._exit(main(_arguments(around, name)))


def _arguments(around: Path, name: str) -> list[str]:
    options = ("--isolation", name, "--profile", "strict", "--no-control", "-n", 6, "--quiet")
    return run_arguments(around / "tasks", "sh", around, *options)


def _attempts(around: Path, names: dict[str, str]) -> dict[str, Attempt]:
    return {names[one.result["task_name"]]: one for one in trials_of(around / JOB)}


def _write_tasks(around: Path, backend: Backend) -> dict[str, str]:
    """One task for each script. Returns the scripts' names by the tasks'."""
    left_out = {f"agent: {name}" for name in AGAINST_OTHERS} if backend.name == "process" else set()
    names = {f"t{number}": name for number, name in enumerate(HOSTILE) if name not in left_out}
    for folder, name in names.items():
        role, lines = name.partition(":")[0], HOSTILE[name].replace("{task}", str(around / "tasks" / folder))
        task = write_task(
            around / "tasks" / folder,
            verifier=_COMPARES if role == "agent" else _RUNS,
            instruction=f"{lines}\n" if role == "agent" else f"cat > program <<'END'\n{lines}\nEND\n",
            toml=_LIMITS,
            tests={"secret": os.urandom(8).hex()},
        )
        if backend.image is not None:
            (task / "environment" / "Dockerfile").write_text(f"FROM {backend.image}\nWORKDIR /workspace\n")
    return names


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_earned_and_no_limit_is_broken(ended: dict[str, Attempt], name: str) -> None:
    left = ended.get(name)
    if left is None:
        assert "agent: kills all" not in ended
        assert name.removeprefix("agent: ") in AGAINST_OTHERS
        pytest.skip("plain processes hide no others")
    if left.folder.stat().st_uid == NOBODY and name.removeprefix("program: ") in AFTER_THE_VERIFIER:
        pytest.skip("the kernel tells only root who writes a file")
    assert not (left.rewards or {}).get("reward"), left.rewards
    assert not (left.gradings and left.reward)
    for part in ("agent_execution", "verifier"):
        timing = left.result[part]
        assert timing is None or seconds_of(timing) < LIMIT_SEC + GRACE_SEC
    assert _size(left.folder) < KEPT_MB * 2**20


def _size(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def test_there_are_sixty() -> None:
    assert len(HOSTILE) >= 60
