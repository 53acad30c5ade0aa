"""What only containers have: images, an engine, and a client between it and Assay."""

import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.sandbox.containers import engine_elsewhere
from assay.adapters.sandbox.containers.container import Container
from assay.adapters.sandbox.containers.engine_elsewhere import EngineElsewhere
from assay.backends import check_backend
from assay.core.errors import MeasurementError
from assay.engine.sandbox import CommandLimits, Ran, SandboxCommand
from assay.evidence.coding_run import ProcessEnd
from tests.builders import within
from tests.sandbox.backends import Backend, eventually, need, processes_with, write_image
from tests.sandbox.fake_container_engine import NEVER, NOT_STARTED, asked, fake_engine


def run_with(engine: str, timeout_sec: float = 30) -> Ran:
    """A command in whatever container this engine makes of it."""
    return Container(engine).run(
        SandboxCommand(("/bin/true",), "/", CommandLimits(timeout_sec=timeout_sec), image="any")
    )


def test_an_image_is_built_and_looked_into(container: Backend, tmp_path: Path) -> None:
    assert isinstance(container.sandbox, Container)
    context, out = tmp_path / "context", tmp_path / "out"
    context.mkdir()
    out.mkdir()
    write_image(context, "WORKDIR /srv/app\nCOPY seed /srv/app/seed\n")
    (context / "seed").write_text("from the image\n")
    image = container.sandbox.build(str(context), 300)
    assert container.sandbox.workdir_of(image) == "/srv/app"
    container.sandbox.copy_out(image, "/srv/app", str(out))
    assert (out / "seed").read_text() == "from the image\n"
    container.sandbox.copy_out(image, "/not/there", str(out))
    assert os.listdir(out) == ["seed"]


def test_nothing_is_left_where_assay_was_started(
    container: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """podman's monitor notes there that memory ran out."""
    monkeypatch.chdir(tmp_path)
    limits = CommandLimits(timeout_sec=30, memory_mb=20)
    ran = container.run("head -c 300m /dev/zero | tail", limits=limits)
    assert ran.end.exit_code != 0 or ran.end.out_of_memory
    assert os.listdir(tmp_path) == []


def test_an_image_that_can_not_be_built(container: Backend, tmp_path: Path) -> None:
    assert isinstance(container.sandbox, Container)
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY nothing-here /x\n")
    with pytest.raises(MeasurementError, match="build failed"):
        container.sandbox.build(str(tmp_path), 300)


def test_an_image_that_is_not_there(container: Backend) -> None:
    command = SandboxCommand(
        ("/bin/true",), "/", CommandLimits(timeout_sec=30), image="localhost/there-is-no-such-image:1"
    )
    with pytest.raises(MeasurementError, match="create failed"):
        container.sandbox.run(command)


def test_an_image_without_a_shell(container: Backend, tmp_path: Path) -> None:
    """The engine fails to start it, and nothing of it ran."""
    assert isinstance(container.sandbox, Container)
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY Dockerfile /\n")
    image = container.sandbox.build(str(tmp_path), 300)
    with pytest.raises(MeasurementError, match=r"the container couldn't start: .*/bin/sh"):
        Backend("container", container.sandbox, image).run("true")


def test_a_command_without_an_image(container: Backend) -> None:
    with pytest.raises(MeasurementError, match="needs an image"):
        container.sandbox.run(SandboxCommand(("/bin/true",), "/", CommandLimits(timeout_sec=30)))


@pytest.mark.parametrize("code", [125, 126, 127])
def test_a_command_can_end_with_the_codes_that_engines_have_for_their_own_failures(
    container: Backend, code: int
) -> None:
    assert container.run(f"echo began; exit {code}").end == ProcessEnd(exit_code=code)


@pytest.mark.parametrize(
    "lines",
    [
        "rm -rf /run/assay /run/assay/* 2>/dev/null; exit 3",
        "kill -9 -1; sleep 0.2; exit 3",
        "kill -9 1; exit 3",
        "exec 0<&- 1>&- 2>&-; exit 3",
        "rm -rf /bin /etc /usr; exit 3",
    ],
)
def test_a_command_can_not_pass_for_a_broken_measurement(container: Backend, lines: str) -> None:
    """A run that broke is tried again and does not count. So nothing that the agent does may look like one."""
    end = container.run(lines).end
    assert end.exit_code in (3, 137)


def test_an_interrupt_during_a_flood(container: Backend) -> None:
    """Nobody reads any more what the client has to say; it must not wait for that, nor we for it."""
    began = time.monotonic()
    with pytest.raises(TimeoutError), within(2):
        container.run("yes flood", timeout_sec=600)
    assert time.monotonic() - began < 120


def test_a_client_that_is_killed(container: Backend) -> None:
    """That was not the agent."""
    refused: list[MeasurementError] = []

    def run() -> None:
        try:
            container.run("sleep 60")
        except MeasurementError as error:
            refused.append(error)

    def clients() -> list[int]:
        ours = f"assay-{os.getpid()}-"
        return sorted(set(processes_with("\0start\0--attach\0")) & set(processes_with(ours)))

    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(clients)
    time.sleep(1)
    for pid in clients():
        os.kill(pid, signal.SIGKILL)
    thread.join(120)
    assert [str(error) for error in refused] == ["the engine's client ended before the container did"]


def test_nothing_is_left_of_a_container(container: Backend, tmp_path: Path) -> None:
    assert isinstance(container.sandbox, Container)
    write_image(tmp_path, "LABEL of=this-test\nVOLUME /data\n")
    image = container.sandbox.build(str(tmp_path), 300)
    ours = Backend("container", container.sandbox, image)
    binary = container.engine

    def listed(*arguments: str) -> str:
        return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True).stdout

    volumes = listed("volume", "ls", "--quiet")
    ours.run("true")
    ours.run("sleep 60", timeout_sec=1)
    assert listed("ps", "--all", "--quiet", "--filter", f"ancestor={image}") == ""
    assert listed("volume", "ls", "--quiet") == volumes


