"""Whether containers work here is found out by running one, as far as there is something to run."""

import json
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.sandbox import backends
from assay.adapters.sandbox.containers import images as container_images
from assay.adapters.sandbox.containers.container import Container, probe
from assay.adapters.tasks.workbench import Workbench
from assay.adapters.workspace.shared_copies import SharedCopies
from assay.core.errors import MeasurementError
from assay.engine.sandbox import CommandLimits, SandboxCommand
from assay.engine.tasks.task import TaskEnvironment
from tests.cli.running import Cli
from tests.sandbox.backends import Backend
from tests.sandbox.fake_container_engine import NOT_STARTED, asked, fake_engine
from tests.tasks import script

SAYS_SO = "echo input environment"
NO_IMAGE = "there is no image to try it with"


@pytest.fixture(autouse=True)
def _alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only the engines of the test are there, unless it wants the real one."""
    if "container" not in request.fixturenames:
        monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to make an image of."""
    monkeypatch.setattr(container_images, "_static_shell", lambda: None)


def test_no_engine_is_installed() -> None:
    with pytest.raises(MeasurementError, match=r"^docker is not installed; podman is not installed$"):
        probe()


def test_no_engine_is_running(tmp_path: Path) -> None:
    script(tmp_path / "docker", "echo one >&2; echo 'cannot connect to the daemon' >&2; exit 1")
    with pytest.raises(
        MeasurementError,
        match=r"^docker has no engine running \(cannot connect to the daemon\); podman is not installed$",
    ):
        probe()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            'echo "time=\\"2026-11-18T21:54:08Z\\" level=error msg=\\"stat /x: no such file\\"" >&2',
            '"stat /x: no such file"',
        ),
        ("true", "no answer, exit status 3"),
    ],
)
def test_the_reason_of_an_engine_is_what_it_said_and_not_when(tmp_path: Path, line: str, reason: str) -> None:
    script(tmp_path / "docker", f"{line}; exit 3")
    with pytest.raises(MeasurementError) as error:
        probe()
    assert str(error.value).startswith(f"docker has no engine running ({reason});")


@pytest.mark.parametrize("first", ["exit 1", '[ "$1" = info ] || exit 1'], ids=["answers", "works"])
def test_the_second_engine_where_the_first_does_not(tmp_path: Path, no_shell: None, first: str) -> None:
    script(tmp_path / "docker", first)
    fake_engine(tmp_path, "podman")
    assert probe().isolation.backend == "container (podman)"


def test_an_engine_that_hangs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A daemon that accepts a connection and says nothing must not be an exception of Python's."""
    script(tmp_path / "docker", "exec /bin/sleep 30")
    real = subprocess.run

    def impatient(*arguments: Any, **options: Any) -> Any:
        return real(*arguments, **{**options, "timeout": 0.5})

    monkeypatch.setattr(subprocess, "run", impatient)
    with pytest.raises(MeasurementError, match="docker doesn't answer"):
        probe()


def test_an_engine_that_answers_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_images, "_static_shell", lambda: "/bin/sh")
    fake_engine(tmp_path, start="echo no rights; exit 125", state=NOT_STARTED)
    with pytest.raises(MeasurementError, match=r"^docker answers, but can't run anything here: .*no rights"):
        probe()


def test_an_image_is_made_for_the_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_images, "_static_shell", lambda: "/bin/sh")
    fake_engine(tmp_path, start=SAYS_SO)
    assert probe().untried == ""
    assert asked(tmp_path, "import") == [f"import - {container_images.IMAGE}"]
    assert len(asked(tmp_path, "create")) == 1


def test_a_trial_that_says_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_images, "_static_shell", lambda: "/bin/sh")
    fake_engine(tmp_path, start="echo something else")
    with pytest.raises(MeasurementError, match="a test command printed something unexpected: something else"):
        probe()


def test_an_image_that_is_there_serves_as_well(tmp_path: Path, no_shell: None) -> None:
    fake_engine(tmp_path, start=SAYS_SO, images="one two")
    assert probe().untried == ""
    (created,) = asked(tmp_path, "create")
    assert " --entrypoint /bin/sh one -c " in created


def test_no_image_can_be_had(tmp_path: Path, no_shell: None) -> None:
    """The engine may well work. That nobody has seen it is said."""
    fake_engine(tmp_path)
    assert probe().untried == NO_IMAGE


def test_images_that_do_not_run(tmp_path: Path, no_shell: None) -> None:
    """They may have no shell, or the engine may be broken. That can't be told."""
    fake_engine(tmp_path, start="exit 1", images="a b a c d e", state=NOT_STARTED)
    assert probe().untried.startswith(
        "none of the images on this machine could be tried: the container couldn't start"
    )
    assert len(asked(tmp_path, "create")) == 3


def test_doctor_says_what_was_not_tried(
    tmp_path: Path, no_shell: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli = Cli(capsys)
    fake_engine(tmp_path)
    monkeypatch.setattr(backends, "PROBES", {"container": probe})
    monkeypatch.setattr(backends, "plugged_names", list)
    said = cli("doctor").out
    assert f"\ncontainer: answers\n  not tried       {NO_IMAGE}\n  runs as " in said
    (sandbox,) = json.loads(cli("doctor", "--json").out)["sandboxes"]
    assert (sandbox["available"], sandbox["not_tried"]) == (True, NO_IMAGE)


def test_what_works_was_tried(container: Backend) -> None:
    assert probe().untried == ""


@pytest.mark.parametrize(("engine", "options"), [("podman", "rw,nosuid,nodev"), ("docker", "rw")])
def test_nobody_else_can_run_what_root_of_a_container_left(
    tmp_path: Path, copies: SharedCopies, engine: str, options: str
) -> None:
    """A setuid shell in a workspace would make any user of the machine root."""
    sandbox = Container(fake_engine(tmp_path, engine))
    bench = Workbench(TaskEnvironment("/workspace"), copies, sandbox)
    try:
        (workspace,) = [mount for mount in bench.agent_mounts(None) if mount.target == "/workspace"]
        around = Path(workspace.source).parents[1]
        assert stat.S_IMODE(around.stat().st_mode) == 0o700
        command = SandboxCommand(("true",), "/workspace", CommandLimits(10), (workspace,), image="image")
        sandbox.run(command)
    finally:
        bench.close()
    (created,) = asked(tmp_path, "create")
    assert f"{workspace.source}:/workspace:{options} " in created
    (given,) = [word for word in created.split() if ":/run/assay:" in word]
    assert given.endswith("nosuid,nodev") is (engine == "podman")


@pytest.fixture
def copies() -> Iterator[SharedCopies]:
    made = SharedCopies()
    yield made
    made.close()
