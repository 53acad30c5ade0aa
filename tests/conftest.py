"""How hypothesis behaves here (no deadline: a busy machine is not a wrong answer), and what many tests share."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cli.running import end_started

# The same examples every time, so that a change is judged by what it changed. New ones are looked for with
# `make search`.
settings.register_profile("assay", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("assay")

HERE = Path(__file__).parent

# Tests that start sandboxes look at what the whole machine has: they run one after the other, on one worker.
ONE_AT_A_TIME = (
    "sandbox/",
    "attacks/",
    "adapters/test_earlier_run",
    "adapters/test_job_store",
    "adapters/test_machine_lock",
    "adapters/test_regrader",
    "adapters/test_trial_writer",
    "adapters/test_workbench",
    "cli/test_annotate",
    "cli/test_doctor",
    "cli/test_grade",
    "cli/test_repeat",
    "cli/test_run",
    "cli/test_score",
    "cli/test_seed",
    "cli/test_tasks",
    "engine/test_job_run",
    "engine/test_trial_run",
    "test_example_scenarios",
    "test_scorers_face",
)


REASON = 220
AS_ROOT = "sandboxes are attacked as root: others have no control groups to limit them and no user to become"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        place = str(item.path.relative_to(HERE))
        if place.startswith(ONE_AT_A_TIME):
            item.add_marker(pytest.mark.xdist_group("sandboxes"))
        if place.startswith(("sandbox/", "attacks/")) and os.geteuid() != 0:
            item.add_marker(pytest.mark.skip(reason=AS_ROOT))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why tests were skipped, each reason once: many are skipped for the same one."""
    reasons = Counter(report.longrepr[2][:REASON] for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} {reason}")


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    """A command that a test started ends with it, however the test ends."""
    yield
    end_started()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may look into; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="assay-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
