"""The action, the hooks and the templates for pipelines: their own commands are run in a repository."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.builders import REPO
from tests.cli.running import ASSAY
from tests.sandbox.backends import need

ACTION = yaml.safe_load((REPO / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
HOOKS = {
    hook["id"]: hook for hook in yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
GITLAB = yaml.safe_load((REPO / "examples/workflows/gitlab-ci.yml").read_text(encoding="utf-8"))["assay"]
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")


class Runner:
    """Runs steps of the action in a repository, as the runner of a forge does."""

    def __init__(self, folder: Path, branch: str) -> None:
        self.repository, self.temp = folder / "durations", folder / "temp"
        example = REPO / "examples/repositories/durations"
        subprocess.run([REPO / "examples/make_repository", example, self.repository], check=True)
        subprocess.run(["/usr/bin/git", "-C", self.repository, "checkout", "-q", branch], check=True)
        self.temp.mkdir()
        self.inputs = {name: str(one["default"]) for name, one in ACTION["inputs"].items()}
        self.outputs: dict[str, str] = {}
        tools = folder / "tools"
        tools.mkdir()
        (tools / "gh").write_text(f'#!/bin/bash\nprintf "%s\\n" "$@" > {folder}/asked\n')
        (tools / "gh").chmod(0o755)
        self.asked = folder / "asked"
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(Path(ASSAY).parent), str(tools), os.environ["PATH"]]),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
            "GITHUB_OUTPUT": str(self.temp / "output"),
            "GITHUB_REPOSITORY": "acme/durations",
        }

    def step(self, name: str) -> "subprocess.CompletedProcess[str]":
        step = STEPS[name]
        given = {key: EXPRESSION.sub(self._value, text) for key, text in step.get("env", {}).items()}
        return self.run(step["run"], given)

    def run(self, script: str, given: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.repository,
            env={**self.environment, **(given or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if (self.temp / "output").exists():
            self.outputs = dict(line.split("=", 1) for line in (self.temp / "output").read_text().splitlines())
        return done

    def _value(self, found: re.Match[str]) -> str:
        match found[1].split("."):
            case ["inputs", name]:
                return self.inputs[name]
            case ["steps", "score", "outputs", name]:
                return self.outputs[name]
        return {"github.event.pull_request.number": "7"}[found[1]]


@pytest.mark.parametrize(
    ("branch", "arguments", "code", "word"),
    [
        ("honest", "", "0", "PASS"),
        ("cheating", "--all", "1", "FAIL"),
        ("honest", "--main nowhere", "2", "no answer"),
    ],
)
def test_the_action_gives_the_verdict(tmp_path: Path, branch: str, arguments: str, code: str, word: str) -> None:
    need("bubblewrap")
    runner = Runner(tmp_path, branch)
    runner.inputs["arguments"] = arguments
    assert runner.step("Install").stdout.startswith("assay ")
    scored = runner.step("Score")
    assert (scored.returncode, runner.outputs["exit-code"]) == (0, code), scored.stderr
    comment = (runner.temp / "assay.md").read_text()
    assert comment.startswith(f"### Assay: {word}\n<pre>\n")
    assert comment == (runner.temp / "summary").read_text()
    assert (runner.temp / "assay.sarif").exists() is (code != "2")
    assert ("::error file=tests/test_durations.py" in scored.stdout) is (code == "1")
    assert runner.step("Comment").returncode == 0
    assert runner.asked.read_text().splitlines()[:5] == ["pr", "comment", "7", "--repo", "acme/durations"]
    assert runner.step("Verdict").returncode == int(code)


def test_what_an_agent_writes_is_neither_markup_nor_a_command(tmp_path: Path) -> None:
    need("bubblewrap")
    runner = Runner(tmp_path, "cheating")
    file = runner.repository / "tests/test_durations.py"
    text = file.read_text().replace('"flaky"', '"</pre><b>::error::owned"')
    file.write_text(text)
    scored = runner.step("Score")
    assert "</pre><b>" not in (runner.temp / "assay.md").read_text().removesuffix("</pre>\n")
    assert "&lt;/pre&gt;&lt;b&gt;" in (runner.temp / "assay.md").read_text()
    mark = re.search(r"^::stop-commands::(\w{32})$", scored.stdout, re.MULTILINE)
    assert mark is not None
    table = scored.stdout.partition(mark[0])[2].partition(f"::{mark[1]}::")[0]
    assert "::error::owned" in table


def test_no_step_puts_an_expression_into_its_script() -> None:
    """A title or a branch's name could be a command there."""
    assert [name for name, step in STEPS.items() if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize(("branch", "code"), [("honest", 0), ("cheating", 1)])
def test_the_hook_scores_before_a_push(tmp_path: Path, branch: str, code: int) -> None:
    need("bubblewrap")
    assert Runner(tmp_path, branch).run(HOOKS["assay-score"]["entry"]).returncode == code


def test_the_hook_finds_mistakes_in_criteria(tmp_path: Path) -> None:
    hook: dict[str, Any] = HOOKS["assay-criteria"]
    good = REPO / "examples/clinical/eligibility/criteria.yaml"
    bad = tmp_path / "criteria.yaml"
    bad.write_text("criteria:\n- label: nothing\n")
    assert all(re.search(hook["files"], str(path)) for path in (good, bad))
    runner = Runner(tmp_path, "main")
    assert [runner.run(f"{hook['entry']} {path}").returncode != 0 for path in (good, bad)] == [False, True]


@pytest.mark.parametrize(("branch", "code"), [("honest", 0), ("cheating", 1)])
def test_the_template_for_gitlab_scores_a_merge_request(tmp_path: Path, branch: str, code: int) -> None:
    need("bubblewrap")
    runner = Runner(tmp_path, branch)
    [script] = GITLAB["script"]
    assert runner.run(script, {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}).returncode == code
    report = runner.repository / GITLAB["artifacts"]["reports"]["junit"]
    failures = int(ET.parse(report).getroot().attrib["failures"])  # noqa: S314 - written by us
    assert (failures > 0) is (code == 1)
