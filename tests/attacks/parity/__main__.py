"""Prints known.yaml anew; with the name of a row, what that row is in every language, and what is found.

A second argument is a language, or a language and a library: ``python -m tests.attacks.parity "if false" go``.
"""

import sys

import yaml

from tests.attacks.parity.cells import ROWS, found, read_ways, reason, texts, wrong
from tests.attacks.parity.render import Way, ways
from tests.attacks.parity.table import Row


def main(argv: list[str]) -> None:
    if not argv:
        print(
            yaml.safe_dump({str(way): sorted(rows) for way in read_ways() if (rows := wrong(way))}, width=120),
            end="",
        )
        return
    for way in ways():
        if argv[1:] in ([], [way.language], [str(way)]):
            for row in ROWS:
                if row.name == argv[0]:
                    show(row, way)


def show(row: Row, way: Way) -> None:
    why = reason(row, way)
    print(f"===== {way}" + (f": can't apply: {why}" if why else ""))
    if why is None:
        for title, files in zip(("before", "after"), texts(row, way), strict=True):
            for path, text in files.items():
                print(f"----- {title}: {path}\n{text}")
        print(f"----- found: {found(row, way)}; must be found by: {' or '.join(row.by) or 'nobody'}")


main(sys.argv[1:])
