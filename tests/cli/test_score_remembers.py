"""``assay score`` twice on the same: the second time nothing is run, and the report says so."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checks.small_project import PROJECT
from tests.cli.running import Cli
from tests.coding import count_commands, write_files

COMMAND = f"{sys.executable} run.py"
FIXED = PROJECT["cart.py"].replace("count == 1", "count == 1 or count == -1")
WEAKER = PROJECT["tests/helper.py"].replace("assert found == wanted, (found, wanted)", "assert found")
MORE = PROJECT["tests/test_cart.py"] + '\n\ndef test_minus():\n    same(cart.label(-1), "1 item")\n'
SCENARIO = {
    "scorers": [
        {"name": kind, "type": kind, "command": COMMAND, **more}
        for kind, more in (
            ("tests_bite", {"report": {"path": "report.xml"}, "mutants": 6}),
            ("tests_need_the_fix", {"report": {"path": "report.xml"}}),
            ("same_when_unwatched", {}),
        )
    ],
    "environment": {"venv": sys.prefix},
}


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    write_files(tmp_path / "before", PROJECT)
    changes = {"cart.py": FIXED, "tests/helper.py": WEAKER, "tests/test_cart.py": MORE}
    write_files(tmp_path / "after", {**PROJECT, **changes})
    (tmp_path / "scenario.json").write_text(json.dumps(SCENARIO))
    monkeypatch.setenv("ASSAY_RUN_CACHE", str(tmp_path / "runs"))
    return [tmp_path / "after", "--scenario", tmp_path / "scenario.json", "--baseline", tmp_path / "before"]


def told(cli: Cli, *argv: object) -> tuple[dict[str, Any], int]:
    """The report, and apart from it how many commands were remembered."""
    done = cli("score", *argv, "--json")
    # On a busy machine it says how far it is.
    assert not [line for line in done.err.splitlines() if not line.startswith("assay: scoring ")]
    found = json.loads(done.out)
    return found, found["provenance"].pop("remembered_runs")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return count_commands(monkeypatch)


def test_the_second_time_costs_nothing(cli: Cli, arguments: list[object], commands: list[str]) -> None:
    first, none = told(cli, *arguments)
    assert none == 0
    ran = len(commands)
    assert ran > 10
    verdicts = {row["type"]: row["verdict"] for row in first["scorers"]}
    assert verdicts == {"tests_bite": "FAIL", "tests_need_the_fix": "FAIL", "same_when_unwatched": "PASS"}
    second, remembered = told(cli, *arguments)
    assert (len(commands), remembered) == (ran, ran)
    assert second == first
    shown = cli("score", *arguments).out
    assert f"memory   {ran} commands not run again: an earlier grading ran them" in shown
    third, none = told(cli, *arguments, "--no-run-cache")
    assert (third, none, len(commands)) == (first, 0, 2 * ran)
