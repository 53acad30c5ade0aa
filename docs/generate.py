"""Write the generated reference pages and schemas, or check the whole documentation.

``python -m docs.generate`` writes the files in docs/reference and docs/evidence, and the index of decisions.
With ``--check`` nothing is written: each problem is one line on standard error, and the exit code is 1 if there is
any.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from docs import checking, pages

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
EVIDENCE = ROOT / "docs" / "evidence"


def main(argv: list[str]) -> int:
    # The pages must not depend on the terminal in which they are written.
    os.environ.update({"COLUMNS": "500", "NO_COLOR": "1"})
    written = {REFERENCE / name: text for name, text in pages.reference_files().items()}
    written |= {EVIDENCE / name: text for name, text in pages.evidence_files().items()}
    written[ROOT / "docs" / "decisions" / "README.md"] = pages.decisions()
    if argv == ["--check"]:
        return check(written)
    if argv:
        print("usage: python -m docs.generate [--check]", file=sys.stderr)
        return 2
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def check(written: dict[Path, str]) -> int:
    """Print every problem. A page that is out of date is one."""
    problems = [*out_of_date(written), *checking.problems(ROOT)]
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    if not problems:
        print("docs: pages, links, names and examples are as they should be")
    return 1 if problems else 0


def out_of_date(written: dict[Path, str]) -> Iterator[str]:
    for path, text in written.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"{path.relative_to(ROOT)} is out of date: run 'make docs'"
    for path in sorted(REFERENCE.rglob("*.*")):
        if path not in written:
            yield f"{path.relative_to(ROOT)} is not written by docs/pages.py: every file there is generated"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
