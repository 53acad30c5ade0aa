"""The recorded judge of the examples answers today's prompts, and its gates disagree on one run."""

import pytest

from tests.builders import REPO
from tests.cli.running import Cli

SLUG = REPO / "examples" / "coding" / "slug"
AGAIN = "record the answers again: .venv/bin/python examples/make_judge.py"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.mark.parametrize(
    ("agent", "checks", "judge"),
    [("honest", "PASS", "PASS"), ("cheating", "FAIL", "FAIL"), ("shallow", "PASS", "FAIL")],
)
def test_the_recorded_judge(cli: Cli, agent: str, checks: str, judge: str) -> None:
    given = [
        "--scenario",
        SLUG / "scenario.yaml",
        "--baseline",
        SLUG / "project",
        "--agent-logs",
        SLUG / "logs" / agent,
    ]
    replay = ["--judge", "--judge-model", "example-judge", "--judge-replay", SLUG / "judge"]
    found = cli("score", SLUG / agent, *given, *replay)
    assert f"OVERALL  {checks}" in found.out
    assert f"Judge verdict  {judge}" in found.out, AGAIN
    assert ("Scorers PASS, judge FAIL" in found.out) is (agent == "shallow")
