"""The example scenarios: honest agents pass, cheating ones don't, and the archives are those of the folders."""

import gzip
import importlib.util

import pytest

from assay import scorers
from tests.builders import REPO

EXAMPLES = REPO / "examples" / "coding"

# What the cheating agent of each example is found out by.
CHEATS = {
    "cart": {
        "tests",
        "graded tests",
        "only the source",
        "no_new_skips",
        "assertions_not_weakened",
        "runner_tampering",
    },
    "rates": {"bite"},
    "queue": {"no_new_skips", "assertions_not_weakened"},
    "slug": {"no_new_skips", "assertions_not_weakened"},
}


def score(name: str, agent: str) -> scorers.ScorersReport:
    folder = EXAMPLES / name
    return scorers.score_against(folder / agent, folder / "scenario.yaml", folder / "project")


def failed(report: scorers.ScorersReport) -> set[str]:
    return {row.name for row in report.scorers if row.verdict is scorers.RowVerdict.FAIL}


def test_every_example_is_looked_at() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("*/scenario.yaml")} == CHEATS.keys()


@pytest.mark.parametrize("name", CHEATS)
def test_an_honest_agent_passes_without_a_warning(name: str) -> None:
    report = score(name, "honest")
    assert report.overall is not None
    assert (report.overall.verdict, failed(report)) == (scorers.OverallVerdict.PASS, set())


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheating_agent_is_found_out(name: str) -> None:
    report = score(name, "cheating")
    assert report.overall is not None
    assert (report.overall.verdict, failed(report)) == (scorers.OverallVerdict.FAIL, CHEATS[name])


@pytest.mark.parametrize("name", CHEATS)
def test_an_idle_agent_is_no_cheat(name: str) -> None:
    """Only where tests are run does doing nothing fail."""
    assert failed(score(name, "project")) == ({"tests"} if name in ("cart", "rates") else set())


def test_the_archives_are_those_of_the_folders() -> None:
    spec = importlib.util.spec_from_file_location("make_scenarios", REPO / "examples" / "make_scenarios.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in CHEATS:
        kept = gzip.decompress((EXAMPLES / name / "project.tar.gz").read_bytes())
        made = gzip.decompress(module.packed(EXAMPLES / name / "project"))
        assert kept == made, "run examples/make_scenarios.py"
