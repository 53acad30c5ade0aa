"""The two questions that people come with are answered within two clicks of the first page, wherever that is."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from assay.adapters.store.opening import open_store
from assay.engine.service.keys import Scope
from assay.web.one_file import one_file
from tests.web.browser import Tab
from tests.web.examples import COMPARISON, SORTING, import_all, serving_folder, viewed_at
from tests.web.people import ORGANISATION, desk_on
from tests.web.traces import write_long_trace

STEPS, WRONG = 200, 77
KINDS = ("serve", "view", "file")


@dataclass
class Walk:
    """Somebody who began at the first page, and how often they have clicked."""

    page: Page
    clicks: int = 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two jobs to be compared, and one whose runs have a long trace that goes wrong at one step."""
    job = tmp_path_factory.mktemp("walked") / "sorting"
    shutil.copytree(SORTING, job)
    for trial in job.glob("*__*"):
        write_long_trace(trial / "agent", STEPS)
    return [COMPARISON / "monday", COMPARISON / "tuesday", job]


@contextmanager
def first_page(kind: str, jobs: list[Path], tab: Tab, folder: Path) -> Iterator[Walk]:
    """The first page of a service, of ``assay view`` or of the one file."""
    if kind == "serve":
        path = str(folder / "store.db")
        open_store(path, create=True).close()
        with desk_on(path) as desk:
            import_all(desk.service, ORGANISATION, jobs)
            desk.enter(tab, Scope.READER)
            yield Walk(tab.open(f"{desk.url}/ui/"))
            tab.page.wait_for_load_state("networkidle")
    elif kind == "view":
        with serving_folder(viewed_at(*jobs)) as server:
            yield Walk(tab.open(server.address))
            tab.page.wait_for_load_state("networkidle")
    else:
        (folder / "all.html").write_text(one_file(viewed_at(*jobs)))
        yield Walk(tab.open((folder / "all.html").as_uri()))


@pytest.mark.parametrize("kind", KINDS)
def test_where_it_went_wrong(kind: str, jobs: list[Path], tab: Tab, tmp_path: Path) -> None:
    with first_page(kind, jobs, tab, tmp_path) as walk:
        failed = walk.page.get_by_role("region", name="Failed")
        walk.click(failed.get_by_role("link", name="went wrong").first)
        step = walk.page.locator(f"[id$=step-{WRONG}]:visible")
        expect(step).to_be_in_viewport()
        expect(step).to_contain_text("KeyError: 3")
        assert walk.clicks <= 2


@pytest.mark.parametrize("kind", ["serve", "view"])
def test_where_any_run_went_wrong(kind: str, jobs: list[Path], tab: Tab, tmp_path: Path) -> None:
    with first_page(kind, jobs, tab, tmp_path) as walk:
        walk.click(walk.page.get_by_role("link", name="sorting", exact=True))
        walk.click(walk.page.get_by_role("link", name="failed: ").first)
        expect(walk.page.locator(".first-error")).to_have_text(f"First error step {WRONG} KeyError: 3")
        assert walk.clicks <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_whether_the_newest_is_better(kind: str, jobs: list[Path], tab: Tab, tmp_path: Path) -> None:
    with first_page(kind, jobs, tab, tmp_path) as walk:
        expect(walk.page.locator(".answer").first).to_contain_text("tuesday is better than monday")
        assert walk.clicks <= 2


@pytest.mark.parametrize("kind", ["serve", "view"])
@pytest.mark.parametrize("scripts", [True, False])
def test_whether_one_job_is_better_than_any_other(
    kind: str, scripts: bool, jobs: list[Path], tab: Tab, plain_tab: Tab, tmp_path: Path
) -> None:
    with first_page(kind, jobs, tab if scripts else plain_tab, tmp_path) as walk:
        walk.click(walk.page.get_by_role("link", name="compare monday"))
        walk.click(walk.page.locator("main").get_by_role("link", name="tuesday"))
        expect(walk.page.locator(".answer")).to_contain_text(
            "tuesday is better than monday: the difference is 0.192"
        )
        assert walk.clicks <= 2
