"""The launcher of bubblewrap sandboxes: what happens to it happens to the measurement, never to a score."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.adapters.sandbox import cgroups, launcher_client, run_child, view_sandbox
from assay.adapters.sandbox.cgroups import Controllers, find_controllers, new_name, place, sweep
from assay.adapters.sandbox.launcher_client import SCRIPT, LauncherPool
from assay.adapters.sandbox.orphans import children
from assay.adapters.sandbox.view_sandbox import NamespaceMaker, ViewSandbox, probe_bubblewrap
from assay.core.errors import MeasurementError
from assay.engine.sandbox import CommandLimits, Mount
from assay.evidence.coding_run import ProcessEnd
from tests.pid_namespaces import in_pid_namespace, needs_pid_namespaces
from tests.sandbox.backends import VIEWS, Backend, eventually, need

NONE = Controllers(None, None, None, None, 2)


@pytest.fixture(params=VIEWS)
def backend(request: pytest.FixtureRequest) -> Backend:
    return need(str(request.param))


def _launchers() -> set[int]:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    script = SCRIPT.encode()
    return {int(pid) for pid in children if script in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")}


def test_one_launcher_serves_one_command_after_the_other(backend: Backend) -> None:
    backend.run("true")
    before = _launchers()
    for number in range(5):
        assert backend.run(f"exit {number}").end.exit_code == number
    assert _launchers() == before


def test_commands_at_one_time_do_not_mix(backend: Backend) -> None:
    with ThreadPoolExecutor(6) as pool:
        ran = list(pool.map(lambda number: backend.run(f"sleep 0.1; echo {number}; exit {number}"), range(24)))
    assert [(one.output, one.end.exit_code) for one in ran] == [(b"%d\n" % n, n) for n in range(24)]


def test_a_launcher_that_was_killed_is_a_broken_measurement_and_the_next_command_runs(backend: Backend) -> None:
    backend.run("true")
    others = _launchers()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(backend.run, "sleep 600", timeout_sec=600)
        assert eventually(lambda: _busy(others))
        for pid in _busy(others):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(MeasurementError, match="launcher"):
            running.result(timeout=120)
    assert backend.run("echo again").output == b"again\n"


def test_a_launcher_that_says_nothing_is_a_broken_measurement_and_no_time_out(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows whether the command was over by then."""
    for module in (run_child, launcher_client):
        monkeypatch.setattr(module, "ANSWER_SEC", 2.0)
    backend.run("true")
    others = _launchers()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(backend.run, "sleep 60", limits=CommandLimits(timeout_sec=4))
        assert eventually(lambda: _busy(others))
        for pid in _busy(others):
            os.kill(pid, signal.SIGSTOP)
        with pytest.raises(MeasurementError, match="the launcher for sandboxes gave no answer within 2 s"):
            running.result(timeout=120)
    assert backend.run("echo again").output == b"again\n"


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_a_launcher_that_was_killed_or_stopped_while_it_was_free_is_replaced(
    backend: Backend, sent: signal.Signals
) -> None:
    backend.run("true")
    for pid in _launchers():
        os.kill(pid, sent)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
    assert backend.run("echo again").output == b"again\n"


def test_a_launcher_that_died_of_the_commands_memory_is_no_broken_measurement(
    backend: Backend, open_folder: Path
) -> None:
    if "cgroup" not in backend.sandbox.isolation.memory_limit:
        pytest.skip("memory is not limited by a control group here")
    open_folder.chmod(0o777)
    backend.run("true")
    others = _launchers()
    limits, mounts = CommandLimits(timeout_sec=60, memory_mb=24), (Mount(str(open_folder), "/out", writable=True),)
    with ThreadPoolExecutor(1) as pool:
        lines = "head -c 80000000 /dev/zero | tail -c 80000000 | sleep 1; echo > /out/ran-out; sleep 30"
        running = pool.submit(backend.run, lines, limits=limits, mounts=mounts)
        assert eventually((open_folder / "ran-out").exists)
        for pid in _busy(others):
            os.kill(pid, signal.SIGKILL)
        assert running.result(timeout=120).end == ProcessEnd(exit_code=None, signal=9, out_of_memory=True)


def test_a_command_that_ends_when_it_is_killed_has_an_end() -> None:
    """Its launcher hears of both at one time, in whatever order."""
    slots = LauncherPool(NONE, None)
    with slots.take(10) as slot:
        for wait in range(400):
            running = slot.launcher.start(["/bin/sleep", "60"], ())
            (pid,) = children(slot.launcher.pid)
            os.kill(pid, signal.SIGKILL)
            until = time.perf_counter() + wait * 2e-6
            while time.perf_counter() < until:
                pass
            running.kill()
            assert running.collect()[0] == -signal.SIGKILL
            running.close()
    slots.close()


def _busy(launchers: set[int]) -> set[int]:
    """Those that have a child."""
    return {pid for pid in launchers if Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()}


def test_memory_runs_out_for_the_command_and_not_for_its_launcher(backend: Backend) -> None:
    """Many small processes, each smaller than the launcher: the largest one in the group is not the one to go."""
    if "cgroup" not in backend.sandbox.isolation.memory_limit:
        pytest.skip("memory is not limited by a control group here")
    many = (
        "i=0; while [ $i -lt 60 ]; do (head -c 2000000 /dev/zero | tail -c 2000000 | sleep 20) & i=$((i+1)); done"
    )
    limits = CommandLimits(timeout_sec=300, memory_mb=24)
    ran = backend.run(f"{many}; wait", limits=limits)
    assert ran.end.out_of_memory
    assert backend.run("echo again").output == b"again\n"


