"""What a task needs of an image, with a container engine and without."""

import json
import os
from pathlib import Path

import pytest

from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.sandbox.containers.container import Container
from assay.adapters.tasks.task_folder import load_task
from assay.core.errors import InputError, MeasurementError
from assay.engine.machine import TrialSite
from assay.engine.tasks.prepare_task import prepare_task
from tests.sandbox.backends import need, write_image
from tests.tasks import PASS, ScriptedSandbox, attempt, script, write_task

PLAIN = "FROM debian:12\nWORKDIR /app\nENV A=b\nCOPY data /app/data\n"


def without_image() -> TrialSite:
    return TrialSite(ScriptedSandbox(), ThisHost({}))


def test_a_plain_environment_needs_no_image(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", dockerfile=PLAIN.replace("COPY data /app/data\n", ""))
    prepared = prepare_task(load_task(str(task)), without_image())
    assert (prepared.environment.workdir, prepared.environment.env) == ("/app", {"A": "b"})


@pytest.mark.parametrize(
    ("dockerfile", "place"),
    [
        ("FROM python:3.12\n", "Dockerfile:1: FROM python:3.12"),
        ("FROM debian:12\nRUN apt-get update\n", "Dockerfile:2: RUN apt-get update"),
        ("FROM debian:12\nUSER alice\n", "Dockerfile:2: USER alice"),
        ("FROM debian:12\nCOPY --from=x /a /b\n", "Dockerfile:2: COPY"),
    ],
)
def test_what_needs_an_image_is_named(tmp_path: Path, dockerfile: str, place: str) -> None:
    task = load_task(str(write_task(tmp_path / "task", dockerfile=dockerfile)))
    with pytest.raises(InputError) as refusal:
        prepare_task(task, without_image())
    assert place in str(refusal.value)
    assert str(refusal.value).endswith("pass --isolation container, or --no-image to run without one")
    assert prepare_task(task, without_image(), no_image=True).environment == task.environment


def test_an_image_by_name_needs_one_too(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", toml='[environment]\ndocker_image = "python:3.12"\n')
    (task / "environment" / "Dockerfile").unlink()
    with pytest.raises(InputError, match=r"docker_image python:3\.12"):
        prepare_task(load_task(str(task)), without_image())


@pytest.fixture
def engine(tmp_path: Path) -> Container:
    """An engine that builds and inspects as it is told, and notes what it was asked."""
    log = tmp_path / "asked"
    inspected = json.dumps([{"Config": {"WorkingDir": "/srv"}}])
    script(
        tmp_path / "docker",
        f'echo "$@" >> {log}\ncase "$1 $3" in build*) echo step; echo sha256:abc > "$5";; image*--format) exit 1;;'
        f" image*) echo '{inspected}';; esac",
    )
    return Container(str(tmp_path / "docker"))


def test_the_image_is_built_from_the_environment(tmp_path: Path, engine: Container) -> None:
    task = load_task(str(write_task(tmp_path / "task", dockerfile="FROM debian:12\nENV A=b\n", toml="")))
    environment = prepare_task(task, TrialSite(engine, ThisHost({}))).environment
    assert (environment.image, environment.workdir, environment.copies) == ("sha256:abc", "/srv", ())
    # The image itself has what its Dockerfile set.
    assert environment.env == {}
    assert (tmp_path / "asked").read_text().splitlines()[1].endswith(f"{tmp_path}/task/environment")


def test_the_tasks_word_goes_above_the_images(tmp_path: Path, engine: Container) -> None:
    toml = '[environment]\nworkdir = "/mine"\nenv = { C = "d" }\n'
    task = load_task(str(write_task(tmp_path / "task", toml=toml)))
    prepared = prepare_task(task, TrialSite(engine, ThisHost({})))
    assert (prepared.environment.workdir, prepared.config.environment.env) == ("/mine", {"C": "d"})


def test_an_image_by_name_is_not_built(tmp_path: Path, engine: Container) -> None:
    folder = write_task(tmp_path / "task", toml='[environment]\ndocker_image = "made/before:1"\n')
    (folder / "environment" / "Dockerfile").unlink()
    assert (
        prepare_task(load_task(str(folder)), TrialSite(engine, ThisHost({}))).environment.image == "made/before:1"
    )
    assert "build" not in (tmp_path / "asked").read_text()


def test_a_container_without_any_image(tmp_path: Path, engine: Container) -> None:
    folder = write_task(tmp_path / "task")
    (folder / "environment" / "Dockerfile").unlink()
    with pytest.raises(InputError, match="docker_image, but it has neither"):
        prepare_task(load_task(str(folder)), TrialSite(engine, ThisHost({})))


def test_a_build_that_fails(tmp_path: Path) -> None:
    script(tmp_path / "docker", "echo 'no such instruction: FORM' >&2; exit 1")
    task = load_task(str(write_task(tmp_path / "task")))
    with pytest.raises(MeasurementError, match="build failed: no such instruction: FORM"):
        prepare_task(task, TrialSite(Container(str(tmp_path / "docker")), ThisHost({})))


def test_a_build_that_takes_too_long(tmp_path: Path) -> None:
    script(tmp_path / "docker", "exec sleep 60")
    task = load_task(str(write_task(tmp_path / "task", toml="[environment]\nbuild_timeout_sec = 0.3\n")))
    with pytest.raises(MeasurementError, match=r"build took longer than 0\.3 s"):
        prepare_task(task, TrialSite(Container(str(tmp_path / "docker")), ThisHost({})))


def test_a_task_in_real_containers(tmp_path: Path) -> None:
    """The agent finds what the image has in its working folder, and the verifier what the agent left."""
    need("container")
    task = write_task(
        tmp_path / "task",
        solution="{ cat seed; echo $SET; id -u; } > answer",
        verifier=f'[ "$(echo $(cat /app/answer))" = "seed by-the-image 0" ] && [ ! -e /solution ] && {PASS}',
    )
    write_image(task / "environment", "WORKDIR /app\nENV SET=by-the-image\nRUN echo seed > /app/seed\n")
    left = attempt(task, "oracle", tmp_path / "jobs", "--isolation", "container")
    assert left.rewards == {"reward": 1.0}
    assert left.gradings[0]["provenance"]["isolation"]["backend"].startswith("container (")
    nop = attempt(task, "nop", tmp_path / "idle", "--isolation", "container")
    assert (nop.rewards, nop.exception) == (None, "RewardFileNotFoundError")
    assert os.path.exists(left.folder / "workspace.tar.gz")
