"""What tests of pages use: a browser, a service with its pages, and folders that are viewed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from assay.adapters.store.opening import open_store
from assay.web.local_server import LocalServer
from tests.web.browser import Tab, running_browser, tab_of
from tests.web.examples import (
    COMPARISON,
    GUESSES,
    SORTING,
    import_all,
    keep_scored,
    make_hostile,
    serving_folder,
    viewed_at,
)
from tests.web.people import ORGANISATION, Desk, desk_on
from tests.web.traces import write_trace

# Only against hanging: other tests run beside these.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser() as found:
        yield found


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    with tab_of(browser) as found:
        yield found


@pytest.fixture
def plain_tab(browser: Browser) -> Iterator[Tab]:
    """A tab of somebody without JavaScript."""
    with tab_of(browser, java_script_enabled=False) as found:
        yield found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A service with pages, and a key of each scope."""
    path = str(tmp_path_factory.mktemp("desk") / "store.db")
    open_store(path, create=True).close()
    with desk_on(path) as found:
        yield found


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Coding runs that were scored: an honest one, a shallow one that the judge refuses, and one that cheats."""
    return keep_scored(tmp_path_factory.mktemp("kept") / "slug")


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job with a run that has a trace with everything in it."""
    job = tmp_path_factory.mktemp("traced") / "sorting"
    shutil.copytree(SORTING, job)
    write_trace(job / "merge__sort005" / "agent")
    return job


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory, kept: Path, traced: Path, hostile: Path) -> Iterator[Desk]:
    """A service with runs of every kind."""
    path = str(tmp_path_factory.mktemp("full") / "store.db")
    open_store(path, create=True).close()
    with desk_on(path) as found:
        jobs = [traced, GUESSES, COMPARISON / "monday", COMPARISON / "tuesday", hostile]
        import_all(found.service, ORGANISATION, jobs, kept)
        yield found


@pytest.fixture(scope="session")
def viewed(kept: Path, traced: Path) -> Iterator[LocalServer]:
    """What ``assay view`` serves of a job and of kept runs."""
    with serving_folder(viewed_at(traced, kept)) as found:
        yield found
