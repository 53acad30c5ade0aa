"""A verifier with an environment of its own is run in that one, or its task is refused before the agent starts."""

from pathlib import Path

import pytest

from assay.cli.main import main
from tests.sandbox.backends import Backend, need
from tests.tasks import Attempt, attempt, run_arguments, script, write_task

SEPARATE = '[verifier]\nenvironment_mode = "separate"\n'
PUBLISHED = f'artifacts = ["/workspace/answer.txt"]\n{SEPARATE}'
JUDGE = (
    '[ "$(cat /marker)" = verifier ] && [ "$(cat /workspace/answer.txt)" = right ]'
    " && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt"
)
MARKED = "COPY test.sh /tests/\nCOPY who /marker\n"


def task(folder: Path, toml: str, *, own: str | None = MARKED, solution: str = "echo right > answer.txt") -> Path:
    """A task whose image is the smallest there is. ``own`` are the lines of the verifier's Dockerfile."""
    task = write_task(folder, verifier=JUDGE, solution=solution, toml=toml)
    base = f"FROM {need('container').image}\n"
    (task / "environment" / "who").write_text("agent\n")
    (task / "environment" / "Dockerfile").write_text(f"{base}WORKDIR /workspace\nCOPY who /marker\n")
    script(task / "solution" / "solve.sh", solution)
    if own is not None:
        (task / "tests" / "who").write_text("verifier\n")
        (task / "tests" / "Dockerfile").write_text(base + own)
    return task


def run(folder: Path, agent: str, jobs: Path, isolation: str = "container", *options: str) -> Attempt:
    return attempt(folder, agent, jobs, "--isolation", isolation, *options)


@pytest.mark.usefixtures("container")
@pytest.mark.parametrize("toml", [SEPARATE, PUBLISHED, f"{PUBLISHED}[verifier.environment]\nmemory_mb = 256\n"])
def test_its_own_image_is_built_and_used(tmp_path: Path, toml: str) -> None:
    folder = task(tmp_path / "task", toml)
    assert run(folder, "oracle", tmp_path / "right").reward == 1
    assert run(folder, "nop", tmp_path / "nothing").reward == 0


def test_an_image_by_name(tmp_path: Path, container: Backend) -> None:
    """The tests are in it, too."""
    context = task(tmp_path / "base", PUBLISHED) / "tests"
    image = container.sandbox.images.build(str(context), 300)  # type: ignore[union-attr]
    named = f'{PUBLISHED}[verifier.environment]\ndocker_image = "{image}"\n'
    found = run(task(tmp_path / "task", named, own=None), "oracle", tmp_path / "jobs")
    assert (found.reward, found.gradings[0]["provenance"]["image"]) == (1, image)


@pytest.mark.usefixtures("container")
def test_an_agent_can_not_replace_files_of_the_verifiers_image(tmp_path: Path) -> None:
    """Here the answer that is expected lies in the working folder of the image."""
    judge = "RUN echo right > /workspace/expected\n"
    for toml, published in ((SEPARATE, 0), (PUBLISHED, 1)):
        folder = task(tmp_path / f"task{published}", toml, own=f"WORKDIR /workspace\n{judge}{MARKED}")
        script(folder / "tests" / "test.sh", f"{JUDGE.replace('= right', '= $(cat /workspace/expected)')}")
        forged = "echo wrong > /workspace/answer.txt; echo wrong > /workspace/expected"
        assert run(folder, forged, tmp_path / f"forged{published}").reward == 0
        assert run(folder, "oracle", tmp_path / f"honest{published}").reward == published


@pytest.mark.usefixtures("container")
def test_artifacts_from_elsewhere_arrive(tmp_path: Path) -> None:
    toml = f'artifacts = ["/data/out/answer.txt"]\n{SEPARATE}'
    folder = task(tmp_path / "task", toml, solution="mkdir -p /data/out; echo right > /data/out/answer.txt")
    script(folder / "tests" / "test.sh", JUDGE.replace("/workspace", "/data/out"))
    assert run(folder, "oracle", tmp_path / "jobs").reward == 1


