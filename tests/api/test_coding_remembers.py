"""A service remembers runs of tests: grading again runs nothing, and no organisation sees another's."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.coding import completed, seeded, uploaded, worked
from tests.coding import FIXED, MORE_TESTS, NEEDED, PROJECT, count_commands

LEFT = {**PROJECT, "calc.py": FIXED, "tests/test_calc.py": MORE_TESTS}


@pytest.fixture
def clinics(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Clinic]]:
    """Two organisations of one service."""
    monkeypatch.setenv("ASSAY_RUN_CACHE", str(tmp_path / "runs"))
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield [clinic_of(served, client, name) for name in ("one", "other")]


def remembered(clinic: Clinic, run: str) -> list[int]:
    """How many commands each grading didn't run."""
    found = clinic.get(f"/v1/runs/{run}/gradings")
    return [one["report"]["provenance"]["remembered_runs"] for one in found]


def test_grading_again_runs_nothing(
    clinics: list[Clinic], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = count_commands(monkeypatch)
    one, other = clinics
    task = seeded(one, NEEDED)
    commands.clear()
    run = uploaded(one, task, LEFT)
    assert completed(one, run)["checks"] == "PASS"
    ran = len(commands)
    assert ran > 1
    assert one.ask("POST", f"/v1/runs/{run}/gradings", json={}).status_code == 202
    worked(one)
    assert (remembered(one, run), len(commands)) == ([0, ran], ran)
    theirs = uploaded(other, seeded(other, NEEDED), LEFT)
    assert completed(other, theirs)["checks"] == "PASS"
    assert (remembered(other, theirs), len(commands)) == ([0], 2 * ran)
    (place,) = (tmp_path / "runs" / "stores").iterdir()
    assert len([path for path in place.iterdir() if path.name != "key"]) == 2 * ran
