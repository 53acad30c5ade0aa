"""Who writes reward files, as the kernel tells it to root."""

import os
import resource
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.tasks import reward_watch
from assay.adapters.tasks.reward_watch import watch_rewards

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the kernel tells only root who writes a file")
HONEST = 'echo 1 > "$1/reward.txt"'
# A process that nobody waits for writes after the verifier.
STRANGE = 'echo 0 > "$1/reward.txt"; (setsid sh -c \'sleep 0.1; echo 1 > "$0/reward.txt"\' "$1" &) ; sleep 0.4'
SENTENCE = "/logs/verifier/reward.txt was written by a process that test.sh doesn't wait for"


def verified(place: Path, name: str, line: str) -> list[str]:
    """What the watch says about a verifier."""
    tests, folder = place / name / "tests", place / name / "verifier"
    for path in (tests, folder):
        path.mkdir(parents=True)
    (tests / "test.sh").write_text(f"#!/bin/sh\n{line}\n")
    (tests / "test.sh").chmod(0o755)
    with watch_rewards(str(tests), str(folder)) as strange:
        subprocess.run([tests / "test.sh", folder], check=True)
    return strange()


@pytest.fixture
def many_descriptors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """More than ``select`` can look at, as a process that trains may have, and nobody who listens already."""
    monkeypatch.setattr(reward_watch, "_free", [])
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limits[1]), limits[1]))
    taken = [os.dup(0) for _ in range(1100)]
    yield
    for fd in taken:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_verifiers_one_after_the_other_are_told_apart(tmp_path: Path) -> None:
    lines = [HONEST, STRANGE, HONEST, STRANGE]
    found = [verified(tmp_path, str(number), line) for number, line in enumerate(lines)]
    assert found == [[], [SENTENCE], [], [SENTENCE]]


def test_verifiers_side_by_side_are_told_apart(tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}

    def verify(name: str, line: str) -> None:
        found[name] = verified(tmp_path, name, line)

    lines = {"a": HONEST, "b": STRANGE, "c": HONEST, "d": STRANGE}
    threads = [threading.Thread(target=verify, args=one) for one in lines.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"a": [], "b": [SENTENCE], "c": [], "d": [SENTENCE]}


def test_many_verifiers_need_no_more_threads_and_descriptors_than_one(tmp_path: Path) -> None:
    verified(tmp_path, "first", HONEST)
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for number in range(20):
        verified(tmp_path, str(number), HONEST)
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before


@pytest.mark.usefixtures("many_descriptors")
def test_a_process_with_many_descriptors_hears_it_as_well(tmp_path: Path) -> None:
    assert verified(tmp_path, "strange", STRANGE) == [SENTENCE]


def test_a_forked_process_hears_of_its_own_verifiers_alone(tmp_path: Path) -> None:
    assert verified(tmp_path, "parent", STRANGE) == [SENTENCE]
    child = os.fork()
    if child == 0:
        found = verified(tmp_path, "child", STRANGE), verified(tmp_path, "honest child", HONEST)
        os._exit(found != ([SENTENCE], []))
    assert os.waitpid(child, 0)[1] == 0
    assert verified(tmp_path, "parent again", STRANGE) == [SENTENCE]
