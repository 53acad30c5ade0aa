"""``assay serve --workers``: several processes at one port, which end together, and one that dies is replaced."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import httpx

from tests.cli.running import start_assay

PATIENCE_SEC = 60.0


def children(parent: int) -> set[int]:
    return {int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()}


def alive(process: int) -> bool:
    """A zombie has ended, though nobody may have asked for its code yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_SEC
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextmanager
def serving(store: str) -> Iterator[tuple["Popen[str]", str, str]]:
    """The parent of two processes, their address, and an admin key."""
    process = start_assay("serve", "--store", store, "--port", 0, "--workers", 2, "--coding", "off")
    assert process.stdout is not None
    address = process.stdout.readline().split()[2]
    key = process.stdout.readline().rsplit(" ", 1)[1].strip()
    until(lambda: len(children(process.pid)) == 2)
    try:
        yield process, address, key
    finally:
        process.kill()


def answering(address: str, key: str) -> set[str]:
    """Which processes answer, each request over a connection of its own."""
    found = set()
    for _ in range(20):
        text = httpx.get(f"{address}/metrics", headers={"Authorization": f"Bearer {key}"}, timeout=30).text
        found |= set(re.findall(r'process="(\d)"', text))
    return found


def test_one_that_dies_is_replaced_and_a_signal_ends_all(where: str) -> None:
    with serving(where) as (parent, address, key):
        until(lambda: answering(address, key) == {"0", "1"})
        before = children(parent.pid)
        os.kill(min(before), signal.SIGKILL)
        until(lambda: len(children(parent.pid) - before) == 1)
        assert parent.stdout is not None
        while "is started again" not in parent.stdout.readline():
            assert parent.poll() is None
        until(lambda: answering(address, key) == {"0", "1"})
        now = children(parent.pid)
        parent.send_signal(signal.SIGTERM)
        assert parent.wait(PATIENCE_SEC) == 0
        assert not any(map(alive, now))


def test_they_end_with_a_parent_that_is_killed(where: str) -> None:
    with serving(where) as (parent, _, _):
        now = children(parent.pid)
        parent.kill()
        parent.wait(PATIENCE_SEC)
        until(lambda: not any(map(alive, now)))