def test_each_command_has_its_own_figures(backend: Backend) -> None:
    if "cgroup" not in backend.sandbox.isolation.memory_limit:
        pytest.skip("nobody counts memory here")
    hungry = backend.run("head -c 80000000 /dev/zero | tail -c 80000000 >/dev/null")
    modest = backend.run("true")
    assert hungry.peak_memory_mb is not None
    assert modest.peak_memory_mb is not None
    assert hungry.peak_memory_mb > 70 > modest.peak_memory_mb
    assert hungry.cpu_sec is not None
    assert modest.cpu_sec is not None
    assert hungry.cpu_sec > modest.cpu_sec


def test_limits_of_one_command_are_not_those_of_the_next(backend: Backend) -> None:
    fork = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 60 & done; echo all"
    few = backend.run(fork, limits=CommandLimits(timeout_sec=20, processes=6))
    many = backend.run(fork, limits=CommandLimits(timeout_sec=20, processes=60))
    assert b"all" not in few.output.splitlines()
    assert many.output.splitlines()[-1] == b"all"


def test_where_no_groups_can_be_made_there_are_places_all_the_same() -> None:
    slots = LauncherPool(NONE, None)
    with slots.take(10) as slot:
        running = slot.launcher.start(["/bin/true"], ())
        assert running.collect()[0] == 0
        running.close()
    slots.close()
    assert not slot.launcher.alive


def test_launchers_end_with_their_sandbox(backend: Backend) -> None:
    """A process may make many sandboxes, one after the other."""
    before = _launchers()
    sandbox = probe_bubblewrap()
    mine = _launchers() - before
    assert len(mine) == 1
    del sandbox
    assert _launchers() == before


def test_what_assay_inherited_is_not_passed_on() -> None:
    """Not only what it opened later: a shell or a CI may leave it descriptors that were never closed."""
    with open(os.devnull) as given:
        os.set_inheritable(given.fileno(), True)
        ran = Backend("bubblewrap", probe_bubblewrap()).run("for fd in /proc/self/fd/*; do echo ${fd##*/}; done")
    assert set(ran.output.split()) <= {b"0", b"1", b"2", b"3"}


def test_a_place_that_comes_back_late_is_not_kept() -> None:
    slots = LauncherPool(NONE, None)
    with slots.take(10) as slot:
        slots.close()
    assert not slot.launcher.alive


def test_a_program_that_is_not_there_is_a_broken_measurement(backend: Backend) -> None:
    broken = ViewSandbox(NamespaceMaker("bubblewrap", "/nowhere/bwrap"), find_controllers())
    with pytest.raises(MeasurementError, match="can't start /nowhere/bwrap: No such file"):
        Backend("bubblewrap", broken).run("true")


def test_groups_of_the_killed_are_removed(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    controllers = find_controllers()
    if not controllers.roots:
        pytest.skip("no control groups can be made here")
    ask = "from assay.adapters.sandbox.cgroups import new_name; print(new_name())"
    ended = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    left = [f"{root}/{ended}" for root in controllers.roots]
    mine = [f"{root}/{new_name()}" for root in controllers.roots]
    elsewhere = [f"{root}/{ended.replace(place(), 'elsewhere')}" for root in controllers.roots]
    for folder in (*left, *mine, *elsewhere):
        os.mkdir(folder)
    try:
        sweep(controllers)
        assert not any(os.path.exists(folder) for folder in left)
        assert all(os.path.exists(folder) for folder in (*mine, *elsewhere))
        monkeypatch.setattr(cgroups, "DAY_SEC", -1)
        sweep(controllers)
        assert not any(os.path.exists(folder) for folder in elsewhere)
        assert all(os.path.exists(folder) for folder in mine)
    finally:
        for folder in (*mine, *elsewhere):
            with contextlib.suppress(FileNotFoundError):
                os.rmdir(folder)


@needs_pid_namespaces
def test_a_new_group_of_a_process_in_another_pid_namespace_stays(backend: Backend) -> None:
    """Nothing runs in it yet, and its process has an id that nobody has here."""
    controllers = find_controllers()
    if not controllers.roots:
        pytest.skip("no control groups can be made here")
    make = """
from assay.adapters.sandbox.cgroups import ControlGroup
from assay.adapters.sandbox.cgroups import find_controllers
group = ControlGroup(find_controllers())
print(*group.folders, flush=True)
input()
group.remove()
"""
    with in_pid_namespace(make) as other:
        folders = other.said().split()
        sweep(controllers)
        assert folders
        assert all(os.path.exists(folder) for folder in folders)
        other.end()
    assert not any(os.path.exists(folder) for folder in folders)


def test_the_copy_of_etc_opens_nothing_that_was_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "etc"
    (source / "ssl" / "private").mkdir(parents=True)
    (source / "ssl" / "private" / "key.pem").write_text("secret")
    (source / "ssl" / "private").chmod(0o700)
    (source / "ssl" / "openssl.cnf").write_text("open")
    (source / "passwd").write_text("root")
    (source / "group").write_text("closed")
    (source / "group").chmod(0o600)
    (source / "shadow").write_text("secret")
    monkeypatch.setattr(view_sandbox, "ETC", str(source))
    copy = Path(view_sandbox.harmless_etc.__wrapped__())
    assert sorted(str(path.relative_to(copy)) for path in copy.rglob("*")) == ["passwd", "ssl", "ssl/openssl.cnf"]
