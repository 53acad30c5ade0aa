"""What only containers have: images, an engine, and a lifeline."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.sandbox.container import ENGINES, Container, probe
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Command, Limits
from tests.sandbox.backends import Backend, eventually, write_image
from tests.sandbox.killing import assay_running, end_sleepers, none_asleep, sleepers
from tests.tasks import script


def engine(folder: Path, name: str, lines: str) -> None:
    """A program that stands for a container engine."""
    script(folder / name, lines)


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


def test_an_image_that_can_not_be_built(container: Backend, tmp_path: Path) -> None:
    assert isinstance(container.sandbox, Container)
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY nothing-here /x\n")
    with pytest.raises(MeasurementError, match="build failed"):
        container.sandbox.build(str(tmp_path), 300)


def test_an_image_that_is_not_there(container: Backend) -> None:
    command = Command(("/bin/true",), "/", Limits(timeout_sec=30), image="localhost/there-is-no-such-image:1")
    with pytest.raises(MeasurementError, match="could not start"):
        container.sandbox.run(command)


def test_a_command_without_an_image(container: Backend) -> None:
    with pytest.raises(MeasurementError, match="needs an image"):
        container.sandbox.run(Command(("/bin/true",), "/", Limits(timeout_sec=30)))


@pytest.mark.parametrize("lines", ["rm -rf /run/assay/*; exit 3", "kill -9 -1; sleep 0.2; exit 3"])
def test_a_command_can_not_pass_for_a_broken_measurement(container: Backend, lines: str) -> None:
    """A run that broke is tried again and does not count. So nothing that the agent does may look like one."""
    end = container.run(lines).end
    assert end.exit_code in (3, 137)


def test_a_command_can_not_cut_the_lifeline(container: Backend) -> None:
    """It may kill everything that it sees. When Assay is gone, it goes all the same."""
    forever = str(random.randrange(10**8, 10**9))
    try:
        with assay_running("container", f"kill -9 -1; sleep {forever}; true") as assay:
            assert eventually(lambda: sleepers(forever), 20)
            time.sleep(0.5)
            assay.kill()
            assay.wait()
            assert none_asleep(forever)
    finally:
        end_sleepers(forever)


def test_nothing_is_left_of_a_container(container: Backend, tmp_path: Path) -> None:
    assert isinstance(container.sandbox, Container)
    write_image(tmp_path, "LABEL of=this-test\n")
    image = container.sandbox.build(str(tmp_path), 300)
    ours = Backend("container", container.sandbox, image)
    ours.run("true")
    ours.run("sleep 60", timeout_sec=1)
    binary = next(path for name in ENGINES if (path := shutil.which(name)))
    command = [binary, "ps", "--all", "--quiet", "--filter", f"ancestor={image}"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert listed.stdout == ""


def test_no_engine_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MeasurementError, match=r"^docker is not installed; podman is not installed$"):
        probe()


def test_no_engine_is_running(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    engine(tmp_path, "docker", "echo one >&2; echo 'cannot connect to the daemon' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        MeasurementError,
        match=r"^docker has no engine running \(cannot connect to the daemon\); podman is not installed$",
    ):
        probe()


def test_the_second_engine_where_the_first_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine(tmp_path, "docker", "exit 1")
    engine(tmp_path, "podman", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert probe().isolation.backend == "container (podman)"


def test_an_engine_that_hangs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A daemon that accepts a connection and says nothing must not be an exception of Python's."""
    engine(tmp_path, "docker", "exec /bin/sleep 30")
    monkeypatch.setenv("PATH", str(tmp_path))
    real = subprocess.run

    def impatient(*arguments: Any, **options: Any) -> Any:
        return real(*arguments, **{**options, "timeout": 0.5})

    monkeypatch.setattr(subprocess, "run", impatient)
    with pytest.raises(MeasurementError):
        probe()
