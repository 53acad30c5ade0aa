"""Pictures of every page at two widths, light and dark. ASSAY_PICTURES=1 writes those of the documentation."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.builders import REPO
from tests.web.browser import tab_of
from tests.web.people import Desk
from tests.web.test_browser import PLACES, run_of
from tests.web.test_clinic_browser import DOCUMENTED_HERE

PICTURES = REPO / "docs" / "pictures"
DOCUMENTED: dict[str, tuple[str, str]] = {
    "home": ("", "light"),
    "runs": ("runs?columns=run_status,checks,judge,score,validity,model,task,duration_sec", "light"),
    "run": ("runs/{run}", "light"),
    "diff": ("runs/{cheat}?tab=diff", "dark"),
    "job": ("jobs/sorting", "light"),
    "compare": ("compare?job=monday&job=tuesday", "dark"),
}
"""The pictures of the documentation."""
MOST_BYTES = 1_000_000


def test_the_pictures_of_the_documentation(full: Desk, browser: Browser, tmp_path: Path) -> None:
    folder = PICTURES if os.environ.get("ASSAY_PICTURES") else tmp_path
    folder.mkdir(exist_ok=True)
    for name, (place, scheme) in DOCUMENTED.items():
        view: Any = {"viewport": {"width": 1100, "height": 640}, "color_scheme": scheme}
        with tab_of(browser, **view) as tab:
            full.enter(tab)
            where = place.format(run=run_of(full, "shallow"), cheat=run_of(full, "cheating"))
            page = tab.open(f"{full.url}/ui/{where}")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=folder / f"{name}.png")
        assert (folder / f"{name}.png").stat().st_size > 10_000


def test_the_documentation_has_all_pictures_and_they_are_small() -> None:
    found = {path.stem: path.stat().st_size for path in PICTURES.glob("*.png")}
    assert set(found) == {*DOCUMENTED, *DOCUMENTED_HERE, "trace"}
    assert sum(found.values()) < MOST_BYTES


@pytest.mark.parametrize(("width", "usual"), [(375, "light"), (2560, "dark")])
def test_pages_fit_their_window(full: Desk, browser: Browser, width: int, usual: str) -> None:
    """With ASSAY_LOOK, pictures of all pages in both schemes go to that folder, for people to look at."""
    look = os.environ.get("ASSAY_LOOK")
    for scheme in ("light", "dark") if look else (usual,):
        view: Any = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
        with tab_of(browser, **view) as tab:
            full.enter(tab)
            for name, place in PLACES.items():
                page = tab.open(f"{full.url}/ui/{place.format(run=run_of(full, 'cheating'))}")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, place
                if look:
                    page.screenshot(path=Path(look, f"{name}-{width}-{scheme}.png"))
