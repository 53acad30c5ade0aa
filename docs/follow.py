"""Follow the tutorials to the letter: python -m docs.follow FOLDER [PAGE …]

Every command of a page is run in one shell, in a new folder below FOLDER, with the ``assay`` that is on the PATH;
so an installed wheel can be tried without a clone. Output that a page shows must be printed. Where the names of
trials differ from run to run (a command inside of a ``text`` block), the command must only give an answer.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docs.blocks import matches

DOCS = Path(__file__).parent
TUTORIALS = (
    "tutorial.md",
    "tutorial-tasks.md",
    "tutorial-cheating.md",
    "tutorial-compare.md",
    "tutorial-clinical.md",
)
TIMEOUT_SEC = 1800
NOT_FOUND = (126, 127)

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
_CLONE_ONLY = "tests/data/"


@dataclass(frozen=True, slots=True)
class Step:
    """Lines for the shell, and what they print according to the page, if it says."""

    code: str
    shown: str | None


def steps(text: str) -> Iterator[Step]:
    """The steps of a page, in their order."""
    for language, body, after in _BLOCK.findall(text):
        if language == "sh":
            yield Step(body, after if after and not after.startswith(("$ ", "jobs/")) else None)
            if after.startswith("$ "):
                yield from _commands(after, exact=False)
        elif body.startswith("$ "):
            yield from _commands(body, exact=language == "console")


def _commands(body: str, exact: bool) -> Iterator[Step]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if _CLONE_ONLY not in command:
            yield Step(command, shown if exact else None)


def follow(page: Path, folder: Path) -> Iterator[str]:
    """What of a page doesn't hold, one line each."""
    todo = list(steps(page.read_text(encoding="utf-8")))
    folder.mkdir(parents=True)
    records = folder.with_suffix(".records").absolute()
    records.mkdir()
    script = "\n".join(_recorded(step.code.rstrip(), records / str(number)) for number, step in enumerate(todo))
    subprocess.run(["/bin/bash", "-c", script], cwd=folder, timeout=TIMEOUT_SEC, check=False)
    for number, step in enumerate(todo):
        printed = (records / f"{number}.txt").read_text(encoding="utf-8")
        code = int((records / f"{number}.code").read_text())
        wrong = code in NOT_FOUND or "mistake in Assay" in printed
        if wrong or (step.shown is not None and not matches(step.shown, printed)):
            yield f"{page.name}: exit code {code} of: {step.code.strip()}\n{printed}"


def _recorded(code: str, record: Path) -> str:
    return f"{{\n{code}\n}} > {record}.txt 2>&1 < /dev/null\necho $? > {record}.code"


def main(argv: list[str]) -> int:
    """Follow the pages; print what doesn't hold."""
    if not argv:
        print("usage: python -m docs.follow FOLDER [PAGE …]", file=sys.stderr)
        return 2
    names = argv[1:] or TUTORIALS
    problems = [line for name in names for line in follow(DOCS / name, Path(argv[0], Path(name).stem))]
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    if not problems:
        print(f"docs: {', '.join(names)} hold, with the assay on the PATH")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
