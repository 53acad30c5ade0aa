"""Each hostile script in each sandbox: none earns a reward that a strict reader takes, and none breaks a limit."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.main import main
from tests.attacks.hostile_scripts import AGAINST_OTHERS, AGENTS, PROGRAMS
from tests.attacks.test_verifier import seconds_of
from tests.sandbox.backends import NAMES, need, plain_processes
from tests.tasks import JOB, Attempt, run_arguments, trials_of, write_task

LIMIT_SEC = 1
# A machine may be busy with six of them at a time.
GRACE_SEC = 8
# The limit is 64 MB, and a busy machine looks late.
KEPT_MB = 250
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


@pytest.fixture(scope="module", params=NAMES)
def ended(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Attempt]]:
    """All scripts in one job. The agent is a shell that runs its instruction."""
    backend = need(str(request.param))
    around = tmp_path_factory.mktemp("hostile")
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
    options = ("--isolation", backend.name, "--profile", "strict", "--no-control", "-n", 6, "--quiet")
    with plain_processes(backend.name, alone=True):
        main(run_arguments(around / "tasks", "sh", around, *options))
    yield {names[one.result["task_name"]]: one for one in trials_of(around / JOB)}
    shutil.rmtree(around, ignore_errors=True)


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_earned_and_no_limit_is_broken(ended: dict[str, Attempt], name: str) -> None:
    left = ended.get(name)
    if left is None:
        assert name.removeprefix("agent: ") in AGAINST_OTHERS
        pytest.skip("plain processes hide no others")
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
