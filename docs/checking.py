"""Does the documentation keep its word? Links lead somewhere, names are described, examples do what they show."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay import backends, commands, criteria, evaluation, harbor, rewards, scorers
from assay.cli.main import COMMANDS
from assay.engine.criteria.complete_run import kinds
from docs.blocks import Example, examples, run
from docs.evaluation_page import ingestion_codes
from docs.links import broken_links
from docs.meanings import MISSING

WORKERS = 8


def problems(root: Path) -> Iterator[str]:
    """Everything that is wrong with the documentation below ``root``, one line each."""
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    present = [page for page in pages if page.exists()]
    yield from (f"there is no {page.relative_to(root)}" for page in pages if not page.exists())
    yield from _undescribed(root)
    for page in present:
        yield from (f"{page.relative_to(root)} links to {link}: there is none" for link in broken_links(page))
    yield from _broken_examples(root, present)


def _undescribed(root: Path) -> Iterator[str]:
    """Names that a reference page must have, and sentences that it lacks."""
    reference = root / "docs" / "reference"
    wanted = [(reference / "harbor.md", f"## {name}") for name in harbor.__all__]
    wanted += [(reference / "evaluation.md", f"## {name}") for name in evaluation.__all__]
    wanted += [(reference / "scorers.md", f"## {name}") for name in scorers.__all__]
    wanted += [(reference / "backends.md", f"## {name}") for name in backends.__all__]
    wanted += [(reference / "rewards.md", f"## {name}") for name in rewards.__all__]
    wanted += [(reference / "python.md", f"## {name}") for name in commands.__all__]
    wanted += [(reference / "scorer-types.md", f"## {kind}") for kind in scorers.scorer_types()]
    wanted += [(reference / "criteria-in-python.md", f"## {name}") for name in criteria.__all__]
    wanted += [(reference / f"criteria-{kind}.md", f"# {kind}") for kind in kinds()]
    wanted += [(reference / "commands.md", f"## assay {name}") for name in COMMANDS]
    wanted += [(reference / "reason-codes.md", f"| `{code}` |") for code in sorted(harbor.REASON_CODES)]
    wanted += [(reference / "reason-codes.md", f"| `{code}` |") for code in ingestion_codes()]
    wanted += [(reference / "task.md", "# task.toml")]
    texts = {page: page.read_text(encoding="utf-8") if page.exists() else "" for page, _ in wanted}
    yield from (
        f"{page.relative_to(root)} does not have '{text}'" for page, text in wanted if text not in texts[page]
    )
    for page, text in texts.items():
        if MISSING in text:
            yield f"{page.relative_to(root)} lacks a sentence: add it to docs/meanings.py"


def _broken_examples(root: Path, pages: list[Path]) -> Iterator[str]:
    """Examples that do not do what their page shows. They are run side by side: each is a process of its own."""
    found: list[Example] = []
    for page in pages:
        found += examples(str(page.relative_to(root)), page.read_text(encoding="utf-8"))
    commands = list(dict.fromkeys(example.argv for example in found))
    with ThreadPoolExecutor(WORKERS) as pool:
        done = dict(zip(commands, pool.map(lambda argv: run(argv, root), commands), strict=True))
    yield from filter(None, (example.problem(done[example.argv]) for example in found))
