"""Prints known.yaml anew; with the name of a row, what that row is in every language, and what is found.

A second argument is a language, or a language and a library: ``python -m tests.attacks.parity "if false" go``.
With ``rules``, the cheats that are found by other rules in other languages.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator

import yaml

from tests.attacks.parity.cells import ROWS, asked, found, read_ways, reason, texts, wrong
from tests.attacks.parity.render import Way, ways
from tests.attacks.parity.table import Row


def main(argv: list[str]) -> None:
    if not argv:
        known = {str(way): sorted(rows) for way in read_ways() if (rows := wrong(way, asked(way)))}
        print(yaml.safe_dump(known, width=120), end="")
    elif argv == ["rules"]:
        print("\n".join(other_rules()))
    else:
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


def other_rules() -> Iterator[str]:
    """A line for each cheat whose rules aren't the same wherever it is found."""
    for row in ROWS:
        by_rules = defaultdict(list)
        for way in read_ways():
            if not row.honest and reason(row, way) is None:
                rules = sorted({rule for rules in found(row, way).values() for rule in rules})
                by_rules[", ".join(rules) or "missed"].append(str(way))
        if len(by_rules.keys() - {"missed"}) > 1:
            yield f"{row.name}: " + "; ".join(f"{rules} ({', '.join(who)})" for rules, who in by_rules.items())


main(sys.argv[1:])
