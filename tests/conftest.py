"""How hypothesis behaves here (no deadline: a busy machine is not a wrong answer), and what many tests share."""

import functools
import gc
import os
import ssl
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cli.running import end_started
from tests.container_engine import provide_engine, remove_engine
from tests.sampling import SEARCHING

# The same examples every time, so that a change is judged by what it changed. New ones are looked for with
# `make search`.
settings.register_profile("assay", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("search" if SEARCHING else "assay")

REASON = 400
SAMPLING = {"SEARCHING", "sampled", "examples"}
# Reading the certificates of the world takes 20 ms, and each of a thousand clients of httpx would do it again.
ssl.create_default_context = functools.cache(ssl.create_default_context)  # type: ignore[assignment]
# What one test run remembered must not answer for the next.
os.environ["ASSAY_RUN_CACHE"] = "off"
_ENGINE = provide_engine()


def pytest_unconfigure() -> None:
    remove_engine(_ENGINE)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing of what is collected goes away before the end, so that looking for garbage in it is in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what has more to try in ``make search``: the tests of files that sample, and those on PostgreSQL."""
    for item in items if SEARCHING else ():
        samples = isinstance(item, pytest.Function) and SAMPLING & vars(item.module).keys()
        if samples or "postgresql" in item.name:
            item.add_marker(pytest.mark.search)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Why tests were skipped, each reason once: many are skipped for the same one."""
    reasons = Counter(report.longrepr[2][:REASON] for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"NOT TESTED HERE: {count} {reason}", yellow=True, bold=True)


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