@pytest.mark.usefixtures("container")
def test_graded_again_in_its_own_image(tmp_path: Path) -> None:
    folder = task(tmp_path / "task", PUBLISHED)
    found = run(folder, "oracle", tmp_path / "jobs")
    assert main(["grade", str(found.folder), "--isolation", "container"]) == 0
    first, second = found.gradings
    assert second["result"]["reward"] == 1
    assert second["provenance"]["image"] == first["provenance"]["image"]


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces", "process"])
def test_without_images_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], isolation: str) -> None:
    need(isolation)
    folder = write_task(tmp_path / "task", toml=SEPARATE)
    (folder / "tests" / "Dockerfile").write_text("FROM debian:12\nRUN apt-get install -y jq\nCOPY . /tests\n")
    assert main(run_arguments(folder, "oracle", tmp_path / "jobs", "--isolation", isolation)) != 0
    said = capsys.readouterr().err
    assert "tests/Dockerfile:2: RUN apt-get install -y jq: this needs an image" in said
    assert not (tmp_path / "jobs" / "job").exists()


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces", "process"])
@pytest.mark.parametrize(
    "lines", ["COPY . /tests", "WORKDIR /tests\nCOPY test.sh .", "COPY test.sh /tests/test.sh"]
)
def test_a_plain_dockerfile_is_followed(tmp_path: Path, isolation: str, lines: str) -> None:
    need(isolation)
    judge = '[ "$WHO" = verifier ] && [ "$(cat /workspace/answer.txt)" = right ]'
    folder = write_task(
        tmp_path / "task",
        toml=PUBLISHED,
        verifier=f"{judge} && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt",
    )
    (folder / "tests" / "Dockerfile").write_text(f"FROM debian:12\nENV WHO=verifier\n{lines}\n")
    assert run(folder, "oracle", tmp_path / "right", isolation).reward == 1
    assert run(folder, "nop", tmp_path / "nothing", isolation).reward == 0


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        ("COPY data /tests/", "COPY data /tests/"),
        ("COPY data/x /etc/x", "COPY data/x /etc/x"),
        ("USER 7", "USER 7"),
    ],
)
def test_what_a_plain_dockerfile_can_not_be_followed_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, refused: str
) -> None:
    need("bubblewrap")
    folder = write_task(tmp_path / "task", toml=SEPARATE)
    (folder / "tests" / "data").mkdir()
    (folder / "tests" / "data" / "x").touch()
    (folder / "tests" / "Dockerfile").write_text(f"FROM debian:12\n{lines}\n")
    main(run_arguments(folder, "oracle", tmp_path / "jobs", "--isolation", "bubblewrap"))
    assert f"Dockerfile:2: {refused}: this needs an image" in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["", '[verifier]\nenvironment_mode = "shared"\n'])
def test_a_dockerfile_beside_the_tests_means_nothing_in_other_modes(tmp_path: Path, mode: str) -> None:
    """As in harbor."""
    need("bubblewrap")
    folder = write_task(tmp_path / "task", toml=mode)
    (folder / "tests" / "Dockerfile").write_text("FROM python:3.12\nRUN false\n")
    assert run(folder, "oracle", tmp_path / "jobs", "bubblewrap").reward == 1


def test_limits_and_variables_of_its_own(tmp_path: Path) -> None:
    need("bubblewrap")
    toml = '[environment.env]\nWHO = "agent"\n[verifier.environment]\ncpus = 0.5\nenv = {A = "42"}\n'
    judge = '[ "$A$WHO" = 42 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt'
    folder = write_task(tmp_path / "task", toml=toml, verifier=judge)
    assert run(folder, "nop", tmp_path, "bubblewrap").reward == 1


def test_a_compose_file_of_the_verifier_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_task(tmp_path / "task", toml=SEPARATE, tests={"docker-compose.yaml": "services: {main: {}}\n"})
    assert main(run_arguments(folder, "oracle", tmp_path / "jobs")) != 0
    assert "a verifier must have a single container" in capsys.readouterr().err


@pytest.mark.usefixtures("container")
def test_a_reward_that_another_process_writes_in_a_container(tmp_path: Path) -> None:
    forge = "(sleep 0.3; echo 1 > /logs/verifier/reward.txt) &"
    folder = task(tmp_path / "task", "", own=None)
    script(folder / "tests" / "test.sh", "sh /workspace/program; echo 0 > /logs/verifier/reward.txt; sleep 1")
    found = run(folder, f"echo '{forge}' > program", tmp_path / "jobs", "container", "--profile", "strict")
    assert (found.reward, found.reason) == (None, "reward_after_interference")
    honest = run(folder, "echo true > program", tmp_path / "honest", "container", "--profile", "strict")
    assert (honest.reward, honest.reason) == (0, None)