@pytest.mark.parametrize(
    ("state", "client", "end"),
    [
        ({"ExitCode": 0}, 0, ProcessEnd(exit_code=0)),
        ({"ExitCode": 125}, 125, ProcessEnd(exit_code=125)),
        ({"ExitCode": 137}, 137, ProcessEnd(exit_code=137, signal=9)),
        ({"ExitCode": 137, "OOMKilled": True}, 137, ProcessEnd(exit_code=137, signal=9, out_of_memory=True)),
        # The engine has the word, whatever its client makes of it.
        ({"ExitCode": 4}, 1, ProcessEnd(exit_code=4)),
    ],
)
def test_the_engine_says_how_a_command_ended(
    tmp_path: Path, state: dict[str, object], client: int, end: ProcessEnd
) -> None:
    assert run_with(fake_engine(tmp_path, start=f"exit {client}", state=state)).end == end


@pytest.mark.parametrize(
    ("state", "client", "why"),
    [
        ({"StartedAt": NEVER, "Error": "no such file"}, "exit 127", "couldn't start: no such file"),
        (NOT_STARTED, "echo no runtime; exit 125", "couldn't start: no runtime"),
        (NOT_STARTED, "exit 0", "couldn't start"),
        ({"Running": True}, "exit 1", "client ended before"),
        ({}, "kill -9 $$", "client ended before"),
        ({"StartedAt": 5}, "exit 0", "gave an unexpected answer"),
    ],
)
def test_a_failure_of_the_engine(tmp_path: Path, state: dict[str, object], client: str, why: str) -> None:
    with pytest.raises(MeasurementError, match=why):
        run_with(fake_engine(tmp_path, start=client, state=state))
    assert len(asked(tmp_path, "rm")) == 1


def test_an_engine_that_takes_too_long_to_start_a_container(tmp_path: Path) -> None:
    """It did not run for a moment: that is no time-out of the agent's. It must not start later on, either."""
    engine = fake_engine(tmp_path, start="exec sleep 60", state=NOT_STARTED)
    with within(60), pytest.raises(MeasurementError, match="couldn't start"):
        run_with(engine, timeout_sec=0.5)
    assert asked(tmp_path, "rm") != []


@pytest.fixture
def engine_by_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an engine that answers over a socket, as one of another machine would."""
    image = need("container").image or ""
    # This engine knows no limits that the machine may not raise, as one of another machine would.
    most = f"{resource.getrlimit(resource.RLIMIT_NOFILE)[1]}:{resource.getrlimit(resource.RLIMIT_NOFILE)[1]}"
    settings = Path(os.environ.get("CONTAINERS_CONF", os.devnull)).read_text()
    own = settings.replace(
        "[containers]", f'[containers]\ndefault_ulimits = ["nofile={most}", "nproc=20000:20000"]'
    )
    (tmp_path / "containers.conf").write_text(own)
    env = {**os.environ, "CONTAINERS_CONF": str(tmp_path / "containers.conf")}
    url = f"unix://{tmp_path}/engine.sock"
    podman = shutil.which("podman") or "podman"
    serve = [podman, "system", "service", "--time", "0", url]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, env=env) as service:
        try:
            while not (tmp_path / "engine.sock").exists():
                assert service.poll() is None, service.stderr.read() if service.stderr else ""
            monkeypatch.setenv(engine_elsewhere.URL, url)
            monkeypatch.setenv(engine_elsewhere.ENGINE, "podman")
            monkeypatch.setenv(engine_elsewhere.IMAGE, image)
            yield url
        finally:
            service.terminate()


@pytest.mark.usefixtures("engine_by_url")
def test_an_engine_at_a_url_keeps_all_promises() -> None:
    assert check_backend(EngineElsewhere()) == []
