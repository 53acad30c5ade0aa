"""Backends that others bring: the kit finds what they don't keep, and trials run on them like anywhere."""

import os
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from assay.adapters.sandbox import backends as offered
from assay.adapters.sandbox import plugged
from assay.adapters.sandbox.backends import choose, offers
from assay.adapters.sandbox.containers import engine_elsewhere
from assay.adapters.sandbox.containers.engine_elsewhere import EngineElsewhere
from assay.adapters.sandbox.plugged import PluggedSandbox
from assay.backends import Printed, SessionCommand, SessionEnd, SessionNeeds, check_backend
from assay.cli.main import main
from assay.core.errors import InputError, MeasurementError
from assay.engine.sandbox import CommandLimits, Mount, SandboxCommand
from assay.evidence.coding_run import ProcessEnd
from tests.sandbox.backends import working
from tests.sandbox.machine_elsewhere import FolderSession, MachinesElsewhere
from tests.tasks import write_hello_task

pytestmark = pytest.mark.skipif(isinstance(working("bubblewrap"), str), reason="machines are made of bubblewrap")
NAME = "tests-elsewhere"
PATH = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend, as if a package had brought it."""
    one = EntryPoint(NAME, f"{MachinesElsewhere.__module__}:{MachinesElsewhere.__name__}", "assay.backends")

    def entry_points(group: str, name: str = NAME) -> list[EntryPoint]:
        return [one] if (group, name) == ("assay.backends", NAME) else []

    for module in (offered, plugged):
        monkeypatch.setattr(module, "entry_points", entry_points)


def shell(script: str, *mounts: Mount, **more: Any) -> SandboxCommand:
    limits = CommandLimits(timeout_sec=more.pop("timeout_sec", 60), disk_mb=more.pop("disk_mb", None))
    return SandboxCommand(("/bin/sh", "-c", script), "/", limits, mounts, PATH, **more)


def test_a_backend_that_keeps_all_promises() -> None:
    backend = MachinesElsewhere()
    assert check_backend(backend) == []
    assert {one.stops for one in backend.sessions} == {2}


class _Apart(FolderSession):
    tells_apart = True


class _Swapped(_Apart):
    def exec(self, command: SessionCommand) -> SessionEnd:
        ended = super().exec(command)
        return SessionEnd(ended.exit_code, ended.output, ended.output_cut, ended.apart[::-1])


def test_streams_of_a_backend_are_kept_apart_where_it_can_tell_them() -> None:
    backend = MachinesElsewhere()
    noise = "echo why >&2; i=0; while [ $i -lt 2000 ]; do echo 0123456789; i=$((i+1)); done"
    limits = CommandLimits(timeout_sec=60, output_bytes=100)
    command = SandboxCommand(("/bin/sh", "-c", noise), "/", limits, env=PATH, apart=True)
    assert PluggedSandbox("x", backend).run(command).apart == ()
    backend.kind = _Apart
    output, errors = PluggedSandbox("x", backend).run(command).apart
    assert (len(output.data), output.cut, errors) == (100, True, Printed(b"why\n"))
    assert check_backend(backend) == []


class _NoModes(FolderSession):
    def put(self, folder: str, archive: BinaryIO) -> None:
        super().put(folder, archive)
        for path in self._own(folder).rglob("*"):
            if path.is_file() and not path.is_symlink():
                path.chmod(0o777)


class _OwnVariables(FolderSession):
    def exec(self, command: SessionCommand) -> SessionEnd:
        env = {"HOSTS_OWN": "1", **command.env}
        return super().exec(SessionCommand(command.argv, command.workdir, env, command.timeout_sec, 4096))


class _Endless(FolderSession):
    def exec(self, command: SessionCommand) -> SessionEnd:
        ended = super().exec(command)
        return ended if ended.exit_code is not None else SessionEnd(143, ended.output)


class _KeepsNothing(FolderSession):
    def stop(self) -> None:
        if self.stops:
            raise RuntimeError("it is gone already")
        super().stop()


@pytest.mark.parametrize(
    ("kind", "promises"),
    [
        (_NoModes, {"modes", "changes", "later"}),
        (_OwnVariables, {"variables", "input", "end is kept"}),
        (_Endless, {"time limit"}),
        (_Swapped, {"both streams"}),
    ],
)
def test_the_kit_names_what_is_not_kept(kind: type[FolderSession], promises: set[str]) -> None:
    backend = MachinesElsewhere()
    backend.kind = kind
    found = [one.promise for one in check_backend(backend)]
    assert len(found) == len(promises)
    assert all(any(word in promise for promise in found) for word in promises), found


def test_a_session_that_can_not_be_stopped_twice_keeps_no_promise() -> None:
    backend = MachinesElsewhere()
    backend.kind = _KeepsNothing
    assert {one.found for one in check_backend(backend)} == {"RuntimeError: it is gone already"}


def test_folders_come_back_and_what_is_only_shown_does_not(tmp_path: Path) -> None:
    for name in ("work", "shown"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text("1")
    (tmp_path / "single.txt").write_text("alone")
    backend = MachinesElsewhere()
    mounts = (
        Mount(str(tmp_path / "work"), "/work", writable=True),
        Mount(str(tmp_path / "shown"), "/shown"),
        Mount(str(tmp_path / "single.txt"), "/given/name.txt"),
    )
    ran = PluggedSandbox("x", backend).run(
        shell("rm /work/old; cat /given/name.txt > /work/new; echo 2 > /shown/old; exit 3", *mounts)
    )
    assert (ran.end, ran.output) == (ProcessEnd(exit_code=3), b"")
    assert {one.name: one.read_text() for one in (tmp_path / "work").iterdir()} == {"new": "alone"}
    assert (tmp_path / "shown" / "old").read_text() == "1"
    assert backend.sessions[0].stops == 1
    assert not backend.sessions[0].root.exists()


def test_what_a_command_left_at_its_time_limit_comes_back(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    mount = Mount(str(tmp_path / "work"), "/work", writable=True)
    # A busy machine may need longer than the first limit to begin.
    for sec in (0.5, 20):
        ran = PluggedSandbox("x", MachinesElsewhere()).run(
            shell("echo 1 > /work/a; sleep 60", mount, timeout_sec=sec)
        )
        if (tmp_path / "work" / "a").exists():
            break
    assert ran.end == ProcessEnd(exit_code=None, timed_out=True)
    assert (tmp_path / "work" / "a").read_text() == "1\n"


def test_more_than_the_disk_limit_is_the_commands_doing_and_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "old").write_text("1")
    mount = Mount(str(tmp_path / "work"), "/work", writable=True)
    script = "rm /work/old; head -c 5000000 /dev/urandom > /work/large"
    ran = PluggedSandbox("x", MachinesElsewhere()).run(shell(script, mount, disk_mb=2))
    assert ran.end == ProcessEnd(exit_code=None, excess="left more than 2 MB in /work")
    assert [one.name for one in (tmp_path / "work").iterdir()] == ["old"]


@pytest.mark.parametrize("act", ["put", "exec", "get", "stop"])
def test_what_a_backend_raises_is_a_broken_measurement_in_its_own_words(
    act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()

    def fail(*_: object) -> None:
        raise ConnectionResetError("the cluster is away")

    backend = MachinesElsewhere()
    monkeypatch.setattr(FolderSession, act, fail)
    mount = Mount(str(tmp_path / "work"), "/work", writable=True)
    with pytest.raises(
        MeasurementError, match=r"^the backend x can't .*: ConnectionResetError: the cluster is away$"
    ):
        PluggedSandbox("x", backend).run(shell("true", mount))
    if act != "stop":
        assert backend.sessions[0].stops == 1


def test_a_backend_that_does_not_keep_the_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugged, "GRACE_SEC", 0.1)

    class Forever(FolderSession):
        def exec(self, _command: SessionCommand) -> SessionEnd:
            while self.root.exists():
                os.sched_yield()
            return SessionEnd(0, b"")

    backend = MachinesElsewhere()
    backend.kind = Forever
    with pytest.raises(MeasurementError, match=r"has not ended a command 0\.1 s after its time limit of 0\.1 s"):
        PluggedSandbox("x", backend).run(shell("true", timeout_sec=0.1))
    assert backend.sessions[0].stops == 1


def test_images_are_the_backends(tmp_path: Path) -> None:
    sandbox = PluggedSandbox("x", MachinesElsewhere())
    assert sandbox.build("/some/task", 60) == "built from task within 60 s"
    assert (sandbox.workdir_of("built"), sandbox.workdir_of("other")) == ("/workspace", None)
    assert (sandbox.has("any", "/usr/bin"), sandbox.has("any", "/no/such")) == (True, False)
    sandbox.copy_out("any", "/no/such", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("installed")
def test_it_is_chosen_by_its_name_and_measured_like_any_other() -> None:
    found = choose(NAME)
    assert isinstance(found, PluggedSandbox)
    measured = found.isolation.measured
    # All of /usr is shown on these machines, and nothing limits them.
    assert (measured["files"], measured["network"], measured["memory"]) == ("not held", "held", "not held")
    assert found.isolation.memory_limit == "none, as measured"
    assert NAME in [one.name for one in offers()]


@pytest.mark.usefixtures("installed")
def test_a_name_that_nobody_brings_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match=f"isolation must be one of auto, .*process, {NAME}, got 'nowhere'"):
        choose("nowhere")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("agent", "reward"), [("oracle", "1.0000"), ("echo bye > hello.txt", "0.0000")])
def test_a_trial_runs_there(agent: str, reward: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = write_hello_task(tmp_path / "hello")
    assert main(["run", str(task), "-a", agent, "--isolation", NAME, "--jobs-dir", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert f"mean             {reward} of 1 run" in said.out, said


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "the variable ASSAY_ENGINE_URL must name an engine"),
        ({"ASSAY_ENGINE_URL": "tcp://x", "ASSAY_ENGINE": "no-such-client"}, "no-such-client is not installed"),
    ],
)
def test_an_engine_that_is_not_there(
    variables: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (engine_elsewhere.URL, engine_elsewhere.ENGINE):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=words):
        choose("engine-elsewhere")


def test_a_task_without_an_image_needs_one_of_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine_elsewhere.URL, "tcp://127.0.0.1:1")
    monkeypatch.setenv(engine_elsewhere.ENGINE, "sh")
    monkeypatch.delenv(engine_elsewhere.IMAGE, raising=False)
    with pytest.raises(MeasurementError, match="neither does the variable ASSAY_ENGINE_IMAGE"):
        EngineElsewhere().start(SessionNeeds())
