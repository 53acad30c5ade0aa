"""What published tasks are like: small tasks of our own, each with one trait that datasets have.

All of them are loaded, and all that need no image are run, in one job.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli, run_assay
from tests.sandbox.backends import need
from tests.tasks import Attempt, trials_of

R = "/logs/verifier/reward.txt"
RIGHT = f"grep -qx 42 /workspace/answer.txt && echo 1 > {R} || echo 0 > {R}\n"
SOLVE = "#!/bin/bash\necho 42 > /workspace/answer.txt\n"
BASE = {
    "task.toml": 'schema_version = "1.3"\n',
    "instruction.md": "Write 42 to /workspace/answer.txt.\n",
    "environment/Dockerfile": "FROM debian:12\nWORKDIR /workspace\n",
    "tests/test.sh": f"#!/bin/bash\n{RIGHT}",
    "solution/solve.sh": SOLVE,
}
BROKEN = "MeasurementError"


@dataclass(frozen=True)
class Trait:
    """Files beside or in the place of the plain ones (None for one that isn't there), and the oracle's reward.

    ``refused`` is a part of the sentence for a task that is loaded but not run.
    """

    files: dict[str, str | None] = field(default_factory=dict)
    reward: float | dict[str, float] | None = 1.0
    exception: str | None = None
    refused: str | None = None
    modes: dict[str, int] = field(default_factory=dict)


def toml(text: str, **more: Any) -> Trait:
    return Trait({"task.toml": text}, **more)


def verifier(text: str, **more: Any) -> Trait:
    return Trait({"tests/test.sh": text}, **more)


def solution(text: str, **more: Any) -> Trait:
    return Trait({"solution/solve.sh": f"#!/bin/bash\n{text}\n"}, **more)


def docker(text: str, **more: Any) -> Trait:
    return Trait({"environment/Dockerfile": f"FROM debian:12\nWORKDIR /workspace\n{text}"}, **more)


STEP = {"task.toml": '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\nmin_reward = 0.5\n'}
STEPS: dict[str, str | None] = {
    **STEP,
    **{
        f"steps/{step}/instruction.md": f"Step {step}: write 42 to /workspace/answer.txt.\n"
        for step in ("one", "two")
    },
    **{f"steps/{step}/solution/solve.sh": SOLVE for step in ("one", "two")},
}
COMPOSE = "services:\n  main:\n    build: {context: '${CONTEXT_DIR}'}\n    command: [sh, -c, sleep infinity]\n"

TRAITS = {
    "plain": Trait(),
    # Scripts as they come out of an archive.
    "no-execute-bit": Trait(modes={"tests/test.sh": 0o644, "solution/solve.sh": 0o644}),
    "no-interpreter": verifier(
        "[[ $(< /workspace/answer.txt) == 42 ]] && echo 1 > " + R + " || echo 0 > " + R + "\n"
    ),
    "interpreter-sh": verifier(f"#!/bin/sh\n{RIGHT}"),
    "interpreter-env": verifier(f"#!/usr/bin/env bash\n{RIGHT}"),
    "interpreter-python": verifier(
        "#!/usr/bin/env python3\nright = open('/workspace/answer.txt').read() == '42\\n'\n"
        f"open('{R}', 'w').write(str(int(right)))\n"
    ),
    "verify-py": Trait(
        {
            "tests/test.sh": None,
            "tests/verify.py": "right = open('/workspace/answer.txt').read() == '42\\n'\n"
            f"open('{R}', 'w').write(str(int(right)))\n",
        }
    ),
    "writes-beside-tests": verifier(f"#!/bin/bash\ncd /tests && touch cache && mkdir out && {RIGHT}"),
    "tests-in-folders": Trait(
        {"tests/test.sh": "#!/bin/bash\nbash /tests/inner/check.sh\n", "tests/inner/check.sh": RIGHT}
    ),
    "hidden-truth": Trait(
        {
            "tests/test.sh": "#!/bin/bash\ncmp /tests/.truth/expected /workspace/answer.txt &&"
            f" echo 1 > {R} || echo 0 > {R}\n",
            "tests/.truth/expected": "42\n",
        }
    ),
    # task.toml.
    "unknown-field": toml("[agent]\nextensions = ['a']\n"),
    "unknown-field-that-may-decide": toml("[environment]\nextensions = ['a']\n", refused="may decide"),
    "unknown-table": toml("[tool.somebody]\nx = 1\n"),
    "unknown-schema": toml('schema_version = "7.0"\n'),
    "old-version": toml('version = "1.0"\n'),
    "old-sizes": toml('[environment]\nmemory = "2G"\nstorage = "1G"\n'),
    "internet-allowed": toml("[environment]\nallow_internet = true\n"),
    "internet-forbidden": toml("[environment]\nallow_internet = false\n"),
    "network-mode": toml('[verifier]\nnetwork_mode = "no-network"\n'),
    "name-and-authors": toml('[task]\nname = "someone/small"\nauthors = [{name = "A"}]\nkeywords = ["k"]\n'),
    "metadata": toml('[metadata]\ndifficulty = "easy"\ntags = ["a"]\n[metadata.deep]\nx = 1\n'),
    "fractions-of-seconds": toml("[agent]\ntimeout_sec = 60.5\n[verifier]\ntimeout_sec = 60.5\n"),
    "empty-tables": toml("[verifier.env]\n[solution.env]\n[environment]\nmcp_servers = []\ngpus = 0\n"),
    "limits": toml("[environment]\ncpus = 1\nmemory_mb = 512\nstorage_mb = 100\nbuild_timeout_sec = 600.0\n"),
    "user-root": toml('[agent]\nuser = "root"\n'),
    "artifacts": toml('artifacts = ["/workspace/answer.txt"]\n'),
    "shared-verifier": Trait(
        {
            "task.toml": '[verifier]\nenvironment_mode = "shared"\n',
            "solution/solve.sh": "#!/bin/bash\necho 42 | tee ~/answer > /workspace/answer.txt\n",
            "tests/test.sh": f"#!/bin/bash\ngrep -qx 42 ~/answer && echo 1 > {R} || echo 0 > {R}\n",
        }
    ),
    "separate-verifier": toml('[verifier]\nenvironment_mode = "separate"\n'),
    "environments-variables": Trait(
        {
            "task.toml": '[environment.env]\nA = "4"\n[solution.env]\nB = "2"\n[verifier.env]\nC = "42"\n',
            "solution/solve.sh": "#!/bin/bash\necho $A$B > /workspace/answer.txt\n",
            "tests/test.sh": '#!/bin/bash\n[ "$(cat /workspace/answer.txt)" = $C ] &&'
            f" echo 1 > {R} || echo 0 > {R}\n",
        }
    ),
    # The environment.
    "copied-data": Trait(
        {
            "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nENV X=42\nCOPY data/ /app/data/\n",
            "environment/data/in.txt": "42\n",
            "solution/solve.sh": "#!/bin/bash\n[ $X = 42 ] && cp /app/data/in.txt /workspace/answer.txt\n",
        }
    ),
    "dockerignore": Trait(
        {
            "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY . /app/\n",
            "environment/.dockerignore": "secret\n",
            "environment/secret": "42\n",
            "solution/solve.sh": "#!/bin/bash\n[ -e /app/secret ] || echo 42 > /workspace/answer.txt\n",
        }
    ),
    "compose-yml-is-data": Trait(
        {
            "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY docker-compose.yml /app/\n",
            "environment/docker-compose.yml": "services: {web: {}, db: {}}\n",
        }
    ),
    "harbors-own-compose": Trait({"environment/docker-compose.yaml": COMPOSE}),
    "no-dockerfile": Trait({"environment/Dockerfile": None}),
    "needs-an-image": docker("RUN apt-get update\n", refused="this needs an image"),
    "image-beside-dockerfile": toml(
        '[environment]\ndocker_image = "python:3.12"\n', refused="docker_image python:3.12"
    ),
    "copies-in-vain": docker("COPY nothing /workspace/\n", refused="nothing doesn't exist"),
    "several-containers": Trait(
        {"environment/docker-compose.yaml": f"{COMPOSE}  db: {{image: 'postgres:16'}}\n"},
        refused="it has the services main, db",
    ),
    "gpus": toml("[environment]\ngpus = 1\n", refused="GPUs are not supported"),
    "mcp-servers": toml('[environment]\nmcp_servers = [{name = "x"}]\n', refused="MCP servers are not supported"),
    "limits-of-the-verifier": toml("[verifier.environment]\ncpus = 0.5\n"),
    "image-of-the-verifier": toml(
        '[verifier.environment]\ndocker_image = "python:3.12"\n',
        refused="verifier.environment.docker_image python:3.12: this needs an image",
    ),
    # Steps and rewards.
    "steps": Trait(STEPS),
    "steps-with-their-own-tests": Trait(
        {**STEPS, "tests/test.sh": None, **{f"steps/{step}/tests/test.sh": RIGHT for step in ("one", "two")}}
    ),
    "several-rewards": verifier(
        '#!/bin/bash\necho \'{"reward": 0.75, "style": 1}\' > /logs/verifier/reward.json\n',
        reward={"reward": 0.75, "style": 1},
    ),
    "part-of-a-reward": verifier(f"#!/bin/bash\necho 0.5 > {R}\n", reward=0.5),
    "words-of-the-world": Trait({"instruction.md": "Schreibe «42» nach /workspace/answer.txt — bitte 🙂.\r\n"}),
    # No false zero, and no false one.
    "download-without-network": verifier(
        f"#!/bin/bash\npip install nothing==1 2>&1 || echo 'Could not resolve host: x'\necho 0 > {R}\n",
        reward=None,
        exception=BROKEN,
    ),
    "link-to-the-tests": Trait(
        {
            "tests/expected": "42\n",
            "solution/solve.sh": "#!/bin/bash\nln -s /tests/expected /workspace/answer.txt\n",
        },
        reward=0.0,
    ),
    "pipe-as-an-answer": Trait(
        {
            "task.toml": '[metadata.output]\npath = "/workspace/answer.txt"\n',
            "solution/solve.sh": "#!/bin/bash\nmkfifo /workspace/answer.txt\n",
        },
        reward=0.0,
    ),
    "hard-links-and-times": Trait(
        {
            "solution/solve.sh": "#!/bin/bash\ncd /workspace; echo 42 > answer.txt; ln answer.txt twin\n"
            "touch -d @5 twin\n",
            "tests/test.sh": "#!/bin/bash\ncd /workspace; [ answer.txt -ef twin ] && [ $(stat -c %Y twin) = 5 ] &&"
            f" echo 1 > {R} || echo 0 > {R}\n",
        }
    ),
}
# Task folders are found at any depth.
DEEP = {"steps": "one/level/down", "plain": "a/b/c/d"}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published")
    for name, trait in TRAITS.items():
        folder = root / DEEP.get(name, ".") / name
        for file, text in {**BASE, **trait.files}.items():
            if text is not None:
                path = folder / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, newline="")
                path.chmod(0o755 if file.endswith(".sh") else 0o644)
        for file, mode in trait.modes.items():
            (folder / file).chmod(mode)
    return root


@pytest.fixture(scope="module")
def job(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Attempt]]:
    """What a run of all of them said, and its trials by the name of the task's folder."""
    need("bubblewrap")
    jobs = tmp_path_factory.mktemp("jobs")
    options = ("--isolation", "bubblewrap", "--jobs-dir", jobs, "--job-name", "j")
    said = run_assay("run", dataset, "-a", "oracle", *options)
    trials = trials_of(jobs / "j")
    return said.err, {os.path.basename(trial.result["config"]["task"]["path"]): trial for trial in trials}


def test_there_are_forty_or_more() -> None:
    assert len(TRAITS) >= 40


def test_all_are_loaded_and_none_has_a_mistake_but_those_that_do(cli: Cli, dataset: Path) -> None:
    found = cli("tasks", "check", dataset, "--json")
    tasks = {os.path.basename(task["path"]): task for task in json.loads(found.out)["tasks"]}
    assert set(tasks) == set(TRAITS)
    assert {name for name, task in tasks.items() if task["error"] is not None} == set()
    problems = {
        name: kinds
        for name, task in tasks.items()
        if (kinds := sorted({one["kind"] for one in task["findings"] if one["level"] == "problem"}))
    }
    assert problems == {
        "copies-in-vain": ["missing-file"],
        "part-of-a-reward": ["output-not-tested"],
        "several-rewards": ["output-not-tested"],
        "download-without-network": ["output-not-tested"],
    }


@pytest.mark.parametrize("name", [name for name, trait in TRAITS.items() if trait.refused is None])
def test_each_gets_the_reward_that_it_should(job: tuple[str, dict[str, Attempt]], name: str) -> None:
    trait, trial = TRAITS[name], job[1][name]
    wanted = {"reward": trait.reward} if isinstance(trait.reward, float) else trait.reward
    assert (trial.rewards, trial.exception) == (wanted, trait.exception)


@pytest.mark.parametrize("name", [name for name, trait in TRAITS.items() if trait.refused is not None])
def test_what_can_not_be_run_here_is_named_and_leaves_the_others(
    job: tuple[str, dict[str, Attempt]], name: str
) -> None:
    said, trials = job
    assert name not in trials
    refusals = [line for line in said.splitlines() if line.startswith("assay: ") and f"/{name}/" in line]
    assert len(refusals) == 1
    assert str(TRAITS[name].refused) in refusals[0]


def test_they_are_graded_again_with_the_same_answer(cli: Cli, job: tuple[str, dict[str, Attempt]]) -> None:
    for name in ("hard-links-and-times", "shared-verifier", "writes-beside-tests", "plain"):
        assert cli("grade", job[1][name].folder).out.endswith("grading 2  reward 1\n"), name
