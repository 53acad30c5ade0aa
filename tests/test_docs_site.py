"""The site has every page, and what it publishes is what `make` builds."""

from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from docs.site_hook import DOCS, on_config, on_page_markdown
from tests.builders import REPO

NOT_PAGES = ("examples", "statements")


def leaves(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [leaf for part in parts for leaf in leaves(part)]


def test_every_page_is_in_the_navigation_once() -> None:
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    wanted = [page for page in pages if not page.startswith(NOT_PAGES)]
    assert sorted(leaves(on_config({})["nav"])) == sorted(wanted)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[a page](install.md#extras)", "[a page](install.md#extras)"),
        ("[outside](https://example.org/a)", "[outside](https://example.org/a)"),
        ("[the action](../../action.yml)", "the action (`action.yml`)"),
        ("[Contributing](../../CONTRIBUTING.md#style)", "Contributing (`CONTRIBUTING.md`)"),
        ("[version.py](../../src/assay/version.py)", "version.py (`src/assay/version.py`)"),
        ("[examples/tasks](../../examples/tasks)", "examples/tasks"),
        ("![a picture](../pictures/run.png)", "![a picture](../pictures/run.png)"),
    ],
)
def test_files_that_are_no_pages_are_named(markdown: str, shown: str) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="howto/install.md"))
    assert on_page_markdown(markdown, page=page) == shown


def test_the_workflow_publishes_by_targets_of_make() -> None:
    steps = yaml.safe_load((REPO / ".github/workflows/site.yml").read_text(encoding="utf-8"))["jobs"]["site"][
        "steps"
    ]
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    targets = [step["run"].split()[1] for step in steps if step.get("run", "").startswith("make ")]
    assert targets == ["docs-site", "docs-site-version"]
    assert all(f"\n{target}:" in makefile for target in targets)
    assert steps[-1]["run"] == "git push origin gh-pages"
