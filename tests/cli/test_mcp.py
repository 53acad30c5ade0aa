"""A coding agent grades its own change over MCP: checks only, over a real session on standard input and output."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.adapters.workspace.repositories import make_repository, run_git
from tests.adapters.workspace.site import write_files
from tests.cli.running import ASSAY, Cli

RUBRIC, PRINTED = "prefer the third way", "what the examiner prints"
SCENARIO = f"""
user_instruction: Mend the cube.
scorers:
  - {{type: no_new_skips, required: true}}
  - {{type: command, name: objective, command: "echo {PRINTED}; grep -q fixed src/power.py"}}
  - {{type: llm_judge, rubric: {RUBRIC}}}
"""
TEST = "def test_cube():\n    assert cube(2) == 8\n"


@pytest.fixture
def repository(open_folder: Path) -> Path:
    root = open_folder / "project"
    make_repository(root, {"assay.yaml": SCENARIO, "src/power.py": "", "tests/test_power.py": TEST})
    run_git(root, "checkout", "-q", "-b", "agent")
    return root


async def session(root: Path, *changes: dict[str, str]) -> tuple[list[str], str | None, list[Any]]:
    """The tools, the instructions, and the answer after each change."""
    server = StdioServerParameters(command=ASSAY, args=["mcp", "--repository", str(root / "src")])
    async with Client(server, read_timeout_seconds=120) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answers = []
        for change in changes:
            write_files(root, change)
            answers.append(await client.call_tool("grade_change", {}))
        return tools, client.instructions, answers


def test_an_agent_mends_what_the_checks_find_and_learns_nothing_else(repository: Path) -> None:
    cheat = {"tests/test_power.py": f"import pytest\n\n\n@pytest.mark.skip\n{TEST}"}
    honest = {"tests/test_power.py": TEST, "src/power.py": "fixed = True\n"}
    tools, instructions, (first, second) = asyncio.run(session(repository, cheat, honest))
    assert tools == ["grade_change"]
    assert "before you hand it in" in str(instructions)
    found = first.structured_content
    assert found["verdict"] == "FAIL"
    checks = {one["name"]: one for one in found["checks"]}
    assert {name: one["verdict"] for name, one in checks.items()} == {"no_new_skips": "FAIL", "objective": "FAIL"}
    (finding,) = checks["no_new_skips"]["findings"]
    assert (finding["path"], finding["rule"]) == ("tests/test_power.py", "new-skip")
    assert second.structured_content["verdict"] == "PASS"
    told = json.dumps([one.model_dump(mode="json") for one in (first, second)])
    assert RUBRIC not in told
    assert PRINTED not in told


def test_what_can_not_be_graded_is_an_error_of_the_call_and_not_of_the_session(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_text("nonsense\n")
    _, _, (answer, again) = asyncio.run(session(repository, {}, {}))
    assert answer.is_error
    assert again.is_error
    assert "Traceback" not in answer.content[0].text


def test_a_folder_without_a_repository_is_refused(cli: Cli, open_folder: Path) -> None:
    done = cli("mcp", "--repository", open_folder)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"assay: --repository must be a folder in a git repository, got {open_folder}\n"
